/** What a day of a series can say. */

/** `excluded` is a day that a reporting-timezone change distorted, or that is otherwise known not to count. */
export type SeriesState = "missing" | "final" | "provisional" | "excluded";

/** State codes, by place: as they are stored, and as arrays of days hold them. */
export const SERIES_STATES = ["missing", "final", "provisional", "excluded"] as const;

export const MISSING = 0;
export const FINAL = 1;
export const PROVISIONAL = 2;
export const EXCLUDED = 3;

/** Who says so: the source told it, or left the day out of an answer in which a day left out is a true zero. */
export type SeriesBasis = "reported" | "omitted";

/** What a series holds of one day. Absent stays absent: a value that is null is never 0. */
export interface DayValue {
  readonly state: SeriesState;
  /** Null where nothing was said of the day. */
  readonly basis: SeriesBasis | null;
  readonly value: number | null;
  /** The running total that was told beside it. */
  readonly total: number | null;
}

/** One day of a series put in place, or taken away where `to` is undefined. Days are whole days since 1970-01-01. */
export interface DayChange {
  readonly day: number;
  readonly to: DayValue | undefined;
}

/** Which series: who gave the figures of what about which site. */
export interface SeriesKey {
  readonly asset: string;
  readonly source: string;
  readonly metric: string;
}

/** Days of a series without gaps. */
export interface Stretch {
  /** Day number of the first element. */
  readonly firstDay: number;
  /** By day; read only where the state says that there is a value. */
  readonly values: Float64Array;
  /** State codes by day. */
  readonly states: Uint8Array;
  /** The running totals by day; NaN where none was told. */
  readonly totals: Float64Array;
  /** The last day of which anything was told; before the first element where none is. */
  readonly lastDay: number;
}
