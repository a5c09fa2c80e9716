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
  /** The newest tick that is not owed any more. */
  readonly settled: number;
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
  const newest = pattern.newest(now);
  return {
    seenAt: now,
    settled: missed ? newest - 1 : newest,
    begun: 0,
    run: undefined,
    lateMs: 0,
    runsMs: 0,
  };
}

/** What is seen of it after another look. */
export function watched(pattern: Pattern, before: Watched, seen: Seen): Watched {
  const { now, begun, run } = seen;
  const step = Math.min(Math.max(now - before.seenAt, 0), LONGEST_STEP_MS);
  const settled = settledBy(pattern, before, seen);
  const isOwed = pattern.newest(now) > settled;
  return {
    seenAt: now,
    settled,
    begun,
    run,
    lateMs: isOwed ? before.lateMs + step : 0,
    runsMs: run !== undefined && run === before.run ? before.runsMs + step : 0,
  };
}

/**
 * Up to which tick nothing is owed. What a clock that was set back brings again is not, as far as it may have been worked: a period;
 * from further back each tick comes again as the clock has it. While a run is under way the schedule leaves ticks out.
 */
function settledBy(pattern: Pattern, before: Watched, seen: Seen): number {
  const { now, begun, begunAt = now, run, isExcused } = seen;
  const newest = pattern.newest(now);
  const hasBegun = begun !== before.begun;
  const known = Math.max(
    before.settled,
    hasBegun ? pattern.newest(begunAt) : before.settled,
    now < before.seenAt ? pattern.newest(before.seenAt) : before.settled,
  );
  const kept = known - now > pattern.next(now) - newest ? newest : known;
  const isAtWork = hasBegun || run !== undefined || before.run !== undefined;
  return isAtWork || isExcused ? Math.max(kept, newest) : kept;
}

/** What is wrong with a job: a run that is due does not begin, or one that has begun gets no further. */
export type JobTrouble = "late" | "hangs";

/** What is wrong with it by now; undefined while nothing is. */
export function troubleOf({ lateMs, runsMs }: Watched, patience: Patience): JobTrouble | undefined {
  if (runsMs >= patience.longestMs) return "hangs";
  return lateMs >= patience.lateMs ? "late" : undefined;
}
