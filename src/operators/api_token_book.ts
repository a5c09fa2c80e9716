import { equalDigests, sha256Hex } from "../lib/digest.ts";
import { parseTokenText } from "../lib/token_text.ts";
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

const NOBODY = "0".repeat(64);

/**
 * Every operator token in force, by digest. A check costs one SHA-256 and a look-up; a revocation takes effect with the next
 * request.
 */
export class ApiTokenBook {
  readonly #known = new Map<string, KnownApiToken>();
  #uses = new Map<string, number>();

  /** Adds a token by its digest. */
  add(token: KnownApiToken): void {
    this.#known.set(token.digest, token);
  }

  /** Forgets a token. */
  remove(digest: string): void {
    this.#known.delete(digest);
  }

  /** Whose token this is, or undefined. The text must be the very one that was issued; a mistyped one is not looked up. */
  find(token: string): KnownApiToken | undefined {
    if (parseTokenText(token)?.prefix !== "smc") return undefined;
    const digest = sha256Hex(token);
    const known = this.#known.get(digest);
    return equalDigests(known?.digest ?? NOBODY, digest) ? known : undefined;
  }

  /** Notes that a token was used; written down later, in one go. */
  noteUse(token: KnownApiToken, at: number): void {
    this.#uses.set(token.id, at);
  }

  /** Takes the uses noted since the last call: key id and time. */
  takeUses(): (readonly [id: string, at: number])[] {
    const uses = [...this.#uses];
    this.#uses = new Map();
    return uses;
  }
}
