import { seriesName, titleFrom } from "../rules/mod.ts";
import type { FlagRow } from "./contract.ts";

/**
 * What a flag says to a reader of today: its rule's words for the inputs it keeps, so that flags which earlier releases raised read
 * as those of this one. Where there are none it is what was stored, and what was stored stays as it is.
 */
export function titleOf(
  flag: Pick<FlagRow, "rule" | "source" | "metric" | "subject" | "message" | "rule_inputs">,
  now: number,
): string {
  const { rule, source, metric, subject, message, rule_inputs } = flag;
  return titleFrom(rule, seriesName(metric ?? subject, source), rule_inputs, now) ?? message;
}
