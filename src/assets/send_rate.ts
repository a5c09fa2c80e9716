/**
 * How much one token may send: so many requests at once, then so many a second, and of a site's token so many bytes a UTC day. Years of
 * nights can be backfilled by a sender that obeys `Retry-After`, and none can flood the service.
 */
import { addDays, startOfDay, type UtcDay, utcDayOf } from "../lib/utc_day.ts";
import type { KnownToken } from "./tokens.ts";

/** A bucket of each token's own. */
export interface SendRate {
  /** Requests at once. */
  readonly burst: number;
  /** Requests a second after that. */
  readonly perSecond: number;
  /** Bytes of bodies a UTC day; no limit where absent. */
  readonly bytesPerDay?: number;
}

/** Bytes stored before the service started on a day, by site: a restart does not give a site's tokens the whole day again. */
export interface SentBefore {
  readonly day: UtcDay;
  readonly bytes: ReadonlyMap<string, number>;
}

/** Bytes that a site's token has sent today. */
export interface SentToday {
  readonly asset: string;
  readonly bytes: number;
}

/** The share of a day's bytes from which on the operator is warned. */
const NEAR = 0.8;

interface Sent {
  readonly asset: string;
  bytes: number;
  isNear: boolean;
}

interface Bucket {
  left: number;
  /** When `left` was worked out, in milliseconds since the epoch. */
  at: number;
}

/** The buckets of the tokens that were used. A bucket goes with its token, so there are never more of them than tokens. */
export class SendRates {
  readonly #rate: SendRate;
  readonly #buckets = new WeakMap<object, Bucket>();
  readonly #before: SentBefore | undefined;
  #day: UtcDay | undefined;
  /** Bytes of `#day`, by the token's digest. */
  #sent = new Map<string, Sent>();

  constructor(rate: SendRate, before?: SentBefore) {
    this.#rate = rate;
    this.#before = before;
  }

  /** Bytes of bodies that a site's token may send in a UTC day. */
  get bytesPerDay(): number {
    return this.#rate.bytesPerDay ?? Number.POSITIVE_INFINITY;
  }

  /** Takes one request out of the bucket of a site's or an operator's token. Returns 0, or the whole seconds until there is one to take. */
  take(token: object, now: number): number {
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

  /** Takes the most bytes that a body may come to. Returns 0, or the whole seconds until the next UTC day where they are too many. */
  takeBytes(token: KnownToken, most: number, now: number): number {
    const sent = this.#sentBy(token, now);
    if (sent.bytes + most > this.bytesPerDay) {
      return Math.ceil((startOfDay(addDays(utcDayOf(now), 1)) - now) / 1_000);
    }
    sent.bytes += most;
    return 0;
  }

  /** Gives back what was taken beyond the bytes that were read. Says, once a day, that the token comes near its limit. */
  giveBack(token: KnownToken, taken: { readonly most: number; readonly read: number }, now: number): boolean {
    const sent = this.#sentBy(token, now);
    sent.bytes = Math.max(0, sent.bytes - taken.most + taken.read);
    if (sent.isNear || sent.bytes < NEAR * this.bytesPerDay) return false;
    sent.isNear = true;
    return true;
  }

  /** Tokens near their day's limit. */
  nearLimit(now: number): SentToday[] {
    return this.#day === utcDayOf(now) ? [...this.#sent.values()].filter(({ isNear }) => isNear) : [];
  }

  #sentBy({ asset, digest }: KnownToken, now: number): Sent {
    const today = utcDayOf(now);
    if (this.#day !== today) this.#sent = new Map();
    this.#day = today;
    const known = this.#sent.get(digest);
    if (known !== undefined) return known;
    const before = this.#before?.day === today ? this.#before.bytes.get(asset) : undefined;
    const sent = { asset, bytes: before ?? 0, isNear: false };
    this.#sent.set(digest, sent);
    return sent;
  }
}
