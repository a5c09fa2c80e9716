/**
 * How much one site's token may send: so many requests at once, then so many a second. Years of nights can be made up by a sender
 * that obeys `Retry-After`, and none can flood the service.
 */
import type { KnownToken } from "./token_book.ts";

/** A bucket of each token's own. */
export interface SendRate {
  /** Requests at once. */
  readonly burst: number;
  /** Requests a second after that. */
  readonly perSecond: number;
}

interface Bucket {
  left: number;
  /** When `left` was worked out, in milliseconds since the epoch. */
  at: number;
}

/** The buckets of the tokens that were used. A bucket goes with its token, so there are never more of them than tokens. */
export class SendRates {
  readonly #rate: SendRate;
  readonly #buckets = new WeakMap<KnownToken, Bucket>();

  constructor(rate: SendRate) {
    this.#rate = rate;
  }

  /** Takes one request out of the token's bucket. Returns 0, or the whole seconds until there is one to take. */
  take(token: KnownToken, now: number): number {
    const { burst, perSecond } = this.#rate;
    const bucket = this.#buckets.get(token) ?? { left: burst, at: now };
    this.#buckets.set(token, bucket);
    // A clock that was put back gives nothing for the time it takes away, and the time after it counts again at once.
    const seconds = Math.max(0, now - bucket.at) / 1_000;
    bucket.left = Math.min(burst, bucket.left + seconds * perSecond);
    bucket.at = now;
    if (bucket.left < 1) return Math.max(1, Math.ceil((1 - bucket.left) / perSecond));
    bucket.left -= 1;
    return 0;
  }
}
