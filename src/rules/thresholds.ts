/** Every threshold that rules read from the constants document: its key, default, bounds and words stand here alone. */
import type { MarkedDays } from "./marked_days.ts";
import type { Threshold, ThresholdValue, TunableThreshold } from "./threshold.ts";

/** Thresholds of the five codebase rules: `codebase_rules`. */
const codebase_rules = {
  growth_percent: {
    default: 25,
    bounds: { least: 0, most: 10_000 },
    unit: "percent",
    label: "Code grew at least",
    note: "percent in a month",
  },
  growth_lines: {
    default: 500,
    bounds: { least: 0, most: 1_000_000_000, whole: true },
    unit: "lines of code",
    label: "and by at least",
    note: "lines",
  },
  duplication_percent: {
    default: 8,
    bounds: { least: 0, most: 100 },
    unit: "percent",
    label: "Repeated code at least",
    note: "percent",
  },
  unused_items: {
    default: 10,
    bounds: { least: 0, most: 1_000_000_000, whole: true },
    unit: "items",
    label: "Unused files plus packages at least",
    note: "items",
  },
  complex_functions: {
    default: 5,
    bounds: { least: 0, most: 1_000_000_000, whole: true },
    unit: "functions",
    label: "More hard-to-change functions, at least",
    note: "functions in a month, each of a complexity above 15",
  },
  vulnerable: {
    default: 1,
    bounds: { least: -1_000_000_000, most: 1_000_000_000 },
    // Spec, Codebase rules 1: a threshold below 1 is read as 1.
    readAtLeast: 1,
    unit: "packages",
    label: "Vulnerable packages at least",
    note: "packages; below 1 is read as 1",
  },
} satisfies Readonly<Record<string, TunableThreshold<number>>>;

const dispersion: TunableThreshold<ThresholdValue> = {
  default: "measured",
  bounds: { least: 1, most: 100 },
  mayBeMeasured: true,
  unit: '"measured" or a number from 1 to 100',
  label: "Dispersion",
  note: "measured, or variance divided by mean, 1 to 100",
};

/** Thresholds of the flow test: `flow_rules`. */
const flow_rules = {
  /** A flag needs a probability below this. */
  alpha: {
    default: 0.01,
    bounds: { least: 1e-12, most: 0.5 },
    unit: "probability",
    label: "A flag needs a probability below",
    note: "a smaller one raises fewer flags",
  },
  /** Longest test window, in whole days. */
  max_window_days: {
    default: 14,
    bounds: { least: 1, most: 28, whole: true },
    unit: "whole days from 1 to 28",
    label: "Longest window",
    note: "whole days, 1 to 28; no window of a test is longer",
  },
  /** Variance divided by mean; or the metric's own, measured. 1 is the specification to the letter. */
  dispersion,
  /** Least lasting change that counts: how far the smaller of two four-week levels lies below the larger. */
  lasting_percent: {
    default: 5,
    bounds: { above: 0, most: 100 },
    unit: "percent between one four weeks and the next; 100 is off",
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
    unit: "percent down, at least",
    label: "Percent drop: at least",
    note: "percent down",
  },
  /** Least events in the mean earlier week. */
  minimum_count: {
    default: 350,
    bounds: { least: 0, most: 1_000_000_000, whole: true },
    unit: "events in the mean earlier week, at least",
    label: "Percent drop: needs at least",
    note: "events in the mean earlier week",
  },
} satisfies Readonly<Record<string, TunableThreshold<number>>>;

/** Thresholds of stale-ingest: `freshness`. */
const freshness = {
  silent_hours: {
    default: 26,
    bounds: { above: 0, most: 8_760 },
    unit: "hours",
  },
} satisfies Readonly<Record<string, Threshold<number>>>;

/** All of them, by the table of the document that holds them. */
export const THRESHOLDS = { codebase_rules, flow_rules, percent_drop, freshness } as const;

/** A table of the constants document that holds thresholds. */
export type ThresholdTable = keyof typeof THRESHOLDS;

/** The keys of a table. */
export type ThresholdKey<T extends ThresholdTable> = keyof (typeof THRESHOLDS)[T] & string;

/** The values of a table. */
export type ThresholdsOf<T extends ThresholdTable> = {
  readonly [K in ThresholdKey<T>]: (typeof THRESHOLDS)[T][K] extends Threshold<infer V> ? V : never;
};

/** One of them. */
export function thresholdAt<T extends ThresholdTable>(table: T, key: ThresholdKey<T>): Threshold {
  return (THRESHOLDS[table] as Readonly<Record<ThresholdKey<T>, Threshold>>)[key];
}

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
