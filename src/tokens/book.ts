import { equalDigests, sha256Hex } from "../lib/digest.ts";

const NOBODY = "0".repeat(64);

/** A use of a token: noted at once, written down later. */
export interface TokenUse<Known> {
  readonly token: Known;
  readonly at: number;
}

/**
 * Every token of one kind in force, by digest. A check costs one SHA-256 and a look-up; a revocation takes effect with the next
 * request.
 */
export class TokenBook<Known extends { readonly digest: string }> {
  readonly #issued = new Map<string, Known>();
  #named = new Map<string, Known>();
  #uses = new Map<string, TokenUse<Known>>();

  /** Adds an issued token. */
  add(token: Known): void {
    this.#issued.set(token.digest, token);
  }

  /** Forgets an issued token. */
  remove(digest: string): void {
    this.#issued.delete(digest);
  }

  /** Replaces the tokens that a setting names; they go before those issued. */
  protected replaceNamed(tokens: readonly Known[]): void {
    this.#named = new Map(tokens.map((token) => [token.digest, token]));
  }

  /** The tokens that a setting names. */
  named(): Known[] {
    return [...this.#named.values()];
  }

  /** Whose token this is, or undefined. */
  find(text: string): Known | undefined {
    const digest = sha256Hex(text);
    const known = this.#named.get(digest) ?? this.#issued.get(digest);
    return equalDigests(known?.digest ?? NOBODY, digest) ? known : undefined;
  }

  /** Notes that a token was used; of several uses the latest counts. */
  noteUse(token: Known, at: number): void {
    const noted = this.#uses.get(token.digest);
    if (noted === undefined || noted.at < at) this.#uses.set(token.digest, { token, at });
  }

  /** When a token was last used: what is noted and not written down yet, else what was written down; null for never. */
  lastUse({ digest }: { readonly digest: string }, written: number | null): number | null {
    return this.#uses.get(digest)?.at ?? written;
  }

  /** Takes the uses noted since the last call. */
  takeUses(): TokenUse<Known>[] {
    const uses = [...this.#uses.values()];
    this.#uses = new Map();
    return uses;
  }
}
