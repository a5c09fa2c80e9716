/**
 * Whether a job does what its timetable says: pure. What counts is time that was watched, look by look, never the difference of two
 * clock times: a clock that is set, and a machine that slept, make no job late.
 */
import type { Pattern } from "./pattern.ts";

/** How long a job is waited for, in milliseconds that were watched. */
export interface Patience {
  /** After a tick that is due, until its run has begun. More than one and a half periods where it comes often. */
  readonly lateMs: number;
  /** While a run gets no further, where it tells how far it is; from its beginning where it does not. */
  readonly longestMs: number;
}

/** What was seen of a job up to the last look. Moments are milliseconds since the epoch. */
export interface Watched {
  readonly seenAt: number;
  /** Ticks after this moment are owed. */
  readonly owedAfter: number;
  /** How many of its runs had begun. */
  readonly begun: number;
  /** The run that was under way, and how far it was. */
  readonly run: string | undefined;
  /** For how long a run has been owed, and for how long one has been under way and at the same place. */
  readonly lateMs: number;
  readonly runsMs: number;
}

/** What a look finds. */
export interface Seen {
  readonly now: number;
  /** How many of its runs have begun since the start, and when the last one did. */
  readonly begun: number;
  readonly begunAt: number | undefined;
  /** The run that is under way, and how far it is, in one text. */
  readonly run: string | undefined;
  /** Nobody expects a run now: there is nobody to ask, or it rests after runs that broke. */
  readonly isExcused: boolean;
}

/** Time between two looks counts up to this: the rest of it nobody watched. */
export const LONGEST_STEP_MS = 2 * 60_000;

/** A job that is looked at for the first time. `missed`: a tick before the start is to be made up. */
export function firstWatched(
  pattern: Pattern,
  { now, missed }: { readonly now: number; readonly missed: boolean },
): Watched {
  const owedAfter = missed ? pattern.newest(now) - 1 : now;
  return { seenAt: now, owedAfter, begun: 0, run: undefined, lateMs: 0, runsMs: 0 };
}

/** What is seen of it after another look. */
export function watched(pattern: Pattern, before: Watched, seen: Seen): Watched {
  const { now, begun, run } = seen;
  const step = Math.min(Math.max(now - before.seenAt, 0), LONGEST_STEP_MS);
  const owedAfter = owedAfterOf(pattern, before, seen);
  const isOwed = pattern.newest(now) > owedAfter;
  return {
    seenAt: now,
    owedAfter,
    begun,
    run,
    lateMs: isOwed ? before.lateMs + step : 0,
    runsMs: run !== undefined && run === before.run ? before.runsMs + step : 0,
  };
}

/**
 * After which moment ticks are owed. What a clock that was set back brings again is not, as far as it may have been worked: a period;
 * from further back each tick comes again as the clock has it.
 */
function owedAfterOf(pattern: Pattern, before: Watched, seen: Seen): number {
  const { now, begun, begunAt = now, run, isExcused } = seen;
  const isBack = now < before.seenAt;
  const worked = begun !== before.begun ? begunAt : isBack ? before.seenAt : before.owedAfter;
  const known = Math.max(worked, before.owedAfter);
  const period = pattern.next(now) - pattern.newest(now);
  const kept = known - now > period ? now : known;
  return run !== undefined || isExcused || begun !== before.begun ? Math.max(kept, now) : kept;
}

/** What is wrong with a job: a run that is due does not begin, or one that has begun gets no further. */
export type JobTrouble = "late" | "hangs";

/** What is wrong with it by now; undefined while nothing is. */
export function troubleOf({ lateMs, runsMs }: Watched, patience: Patience): JobTrouble | undefined {
  if (runsMs >= patience.longestMs) return "hangs";
  return lateMs >= patience.lateMs ? "late" : undefined;
}
