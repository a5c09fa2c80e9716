/** Every threshold that rules read from the constants document, with its key, default, bounds and words; and the days that no rule compares. */

import { daysBetween, parseUtcDay, startOfDay, type UtcDay } from "../base/time.ts";

/**
 * Days that an operator marked, because they differ every time (Christmas, the end of a month, a sale every second Tuesday): no rule
 * compares them. Days are plain calendar dates: a report's own date, or the provider's. Pure.
 */

export const WEEKDAYS = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"] as const;

/** One `[[marked_days]]` table of the constants document: a day is marked when any of its patterns names it. */
export interface MarkedDays {
  readonly name: string;
  /** `MM-DD` each year, `YYYY-MM-DD` once. */
  readonly dates?: readonly string[];
  /** Days of each month; -1 is its last. A month without the day has none. */
  readonly month_days?: readonly number[];
  /** `2 Tue`, `last Fri`; a month without a fifth Monday has none. */
  readonly nth_weekdays?: readonly string[];
  /** Every so many weeks, from the first such weekday on or after `from`. */
  readonly every?: {
    readonly weekday: (typeof WEEKDAYS)[number];
    readonly weeks: number;
    readonly from: string;
  };
  /** All sites where absent. */
  readonly assets?: readonly string[];
}

/** The name of the first mark that names a day; undefined for an ordinary one. */
export function markOn(marks: readonly MarkedDays[], day: UtcDay): string | undefined {
  return marks.find((mark) => names(mark, day))?.name;
}

/** Days that a mark was asked about, by mark: each rule asks about the same months for every metric of every site. */
const asked = new WeakMap<MarkedDays, Map<UtcDay, boolean>>();
const MOST_ASKED = 4_096;

function names(mark: MarkedDays, day: UtcDay): boolean {
  const days = asked.get(mark) ?? new Map<UtcDay, boolean>();
  const known = days.get(day);
  if (known !== undefined) return known;
  if (days.size >= MOST_ASKED) days.clear();
  const isNamed = matches(mark, day);
  asked.set(mark, days.set(day, isNamed));
  return isNamed;
}

function matches({ dates, month_days, nth_weekdays, every }: MarkedDays, day: UtcDay): boolean {
  if (dates?.some((date) => date === day || date === day.slice(5)) === true) return true;
  const date = Number(day.slice(8));
  const fromEnd = date - daysInMonth(day) - 1;
  if (month_days?.some((one) => one === date || one === fromEnd) === true) return true;
  const weekday = WEEKDAYS[new Date(startOfDay(day)).getUTCDay()] ?? "";
  const isNth = (one: string) =>
    one === `${Math.ceil(date / 7)} ${weekday}` || (fromEnd >= -7 && one === `last ${weekday}`);
  if (nth_weekdays?.some(isNth) === true) return true;
  const from = every === undefined ? undefined : parseUtcDay(every.from);
  if (every === undefined || from === undefined || every.weekday !== weekday || day < from) return false;
  return Math.floor(daysBetween(from, day) / 7) % every.weeks === 0;
}

function daysInMonth(day: UtcDay): number {
  return new Date(Date.UTC(Number(day.slice(0, 4)), Number(day.slice(5, 7)), 0)).getUTCDate();
}

/** Whether a text is a date that comes: `MM-DD` or `YYYY-MM-DD`. 29 February comes in leap years. */
export function isMarkedDate(text: string): boolean {
  return parseUtcDay(text.length === 5 ? `2000-${text}` : text) !== undefined;
}

/** A threshold's value. */
export type ThresholdValue = number | "measured";

/** Which numbers are taken. */
interface Bounds {
  /** The smallest, itself taken … */
  readonly least?: number;
  /** … or the number that every one must lie above. */
  readonly above?: number;
  /** The largest, itself taken. */
  readonly most: number;
  readonly whole?: true;
}

/** A key that holds a number, or one that may also say "measured". */
export interface Threshold<V extends ThresholdValue = ThresholdValue> {
  /** What holds where the document says nothing. */
  readonly default: V;
  readonly bounds: Bounds;
  /** Whether the word "measured" is taken beside numbers. */
  readonly mayBeMeasured?: boolean;
  /** A smaller number is taken, and read as this. */
  readonly readAtLeast?: number;
}

/** One that a form asks for, to tune it for a site or metric. */
interface TunableThreshold<V extends ThresholdValue = ThresholdValue> extends Threshold<V> {
  readonly label: string;
  /** What the values are counted in, or what else is to be known. */
  readonly note: string;
}

/** Why a value is refused: what it must be. */
export function mustBe({ bounds, mayBeMeasured }: Threshold): string {
  const { least, above, most, whole } = bounds;
  const number = whole === true ? "whole number" : "number";
  const range =
    above === undefined
      ? `from ${plain(least ?? 0)} to ${plain(most)}`
      : `above ${plain(above)} and at most ${plain(most)}`;
  return `must be ${mayBeMeasured === true ? '"measured" or ' : ""}a ${number} ${range}`;
}

/** Whether a number lies within the bounds. */
export function isWithin({ least, above, most, whole }: Bounds, value: number): boolean {
  if (whole === true && !Number.isInteger(value)) return false;
  return value <= most && (above === undefined ? value >= (least ?? 0) : value > above);
}

/** A value as rules read it. */
export function asRead<V extends ThresholdValue>({ readAtLeast }: Threshold, value: V): V | number {
  return typeof value === "number" && readAtLeast !== undefined ? Math.max(readAtLeast, value) : value;
}

const decimal = new Intl.NumberFormat("en", { useGrouping: false, maximumFractionDigits: 20 });

/** Written out, however small. */
function plain(value: number): string {
  return decimal.format(value);
}

/** Thresholds of the five codebase rules: `codebase_rules`. */
const codebase_rules = {
  growth_percent: {
    default: 25,
    bounds: { least: 0, most: 10_000 },
    label: "Code grew at least",
    note: "percent in a month",
  },
  growth_lines: {
    default: 500,
    bounds: { least: 0, most: 1_000_000_000, whole: true },
    label: "and by at least",
    note: "lines",
  },
  duplication_percent: {
    default: 8,
    bounds: { least: 0, most: 100 },
    label: "Repeated code at least",
    note: "percent",
  },
  unused_items: {
    default: 10,
    bounds: { least: 0, most: 1_000_000_000, whole: true },
    label: "Unused files plus packages at least",
    note: "items",
  },
  complex_functions: {
    default: 5,
    bounds: { least: 0, most: 1_000_000_000, whole: true },
    label: "More hard-to-change functions, at least",
    note: "functions in a month, each of a complexity above 15",
  },
  vulnerable: {
    default: 1,
    bounds: { least: -1_000_000_000, most: 1_000_000_000 },
    // Spec, Codebase rules 1: a threshold below 1 is read as 1.
    readAtLeast: 1,
    label: "Vulnerable packages at least",
    note: "packages; below 1 is read as 1",
  },
} satisfies Readonly<Record<string, TunableThreshold<number>>>;

const dispersion: TunableThreshold<ThresholdValue> = {
  default: "measured",
  bounds: { least: 1, most: 100 },
  mayBeMeasured: true,
  label: "Dispersion",
  note: "measured, or variance divided by mean, 1 to 100",
};

/** Thresholds of the flow test: `flow_rules`. */
const flow_rules = {
  /** A flag needs a probability below this. */
  alpha: {
    default: 0.01,
    bounds: { least: 1e-12, most: 0.5 },
    label: "A flag needs a probability below",
    note: "a smaller one raises fewer flags",
  },
  /** Longest test window, in whole days. */
  max_window_days: {
    default: 14,
    bounds: { least: 1, most: 28, whole: true },
    label: "Longest window",
    note: "whole days, 1 to 28; no window of a test is longer",
  },
  /** Variance divided by mean; or the metric's own, measured. 1 is the specification to the letter. */
  dispersion,
  /** Least lasting change that counts: how far the smaller of two four-week levels lies below the larger. */
  lasting_percent: {
    default: 5,
    bounds: { above: 0, most: 100 },
    label: "Lasting change: more than",
    note: "percent between one four weeks and the next; 100 is off",
  },
} satisfies Readonly<Record<string, TunableThreshold>>;

/** Thresholds of percent-drop: `flow_rules.percent_drop`. */
const percent_drop = {
  /** Least fall that counts, in percent of the mean of four earlier weeks. */
  percent: {
    default: 40,
    bounds: { above: 0, most: 100 },
    label: "Percent drop: at least",
    note: "percent down",
  },
  /** Least events in the mean earlier week. */
  minimum_count: {
    default: 350,
    bounds: { least: 0, most: 1_000_000_000, whole: true },
    label: "Percent drop: needs at least",
    note: "events in the mean earlier week",
  },
} satisfies Readonly<Record<string, TunableThreshold<number>>>;

/** Thresholds of stale-ingest: `freshness`. */
const freshness = {
  silent_hours: {
    default: 26,
    bounds: { above: 0, most: 8_760 },
  },
} satisfies Readonly<Record<string, Threshold<number>>>;

/** All of them, by the table of the document that holds them. */
export const THRESHOLDS = { codebase_rules, flow_rules, percent_drop, freshness } as const;

/** A table of the constants document that holds thresholds. */
export type ThresholdTable = keyof typeof THRESHOLDS;

/** The keys of a table. */
export type ThresholdKey<T extends ThresholdTable> = keyof (typeof THRESHOLDS)[T] & string;

/** The values of a table. */
type ThresholdsOf<T extends ThresholdTable> = {
  readonly [K in ThresholdKey<T>]: (typeof THRESHOLDS)[T][K] extends Threshold<infer V> ? V : never;
};

/** The thresholds of the five codebase rules for one site. */
export type CodebaseThresholds = ThresholdsOf<"codebase_rules">;

/** The thresholds of the flow rules for one metric. */
export type FlowThresholds = ThresholdsOf<"flow_rules"> & {
  readonly percent_drop: ThresholdsOf<"percent_drop">;
  /** Whether more is worse (errors, refunds), so that a rise warns and a drop informs. */
  readonly negative: boolean;
  /** The days of its site that no rule compares. */
  readonly marked_days: readonly MarkedDays[];
};

/** What holds in a table where the document says nothing. */
export function defaultsOf<T extends ThresholdTable>(table: T): ThresholdsOf<T> {
  return Object.fromEntries(
    Object.entries<Threshold>(THRESHOLDS[table]).map(([key, threshold]) => [key, threshold.default]),
  ) as ThresholdsOf<T>;
}
