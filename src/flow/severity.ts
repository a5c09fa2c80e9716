import type { Direction } from "./verdict.ts";

/** Severity and kind of a raised flow flag: two separate fields (spec, Flag). */
export interface FlowSeverity {
  readonly severity: "warn" | "info";
  readonly kind: "anomaly" | "opportunity";
}

/** A drop warns and a rise informs; for a metric where more is worse it is the other way round. */
export function flowSeverity(direction: Direction, negative: boolean): FlowSeverity {
  return (direction === "drop") !== negative
    ? { severity: "warn", kind: "anomaly" }
    : { severity: "info", kind: "opportunity" };
}

/** Rule id of a fired verdict. */
export function flowRuleId(direction: Direction): "flow-drop" | "flow-rise" {
  return direction === "drop" ? "flow-drop" : "flow-rise";
}
