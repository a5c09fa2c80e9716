/** A stretch of days beside the one before it: only where both are equally long, complete and final. Pure. */
import type { FigureDay } from "./figures.ts";

/** What keeps two stretches from being compared, and on which day. */
export interface Obstacle {
  readonly reason: "missing" | "provisional" | "excluded" | "before_first" | "nothing_final" | "no_sum";
  /** The newest day that is in the way; undefined where no single day is. */
  readonly day: FigureDay["day"] | undefined;
}

export type Comparison =
  | {
      readonly outcome: "compared";
      readonly count: number;
      /** The last day of the later stretch. */
      readonly to: FigureDay["day"];
      readonly now: number;
      readonly before: number;
    }
  | ({ readonly outcome: "not_compared" } & Obstacle);

/**
 * Compares the last so many days that end with the newest final one with as many before them. `days` are without gaps, oldest first,
 * and reach back far enough for both; what lies before them was never told.
 */
export function compared(days: readonly FigureDay[], count: number): Comparison {
  const end = days.findLastIndex(({ state }) => state === "final");
  if (end === -1) return { outcome: "not_compared", reason: "nothing_final", day: undefined };
  const to = days[end]?.day;
  let [now, before] = [0, 0];
  for (let back = 0; back < 2 * count; back++) {
    const at = days[end - back];
    const reason = obstacleOf(at);
    if (reason !== undefined) return { outcome: "not_compared", reason, day: at?.day };
    if (back < count) now += at?.value ?? 0;
    else before += at?.value ?? 0;
  }
  if (to === undefined) return { outcome: "not_compared", reason: "nothing_final", day: undefined };
  return { outcome: "compared", count, to, now, before };
}

function obstacleOf(day: FigureDay | undefined): Obstacle["reason"] | undefined {
  if (day === undefined || day.state === "none") return "before_first";
  if (day.state === "final") return day.value === null ? "missing" : undefined;
  return day.state;
}

/** Least count of the earlier stretch that a change of it is said in percent of. */
const LEAST = 50;

/** The change in percent; undefined where the earlier stretch holds too little for one. */
export function changeOf({
  now,
  before,
}: {
  readonly now: number;
  readonly before: number;
}): number | undefined {
  return before < LEAST ? undefined : ((now - before) / before) * 100;
}
