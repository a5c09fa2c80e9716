import { parseTokenText } from "../lib/token_text.ts";
import { TokenBook } from "../tokens/mod.ts";

/** A link to the Wall that is in force. */
export interface KnownWallLink {
  /** The key id, which stands in the link's text. */
  readonly id: string;
  readonly digest: string;
  /** What the operator who made it calls it. */
  readonly name: string;
}

/** Every link in force. */
export class WallLinkBook extends TokenBook<KnownWallLink> {
  /** Which link this is, or undefined. The text must be the very one that was made; a mistyped one is not looked up. */
  override find(text: string): KnownWallLink | undefined {
    return parseTokenText(text)?.prefix === "smw" ? super.find(text) : undefined;
  }
}
