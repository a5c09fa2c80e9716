import { equalDigests, sha256Hex } from "../lib/digest.ts";

/** A known site token: whose it is and where it comes from. */
export interface KnownToken {
  readonly asset: string;
  readonly digest: string;
  /** Issued in the Tower or on the command line; otherwise named in `ASSET_TOKENS`. */
  readonly issued: boolean;
}

const NOBODY = "0".repeat(64);

/**
 * Every site token in force, by digest: those of `ASSET_TOKENS` and those issued together form one set. A check costs one
 * SHA-256 and a look-up; a revocation takes effect with the next request.
 */
export class SiteTokenBook {
  #named = new Map<string, KnownToken>();
  readonly #issued = new Map<string, KnownToken>();
  #uses = new Map<string, { readonly token: KnownToken; readonly at: number }>();

  /** Replaces the tokens named in the setting, as after a reread of `ASSET_TOKENS_FILE`. */
  setNamed(pairs: readonly { readonly asset: string; readonly token: string }[]): void {
    this.#named = new Map(
      pairs.map(({ asset, token }) => {
        const digest = sha256Hex(token);
        return [digest, { asset, digest, issued: false }];
      }),
    );
  }

  /** Adds an issued token by its digest. */
  add(asset: string, digest: string): void {
    this.#issued.set(digest, { asset, digest, issued: true });
  }

  /** Forgets an issued token. */
  remove(digest: string): void {
    this.#issued.delete(digest);
  }

  /** Whose token this is, or undefined. */
  find(token: string): KnownToken | undefined {
    const digest = sha256Hex(token);
    const known = this.#named.get(digest) ?? this.#issued.get(digest);
    return equalDigests(known?.digest ?? NOBODY, digest) ? known : undefined;
  }

  /** Notes that a token was used; written down later, in one go. */
  noteUse(token: KnownToken, at: number): void {
    const noted = this.#uses.get(token.digest);
    if (noted === undefined || noted.at < at) this.#uses.set(token.digest, { token, at });
  }

  /** Takes the uses noted since the last call. */
  takeUses(): { readonly token: KnownToken; readonly at: number }[] {
    const uses = [...this.#uses.values()];
    this.#uses = new Map();
    return uses;
  }

  /** The tokens named in the setting. */
  named(): KnownToken[] {
    return [...this.#named.values()];
  }
}
