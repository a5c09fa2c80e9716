/** The days of one figure as charts, tables and files show them: a value with its state, a gap, or nothing. Pure. */
import type { UtcDay } from "../../lib/utc_day.ts";
import type { DayValue, SeriesBasis, SeriesState } from "../../series/mod.ts";

/** `none` is empty paper: before the first day of which anything was told, and after the last. */
export type FigureState = SeriesState | "none";

export interface FigureDay {
  readonly day: UtcDay;
  readonly state: FigureState;
  readonly basis: SeriesBasis | null;
  /** Null where there is no value, which is never 0. */
  readonly value: number | null;
}

/** Between which days a figure owes a value: a day of these of which nothing was told is missing. */
export interface Owed {
  readonly first: UtcDay | undefined;
  readonly last: UtcDay | undefined;
}

/** Every one of these days, in their order. What is missing before the first value or after the last is owed to nobody. */
export function figureDays(
  days: readonly UtcDay[],
  told: ReadonlyMap<UtcDay, Pick<DayValue, "state" | "basis" | "value">>,
  { first, last }: Owed,
): FigureDay[] {
  return days.map((day): FigureDay => {
    const said = told.get(day);
    if (said !== undefined) return { day, state: said.state, basis: said.basis, value: said.value };
    const owed = first !== undefined && last !== undefined && day > first && day <= last;
    return { day, state: owed ? "missing" : "none", basis: null, value: null };
  });
}

/** The newest day that has a value, final or not. */
export function lastValued(days: readonly FigureDay[]): FigureDay | undefined {
  return days.findLast(({ value }) => value !== null);
}

/** Which states are drawn of these figures. */
export function statesOf(figures: readonly (readonly FigureDay[])[]): ReadonlySet<FigureState> {
  return new Set(figures.flatMap((days) => days.map(({ state }) => state)));
}
