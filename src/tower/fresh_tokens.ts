/**
 * Tokens that were just made, so that the page that shows one survives a reload: in memory alone, for whoever made it and nobody
 * else, until they say that they have it or half an hour has passed. What is written down is a hash, so a restart forgets them.
 */

import type { ApiTokenBook } from "../access/api_tokens.ts";
import type { KioskTokenBook } from "../access/kiosk_tokens.ts";
import { inTurn } from "../base/concurrency.ts";
import type { SiteTokenBook } from "../sites/site_tokens.ts";
import type { SignedIn } from "./session.ts";

/** How long a token is shown: as long as the password that it was made with counts. */
const SHOWN_MS = 30 * 60_000;
/** Most tokens held at once; the oldest goes first. */
const MOST = 200;

const TOKEN_KINDS = ["site", "operator", "wall"] as const;
export type TokenKind = (typeof TOKEN_KINDS)[number];

/** The kind that a form names; a site's where it names none. */
export function tokenKindOf(text: string | null): TokenKind {
  return TOKEN_KINDS.find((kind) => kind === text) ?? "site";
}

/** Whose token it is: a site's, an operator's, or that of a link to the Wall. */
export interface TokenHolder {
  readonly kind: TokenKind;
  readonly name: string;
}

/** A token that may still be shown. */
export interface FreshToken extends TokenHolder {
  readonly token: string;
  /** Until when, in milliseconds since the epoch. */
  readonly until: number;
  /** The token's operator was made with it. */
  readonly operatorAdded: boolean;
}

/** The field of a form that issues a token: until when the newest one beside it is shown. */
export const afterShown = (newest: FreshToken | undefined) => ({ after: String(newest?.until ?? 0) });

interface Books {
  readonly siteTokens: Pick<SiteTokenBook, "find">;
  readonly apiTokens: Pick<ApiTokenBook, "find">;
  readonly kioskTokens: Pick<KioskTokenBook, "find">;
}

/** The tokens that may still be shown, by who made them. */
export class FreshTokens {
  readonly #books: Books;
  readonly #held = new Map<string, { readonly by: string; readonly fresh: FreshToken }>();
  readonly #oneByOne = inTurn();

  constructor({ siteTokens, apiTokens, kioskTokens }: Books) {
    this.#books = { siteTokens, apiTokens, kioskTokens };
  }

  /** Holds a token that was just made; one of the same holder that was held before is shown no more. */
  keep(
    who: SignedIn,
    made: TokenHolder & { readonly token: string; readonly operatorAdded?: boolean },
    now: number,
  ): void {
    this.#sweep(now);
    const { kind, name, token, operatorAdded = false } = made;
    const key = keyOf(who, made);
    this.#held.delete(key);
    const [oldest] = this.#held.keys();
    if (this.#held.size >= MOST && oldest !== undefined) this.#held.delete(oldest);
    const fresh = { kind, name, token, operatorAdded, until: now + SHOWN_MS };
    this.#held.set(key, { by: makerOf(who), fresh });
  }

  /**
   * Makes a token and holds it, unless its form was sent before, as by a double click: then one that would be the same was made
   * since the form was shown, and the page that answers still shows it.
   */
  issue(
    { who, now, form }: { readonly who: SignedIn; readonly now: number; readonly form: URLSearchParams },
    of: TokenHolder,
    make: () => Promise<{ readonly token: string; readonly operatorAdded?: boolean }>,
    isSame: (fresh: FreshToken) => boolean = () => true,
  ): Promise<void> {
    return this.#oneByOne(keyOf(who, of), async () => {
      const fresh = this.find(who, of, now);
      const after = form.get("after");
      if (fresh !== undefined && after !== null && fresh.until > Number(after) && isSame(fresh)) return;
      this.keep(who, { ...(await make()), ...of }, now);
    });
  }

  /** The token of a site or an operator that this person may still be shown. One that was revoked meanwhile is shown no more. */
  find(who: SignedIn, of: TokenHolder, now: number): FreshToken | undefined {
    this.#sweep(now);
    const fresh = this.#held.get(keyOf(who, of))?.fresh;
    return fresh !== undefined && this.#isInForce(fresh) ? fresh : undefined;
  }

  /** All of these kinds that this person may still be shown, the newest first. */
  list(who: SignedIn, kinds: readonly TokenKind[], now: number): readonly FreshToken[] {
    this.#sweep(now);
    const maker = makerOf(who);
    return [...this.#held.values()]
      .filter(({ by, fresh }) => by === maker && kinds.includes(fresh.kind) && this.#isInForce(fresh))
      .map(({ fresh }) => fresh)
      .reverse();
  }

  /** The person has it. */
  forget(who: SignedIn, of: TokenHolder): void {
    this.#held.delete(keyOf(who, of));
  }

  #isInForce({ kind, name, token }: FreshToken): boolean {
    const { siteTokens, apiTokens, kioskTokens } = this.#books;
    if (kind === "site") return siteTokens.find(token)?.asset === name;
    return (kind === "operator" ? apiTokens : kioskTokens).find(token) !== undefined;
  }

  #sweep(now: number): void {
    for (const [key, { fresh }] of this.#held) if (fresh.until <= now) this.#held.delete(key);
  }
}

/** Bound to the session, not to the person: another browser of theirs gets to see nothing. A proxy's name has no session. */
function makerOf({ actor, live }: SignedIn): string {
  return live?.session.digest ?? actor.id;
}

function keyOf(who: SignedIn, { kind, name }: TokenHolder): string {
  return JSON.stringify([makerOf(who), kind, name]);
}
