/**
 * When a usable result is due, and what it is when none comes: obligations as data, read by one pure function. Times are milliseconds
 * since the epoch.
 */

import { DAY_MS, HOUR_MS, isMoment, MINUTE_MS, parseUtcDay, utcDayOf } from "../base/time.ts";
import { FAILURE_CATEGORIES } from "../providers/faults.ts";
import { type Pattern, patternOf } from "../store/timetable.ts";
import type { Evidence, HealthState } from "./health.ts";

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
interface Due {
  /** When the next usable result is due, which may have passed; null where none is. */
  readonly dueAt: number | null;
  /** From this moment on the last one no longer meets the obligation; null where it always does. */
  readonly staleAt: number | null;
  /** From this moment on nothing is due; null where something always is. */
  readonly idleAt: number | null;
}

/** Nothing is due, and nothing will be late. */
const NO_DUE: Due = { dueAt: null, staleAt: null, idleAt: null };

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
      const [dueAt, second] = ticksAfter(at, since, restMs);
      return { dueAt, staleAt: second + slackMs, idleAt: null };
    }
    case "every": {
      const dueAt = succeededAt + obligation.everyMs;
      return { dueAt, staleAt: dueAt + obligation.graceMs, idleAt: null };
    }
    case "silence": {
      const dueAt = spokeAt(obligation.liveSince, succeededAt, now) + obligation.hours * HOUR_MS;
      return { dueAt, staleAt: dueAt, idleAt: null };
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

/** The state of a target: a pure function of what is set up, what is known, what is due, and now. */

/** What an operator and the code have set up for a target. */
export interface Configuration {
  /** False where the site was detached, or the credential removed. */
  readonly isConnected: boolean;
  /** The operator disabled it. */
  readonly isPaused: boolean;
  /** False where nothing observes it reliably. */
  readonly isObserved: boolean;
}

export interface Asked {
  /** `unreadable` where the inventory could not be read. */
  readonly configuration: Configuration | "unreadable";
  /** Undefined where no attempt was ever recorded; `unreadable` where what is stored of it cannot be read. */
  readonly evidence: Evidence | "unreadable" | undefined;
  /** When the latest attempt began that the source itself has a record of; undefined where it has none, or keeps none. */
  readonly sourceAttemptAt: number | undefined;
  readonly obligation: Obligation;
  /** Milliseconds since the epoch, like every other moment. */
  readonly now: number;
}

/** How far a moment may lie ahead of the clock before it is of a clock that was wrong, in milliseconds. */
export const AHEAD_MS = 5 * 60_000;

/** Why nothing can be said of a target. */
export type UnknownCause = "inventory" | "evidence" | "ahead" | "unmatched" | "obligation";

/** How a target stands. */
export interface Standing {
  readonly state: HealthState;
  /** Of an unknown one why it is; undefined otherwise. */
  readonly cause: UnknownCause | undefined;
  /** What its obligation makes of the last usable result, whatever the state. */
  readonly due: Due;
}

/** What the table looks at. */
interface Facts {
  readonly configuration: Configuration | "unreadable";
  /** Of the latest attempt: none, one that cannot be read, one of a moment to come, a failure, a usable result. */
  readonly latest: "none" | "unreadable" | "ahead" | "failure" | "success";
  /** The source has an attempt that began later than any that is known here. */
  readonly isUnmatched: boolean;
  /** Undefined where the obligation cannot be read. */
  readonly due: Due | undefined;
  readonly now: number;
}

interface Row {
  readonly state: HealthState;
  readonly cause?: UnknownCause;
  readonly when: (facts: Facts) => boolean;
}

/**
 * The nine states by precedence: the first row that holds. Nothing is remembered between two looks, so that this is also every move
 * into a state and out of it:
 *
 * - **Unknown** is entered with an inventory that cannot be read, evidence that cannot be believed (malformed, or of a moment ahead of
 *   the clock), or an attempt of the source that nothing was recorded of; and left as soon as it is none of these. It hides no failure
 *   that is known: only the latest attempt can.
 * - **Disconnected** is entered from any state when the site is detached or the credential removed. Attached again under the same
 *   connection revision, what was seen before counts again; under another, nothing of it does: Never run.
 * - **Paused** is entered from any state but Disconnected when an operator disables the capability. It is left when it is resumed or its
 *   time is over, to what is then known: a failure of before still fails, and the time of the pause counts towards being Stale.
 * - **Unmonitored** is what is enabled and cannot be observed: evidence of another kind says nothing for it.
 * - **Failing** is entered by a failure and left by a later success alone, never by age.
 * - **Never run** is left by the first attempt and entered again with another connection revision.
 * - **Stale** is entered when the last usable result misses its obligation, and left by the next usable one.
 * - **Idle** is entered after a usable result once nothing is due any more (a check that passed, a feed nobody asks for, a report that
 *   comes with a push), and left by the next attempt, or when something is due.
 */
const PRECEDENCE: readonly Row[] = [
  { state: "unknown", cause: "inventory", when: ({ configuration }) => configuration === "unreadable" },
  {
    state: "disconnected",
    when: ({ configuration }) => configuration !== "unreadable" && !configuration.isConnected,
  },
  { state: "paused", when: ({ configuration }) => configuration !== "unreadable" && configuration.isPaused },
  {
    state: "unmonitored",
    when: ({ configuration }) => configuration !== "unreadable" && !configuration.isObserved,
  },
  { state: "unknown", cause: "evidence", when: ({ latest }) => latest === "unreadable" },
  { state: "unknown", cause: "ahead", when: ({ latest }) => latest === "ahead" },
  { state: "failing", when: ({ latest }) => latest === "failure" },
  { state: "unknown", cause: "unmatched", when: ({ isUnmatched }) => isUnmatched },
  { state: "never_run", when: ({ latest, due }) => latest === "none" && due?.idleAt !== 0 },
  { state: "unknown", cause: "obligation", when: ({ due }) => due === undefined },
  { state: "stale", when: ({ due, now }) => isReached(due?.staleAt, now) },
  { state: "idle", when: ({ due, now }) => isReached(due?.idleAt, now) },
];

const isReached = (moment: number | null | undefined, now: number) =>
  moment !== null && moment !== undefined && now >= moment;

/** How a target stands now. */
export function standingOf(asked: Asked): Standing {
  const { configuration, evidence, sourceAttemptAt, obligation, now } = asked;
  const known = evidence === "unreadable" ? undefined : evidence;
  const due = soundDue(obligation, known?.success?.startedAt, now);
  const facts: Facts = {
    configuration,
    latest: evidence === "unreadable" ? "unreadable" : latestOf(known, now),
    // A moment that is none is matched by nothing.
    isUnmatched: sourceAttemptAt !== undefined && !(known && sourceAttemptAt <= known.latest.startedAt),
    due,
    now,
  };
  const row = PRECEDENCE.find(({ when }) => when(facts));
  // What is left is a usable result that meets what is due.
  return { state: row?.state ?? "working", cause: row?.cause, due: due ?? NO_DUE };
}

function latestOf(evidence: Evidence | undefined, now: number): Facts["latest"] {
  if (evidence === undefined) return "none";
  const { latest, success } = evidence;
  if (!isMoment(latest.startedAt) || latest.attempt === "") return "unreadable";
  if (latest.startedAt > now + AHEAD_MS) return "ahead";
  if (latest.category !== null)
    return FAILURE_CATEGORIES.includes(latest.category) ? "failure" : "unreadable";
  // A usable result that is the latest is the latest usable one, too.
  if (success?.startedAt !== latest.startedAt) return "unreadable";
  return success.coveredDate === null || isCoveredDay(success.coveredDate, now) ? "success" : "unreadable";
}

function soundDue(obligation: Obligation, succeededAt: number | undefined, now: number): Due | undefined {
  try {
    const due = dueOf(obligation, succeededAt, now);
    return [due.dueAt, due.staleAt, due.idleAt].some(Number.isNaN) ? undefined : due;
  } catch {
    return undefined;
  }
}

/** No calendar of the earth is more than a day ahead of UTC. */
function isCoveredDay(text: string, now: number): boolean {
  const day = parseUtcDay(text);
  return day !== undefined && day <= utcDayOf(now + DAY_MS);
}
