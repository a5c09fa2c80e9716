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
  /** Sites by the digests of tokens that were theirs. Only who holds such a token can make anything be noted of the site. */
  readonly #former = new Map<string, string>();

  /** Remembers whose a token was that is no longer in force. */
  addFormer({ digest, asset }: Pick<KnownToken, "digest" | "asset">): void {
    this.#former.set(digest, asset);
  }

  /** The site that a token belonged to. */
  formerOwner(text: string): string | undefined {
    return this.#former.get(sha256Hex(text));
  }

  /** Forgets the former tokens of a site that is removed. */
  forgetSite(asset: string): void {
    for (const [digest, owner] of this.#former) if (owner === asset) this.#former.delete(digest);
  }

  /** Replaces the tokens named in the setting, as after a reread of `ASSET_TOKENS_FILE`. */
  setNamed(pairs: readonly { readonly asset: string; readonly token: string }[]): void {
    for (const token of this.named()) this.addFormer(token);
    this.replaceNamed(pairs.map(({ asset, token }) => ({ asset, digest: sha256Hex(token), issued: false })));
  }
}
