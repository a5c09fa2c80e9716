/**
 * When a job is due: pure. A tick is worked once, however late it is looked at, and ticks that were missed together are worked once
 * together. Clocks are set: forward, and what was jumped over is one tick; back, and the job neither waits until the time that was,
 * nor runs again at once. All times are milliseconds since the epoch.
 */

import { Cron } from "croner";
import type { RunFault } from "./job_runs.ts";

/** The ticks of a cron expression in UTC. */
export interface Pattern {
  /** The first tick after a moment. */
  next(after: number): number;
  /** The last tick up to a moment, which may be one itself. */
  newest(upTo: number): number;
}

/** Reads a cron expression of five or six fields. Throws where it is none, or never comes. */
export function patternOf(at: string): Pattern {
  const cron = new Cron(at, { utcOffset: 0, paused: true });
  const known = (tick: Date | null | undefined) => {
    if (tick === null || tick === undefined) throw new RangeError(`${at} never comes`);
    return tick.getTime();
  };
  return {
    next: (after) => known(cron.nextRun(new Date(after))),
    // Of a moment that is a tick it would name the one before.
    newest: (upTo) => known(cron.previousRuns(1, new Date(upTo + 1))[0]),
  };
}

/** Where a job stands in its timetable. Milliseconds since the epoch. */
export interface Place {
  /** The last tick that was due, or had passed before anybody looked. */
  readonly worked: number;
  /** When it is due next. */
  readonly next: number;
  /** When it was looked at last. */
  readonly seenAt: number;
}

/** The place of a job that is looked at for the first time. What it missed before is judged by `isMissed`. */
export function firstPlace(pattern: Pattern, now: number): Place {
  return { worked: pattern.newest(now), next: pattern.next(now), seenAt: now };
}

/** Looks at the clock: whether the job is due, and where it then stands. */
export function look(
  pattern: Pattern,
  place: Place,
  now: number,
): { readonly isDue: boolean; readonly place: Place } {
  if (now < place.seenAt) return { isDue: false, place: setBack(pattern, place, now) };
  if (now < place.next) return { isDue: false, place: { ...place, seenAt: now } };
  return { isDue: true, place: firstPlace(pattern, now) };
}

/**
 * After the clock was set back. A tick that was worked less than half a period before it comes again is not worked again; from
 * further back each tick comes again as the clock has it, or the job would stand still for as long as the clock was set back. That it
 * comes again stays so when the clock is set back a little once more.
 */
function setBack(pattern: Pattern, { worked, next }: Place, now: number): Place {
  const period = pattern.next(worked) - worked;
  const isJustWorked = next > worked && worked > now && worked - now <= period / 2;
  return { worked, next: pattern.next(isJustWorked ? worked : now), seenAt: now };
}

/** A run as far as it says whether a tick was worked. */
export interface PastRun {
  readonly startedAt: number;
  /** Why it ended before its work was done; null where it did all of it, undefined while nothing is known of its end. */
  readonly fault: RunFault | null | undefined;
}

/**
 * Whether the newest tick before now was missed while nobody was there: no whole run since, and the service was there before it. A
 * run or a beginning that lies ahead of now is of a clock that was: by it nothing would be made up until then.
 */
export function isMissed(
  pattern: Pattern,
  {
    began,
    runs,
    now,
  }: { readonly began: number | undefined; readonly runs: readonly PastRun[]; readonly now: number },
): boolean {
  const tick = pattern.newest(now);
  const last = runs.find(({ fault }) => fault === null)?.startedAt;
  return [last, began].every((at) => at === undefined || at > now || at < tick);
}

const FIRST_REST_MS = 60_000;

const LONGEST_REST_MS = 60 * 60_000;

/**
 * Until when the schedule leaves a job alone whose last runs threw or took the process with them: a minute, and four times as long
 * with each further one, at most an hour. Else a job that ends its process would end every process after it. `runs` are the newest
 * first; undefined where it may run.
 */
export function restsUntil(runs: readonly PastRun[], now: number): number | undefined {
  const whole = runs.findIndex(({ fault }) => fault !== "error" && fault !== "cut_off");
  const broken = whole < 0 ? runs.length : whole;
  const [last] = runs;
  if (broken === 0 || last === undefined || last.startedAt > now) return undefined;
  const until = last.startedAt + Math.min(FIRST_REST_MS * 4 ** (broken - 1), LONGEST_REST_MS);
  return until > now ? until : undefined;
}
