import { parseTokenText } from "../lib/token_text.ts";
import { TokenBook } from "../tokens/mod.ts";
import type { Scope } from "./contract.ts";

/** A known operator API token. */
export interface KnownApiToken {
  /** The key id, which stands in the token's text. */
  readonly id: string;
  readonly digest: string;
  /** The operator's name. */
  readonly operator: string;
  readonly scopes: readonly Scope[];
}

/** Every operator token in force. */
export class ApiTokenBook extends TokenBook<KnownApiToken> {
  /** Whose token this is, or undefined. The text must be the very one that was issued; a mistyped one is not looked up. */
  override find(token: string): KnownApiToken | undefined {
    return parseTokenText(token)?.prefix === "smc" ? super.find(token) : undefined;
  }
}
