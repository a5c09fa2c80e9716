import { Cron } from "croner";

/** The ticks of a cron expression in UTC; all times are milliseconds since the epoch. */
export interface Pattern {
  /** The first tick after a moment. */
  next(after: number): number;
  /** The last tick up to a moment, which may be one itself. */
  newest(upTo: number): number;
}

/** Reads a cron expression of five or six fields. Throws where it is none, or never comes. */
export function patternOf(at: string): Pattern {
  const cron = new Cron(at, { timezone: "UTC", paused: true });
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
