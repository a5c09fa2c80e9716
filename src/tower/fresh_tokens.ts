/**
 * Tokens that were just made, so that the page that shows one survives a reload: in memory alone, for whoever made it and nobody
 * else, until they say that they have it or half an hour has passed. What is written down is a hash, so a restart forgets them.
 */
import type { SiteTokenBook } from "../assets/mod.ts";
import type { SignedIn } from "./session.ts";

/** How long a token is shown: as long as the password that it was made with counts. */
const SHOWN_MS = 30 * 60_000;
/** Most tokens held at once; the oldest goes first. */
const MOST = 200;

/** A token that may still be shown. */
export interface FreshToken {
  readonly token: string;
  /** Until when, in milliseconds since the epoch. */
  readonly until: number;
}

/** The tokens of sites that may still be shown, by who made them and for which site. */
export class FreshTokens {
  readonly #book: Pick<SiteTokenBook, "find">;
  readonly #held = new Map<string, FreshToken>();

  constructor(book: Pick<SiteTokenBook, "find">) {
    this.#book = book;
  }

  /** Holds a token that was just made; one of the same site that was held before is shown no more. */
  keep(who: SignedIn, asset: string, token: string, now: number): void {
    this.#sweep(now);
    const key = keyOf(who, asset);
    this.#held.delete(key);
    const [oldest] = this.#held.keys();
    if (this.#held.size >= MOST && oldest !== undefined) this.#held.delete(oldest);
    this.#held.set(key, { token, until: now + SHOWN_MS });
  }

  /** The token of a site that this person may still be shown. One that was revoked meanwhile is shown no more. */
  find(who: SignedIn, asset: string, now: number): FreshToken | undefined {
    this.#sweep(now);
    const held = this.#held.get(keyOf(who, asset));
    return held !== undefined && this.#book.find(held.token)?.asset === asset ? held : undefined;
  }

  /** The person has it. */
  forget(who: SignedIn, asset: string): void {
    this.#held.delete(keyOf(who, asset));
  }

  #sweep(now: number): void {
    for (const [key, { until }] of this.#held) if (until <= now) this.#held.delete(key);
  }
}

/** Bound to the session, not to the person: another browser of theirs gets to see nothing. A proxy's name has no session. */
function keyOf({ actor, live }: SignedIn, asset: string): string {
  return JSON.stringify([live?.session.digest ?? actor.id, asset]);
}
