import { sha256Hex } from "../lib/digest.ts";
import { TokenBook } from "../tokens/mod.ts";

/** A known site token: whose it is and where it comes from. */
export interface KnownToken {
  readonly asset: string;
  readonly digest: string;
  /** Issued in the Tower or on the command line; otherwise named in `ASSET_TOKENS`. */
  readonly issued: boolean;
}

/** What lists call a token of `ASSET_TOKENS`, which has no id of its own: the start of its digest, which opens nothing. */
export function namedTokenId({ digest }: KnownToken): string {
  return digest.slice(0, 12);
}

/** Every site token in force: those of `ASSET_TOKENS` and those issued together form one set. */
export class SiteTokenBook extends TokenBook<KnownToken> {
  /** Replaces the tokens named in the setting, as after a reread of `ASSET_TOKENS_FILE`. */
  setNamed(pairs: readonly { readonly asset: string; readonly token: string }[]): void {
    this.replaceNamed(pairs.map(({ asset, token }) => ({ asset, digest: sha256Hex(token), issued: false })));
  }
}
