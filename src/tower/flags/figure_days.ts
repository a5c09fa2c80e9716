/** The days around what a flag judged of a provider's figure, each as it stands now: final, provisional, missing or excluded. */
import type { Db } from "../../db/mod.ts";
import type { FlagRow } from "../../flags/mod.ts";
import { findSignalSeries, newestFinalDay } from "../../flow/mod.ts";
import { dayNumber, dayOfNumber } from "../../lib/day_number.ts";
import { daysBetween, parseUtcDay, type UtcDay, utcDayOf } from "../../lib/utc_day.ts";
import { isProvider } from "../../provider/contract.ts";
import { SERIES_STATES, type SeriesState } from "../../series/contract.ts";

/** Days before the judged window: the eight weeks that the longest usual cohort reaches back, and two more for the eye. */
const DAYS_BEFORE = 70;
/** Days after it. */
const DAYS_AFTER = 14;
/** A flag is seldom opened later; what it judged then is no longer drawn. */
const OLDEST_DAYS = 1_200;

/** One day of the figure. */
export interface FigureDay {
  readonly day: UtcDay;
  readonly state: SeriesState;
  /** Null where nothing was told. */
  readonly value: number | null;
}

/** Days of a window, both ends included, with what they held when they were judged. */
export interface CountedDays {
  readonly from: UtcDay;
  readonly to: UtcDay;
  readonly count: number;
}

/** The figure around the judged window. */
export interface FigureDays {
  readonly days: readonly FigureDay[];
  readonly judged: CountedDays;
  /** The earlier windows that it was compared with. */
  readonly cohort: readonly CountedDays[];
  /** The mean of the four earlier windows, where the window is one day and so on the scale of the days. */
  readonly expected: number | undefined;
  /** The newest final day, wherever it lies. */
  readonly finalTo: UtcDay | undefined;
}

/** What is drawn of a flag of a provider's figure; undefined for every other flag. */
export function readFigureDays(db: Db, row: FlagRow, now: number): FigureDays | undefined {
  const { asset, source, metric, rule_inputs: inputs } = row;
  const judged = windowAt(inputs?.["observed"]);
  if (!isProvider(source) || metric === null || judged === undefined) return undefined;
  const age = daysBetween(judged.to, utcDayOf(now));
  if (age < -1 || age > OLDEST_DAYS) return undefined;
  const series = findSignalSeries(db, { asset, source, metric }, now, age + DAYS_BEFORE + DAYS_AFTER);
  if (series === undefined || series.states.length === 0) return undefined;
  const last = series.firstDay + series.states.length - 1;
  const from = Math.max(dayNumber(judged.from) - DAYS_BEFORE, series.firstDay);
  const to = Math.min(dayNumber(judged.to) + DAYS_AFTER, last);
  // Where the level moved among the windows their mean is none that the figure ever had, and no line is drawn of it.
  const expected = inputs?.["moved"] === undefined ? inputs?.["expected"] : undefined;
  const earlier = inputs?.["cohort"];
  const days = Array.from({ length: Math.max(0, to - from + 1) }, (_, place): FigureDay => {
    const at = from + place - series.firstDay;
    const value = series.counts[at] ?? Number.NaN;
    const state = SERIES_STATES[series.states[at] ?? 0] ?? "missing";
    const isTold = state !== "missing" && !Number.isNaN(value);
    return { day: dayOfNumber(from + place), state, value: isTold ? value : null };
  });
  return {
    days,
    judged,
    cohort: Array.isArray(earlier) ? earlier.flatMap((window) => windowAt(window) ?? []) : [],
    expected: judged.from === judged.to && typeof expected === "number" ? expected : undefined,
    finalTo: newestFinalDay(series),
  };
}

function windowAt(value: unknown): CountedDays | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const { from, to, count } = value as Readonly<Record<"from" | "to" | "count", unknown>>;
  const [first, last] = [parseUtcDay(String(from)), parseUtcDay(String(to))];
  if (first === undefined || last === undefined || typeof count !== "number") return undefined;
  return { from: first, to: last, count };
}
