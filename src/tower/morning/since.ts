/** From which moment on something is new to an operator. Pure. */

import { parseInstant } from "../../lib/instant.ts";
import { parseUtcDay, startOfDay } from "../../lib/utc_day.ts";
import type { Look } from "../../operators/mod.ts";
import type { Param } from "../kit/address.ts";

const DAY_MS = 86_400_000;
/** Who never looked is told of so long. */
const FIRST_MS = DAY_MS;
/** What lies further back is no news: the timeline tells it. */
export const MOST_DAYS = 14;

/** From when on, and why from then. */
export interface Since {
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** The end of the visit before; nobody looked before; or an address asked for it. */
  readonly by: "visit" | "first" | "address";
  /** It would lie further back than is told. */
  readonly isCut: boolean;
}

/**
 * From when on, for an operator whose looks are these. `before` is where the visit before the one under way ended; `asked` is what an
 * address asked for.
 */
export function sinceOf(before: Look["before"] | undefined, asked: string | null, now: number): Since {
  const given = asked === null ? undefined : momentIn(asked);
  const by = given !== undefined ? "address" : (before ?? null) === null ? "first" : "visit";
  const at = Math.min(given ?? before ?? now - FIRST_MS, now);
  const furthest = now - MOST_DAYS * DAY_MS;
  return { at: Math.max(at, furthest), by, isCut: at < furthest };
}

/** A day, from its midnight in UTC, or an instant. */
function momentIn(text: string): number | undefined {
  const day = parseUtcDay(text);
  return day === undefined ? parseInstant(text) : startOfDay(day);
}

/** `?since=2026-11-20` or an instant. */
export const SINCE: Param<string | null> = {
  usual: null,
  read: (text) => (momentIn(text) === undefined ? undefined : text),
};
