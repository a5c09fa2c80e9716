/**
 * When a usable result is due, and what it is when none comes: obligations as data, read by one pure function. Times are milliseconds
 * since the epoch.
 */
import { type Pattern, patternOf } from "../jobs/mod.ts";

const HOUR_MS = 3_600_000;

export type Obligation =
  /**
   * A result at each tick of a cron expression of five fields (UTC). Stale once two ticks passed without one, and the slack after the second: in it
   * a run may take its time. With `restMs` a tick counts only so long after the last result or the tick before. Where several results meet one
   * obligation, `since` is when the newest of them began.
   */
  | {
      readonly kind: "ticks";
      readonly at: string;
      readonly slackMs: number;
      readonly restMs?: number;
      readonly since?: number;
    }
  /** A result at each tick of a cron expression (UTC); stale so long after the first tick without one. */
  | { readonly kind: "after_due"; readonly at: string; readonly graceMs: number }
  /** A result so long after the last one, on no calendar; stale when it is late by the grace. */
  | { readonly kind: "every"; readonly everyMs: number; readonly graceMs: number }
  /** A site that sends by itself: stale after so many hours of silence, from its last report or from going live, whichever is later. */
  | { readonly kind: "silence"; readonly hours: number; readonly liveSince: number | undefined }
  /** What is sent or asked when something happens: a result stands for so long, after which nothing is due. */
  | { readonly kind: "within"; readonly forMs: number }
  /** What is sent when something happens: due from the moment it did, stale so long after; nothing is due where nothing waits. */
  | { readonly kind: "pending"; readonly since: number | undefined; readonly graceMs: number }
  /** Nothing is ever due. */
  | { readonly kind: "none" };

/** What an obligation makes of the last usable result. */
export interface Due {
  /** When the next usable result is due, which may have passed; null where none is. */
  readonly dueAt: number | null;
  /** From this moment on the last one no longer meets the obligation; null where it always does. */
  readonly staleAt: number | null;
  /** From this moment on nothing is due; null where something always is. */
  readonly idleAt: number | null;
}

/** Nothing is due, and nothing will be late. */
export const NO_DUE: Due = { dueAt: null, staleAt: null, idleAt: null };

/**
 * When the next usable result is due after the last one, which began at `succeededAt`. Where there is none yet, nothing can be late.
 * Throws where the obligation holds no cron expression of whole minutes that comes.
 */
export function dueOf(obligation: Obligation, succeededAt: number | undefined, now: number): Due {
  // What waits for an event, and was never tried, is idle: it is no failing of anybody that nothing happened.
  if (succeededAt === undefined)
    return obligation.kind === "pending" && obligation.since === undefined
      ? { ...NO_DUE, idleAt: 0 }
      : NO_DUE;
  switch (obligation.kind) {
    case "ticks": {
      const { at, slackMs, restMs = 0, since = succeededAt } = obligation;
      const [dueAt, second] = ticksAfter(at, Math.max(since, succeededAt), restMs);
      return { ...NO_DUE, dueAt, staleAt: second + slackMs };
    }
    case "after_due": {
      const [dueAt] = ticksAfter(obligation.at, succeededAt);
      return { ...NO_DUE, dueAt, staleAt: dueAt + obligation.graceMs };
    }
    case "every": {
      const dueAt = succeededAt + obligation.everyMs;
      return { ...NO_DUE, dueAt, staleAt: dueAt + obligation.graceMs };
    }
    case "silence": {
      const dueAt = spokeAt(obligation.liveSince, succeededAt, now) + obligation.hours * HOUR_MS;
      return { ...NO_DUE, dueAt, staleAt: dueAt };
    }
    case "within":
      return { ...NO_DUE, idleAt: succeededAt + obligation.forMs };
    case "pending": {
      const { since, graceMs } = obligation;
      if (since === undefined) return { ...NO_DUE, idleAt: succeededAt };
      return since <= succeededAt ? NO_DUE : { ...NO_DUE, dueAt: since, staleAt: since + graceMs };
    }
    case "none":
      return { ...NO_DUE, idleAt: succeededAt };
  }
}

/** From when a site's silence counts. A moment of going live that lies ahead of the clock is none: nothing would be late until then. */
function spokeAt(liveSince: number | undefined, succeededAt: number, now: number): number {
  return liveSince !== undefined && liveSince <= now ? Math.max(liveSince, succeededAt) : succeededAt;
}

interface Ticks {
  readonly pattern: Pattern;
  /** The first and the second tick after a minute, by its number: reading a cron expression takes long, and many targets have one minute. */
  readonly afterMinute: Map<number, readonly [first: number, second: number]>;
}

const MINUTE_MS = 60_000;
const KEPT_MINUTES = 4_096;
/** Cron expressions that were read, each with its rest: the catalogue has a handful. */
const read = new Map<number, Map<string, Ticks>>();

function ticksAfter(at: string, moment: number, restMs = 0): readonly [first: number, second: number] {
  const { pattern, afterMinute } = ticksOf(at, restMs);
  const minute = Math.floor((moment + restMs) / MINUTE_MS);
  const known = afterMinute.get(minute);
  if (known !== undefined) return known;
  const first = pattern.next(minute * MINUTE_MS);
  const ticks = [first, pattern.next(first + restMs)] as const;
  if (afterMinute.size >= KEPT_MINUTES) afterMinute.clear();
  afterMinute.set(minute, ticks);
  return ticks;
}

function ticksOf(at: string, restMs: number): Ticks {
  const known = read.get(restMs)?.get(at);
  if (known !== undefined) return known;
  if (at.trim().split(/\s+/).length !== 5) throw new RangeError("an obligation's ticks are whole minutes");
  const ticks = { pattern: patternOf(at), afterMinute: new Map() };
  read.set(restMs, new Map(read.get(restMs)).set(at, ticks));
  return ticks;
}
