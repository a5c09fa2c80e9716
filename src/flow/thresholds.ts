/** Thresholds of the flow rules for one metric, spelled as in the constants document (section `flow_rules`). */
export interface FlowThresholds {
  /** A flag needs a probability below this; above 0 and below 1. */
  readonly alpha: number;
  /** Longest test window, in whole days. */
  readonly max_window_days: number;
  /** Variance divided by mean, 1 or more; or the metric's own, measured. 1 is the specification to the letter. */
  readonly dispersion: number | "measured";
  readonly percent_drop: {
    /** Least fall that counts, in percent of the baseline. */
    readonly percent: number;
    /** Least events in the mean earlier week. */
    readonly minimum_count: number;
  };
  /** Whether more is worse (errors, refunds), so that a rise warns and a drop informs. */
  readonly negative: boolean;
}

/** What holds where the constants document says nothing else. */
export const DEFAULT_THRESHOLDS: FlowThresholds = {
  alpha: 0.01,
  max_window_days: 14,
  dispersion: "measured",
  percent_drop: { percent: 40, minimum_count: 350 },
  negative: false,
};
