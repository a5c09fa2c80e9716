/** Every value that a day of a figure ever had: what was first seen, and what it became. */
import type { ToldFigure } from "./observation_store.ts";
import type { DayFigure } from "./observed.ts";

/** A value that a day had for a while. Times are milliseconds since the epoch. */
export interface DayRevision extends DayFigure {
  /** Counts from 1; that a day settles, or that a zero is told by leaving it out, is no revision of its value. */
  readonly revision: number;
  /** When this value was first told. */
  readonly firstAt: number;
  /** When it was last told anew: as another value, as settled, or as excluded. */
  readonly observedAt: number;
  /** The attempt that first told it. */
  readonly attempt: number;
  readonly property: string;
  /** '' where the provider does not tell it. */
  readonly timeZone: string;
}

/** The revisions that what was told of one figure of one day comes to, in the order in which it was told. Pure. */
export function revisionsIn(told: readonly ToldFigure[]): DayRevision[] {
  const revisions: DayRevision[] = [];
  for (const { to, observation } of told) {
    const { observedAt, attempt, target } = observation;
    const last = revisions.at(-1);
    const place = { property: target.property, timeZone: target.timeZone };
    if (last !== undefined && last.value === to.value) {
      revisions[revisions.length - 1] = { ...last, ...to, ...place, observedAt };
    } else {
      const revision = revisions.length + 1;
      revisions.push({ ...to, ...place, revision, firstAt: observedAt, observedAt, attempt });
    }
  }
  return revisions;
}
