/** A flag that a rule raises about `harbor`. */

import type { NewFlag } from "../../../src/flags/flags.ts";
import type { JudgedRule, Verdict } from "../../../src/flags/reconcile.ts";

export function newFlag(changes: Partial<NewFlag> = {}): NewFlag {
  return {
    asset: "harbor",
    rule: "codebase-growth",
    source: null,
    subject: "",
    origin: "rule",
    severity: "warn",
    kind: "anomaly",
    metric: null,
    message: "The code grew 30% in 30 days (1000 -> 1300 lines).",
    rule_inputs: { code_lines: 1_300 },
    ...changes,
  };
}

/** A verdict that raises a flag. */
export const FIRES: Verdict = {
  state: "fires",
  severity: "warn",
  kind: "anomaly",
  message: "It fired.",
  inputs: { n: 1 },
};
export const CLEAR: Verdict = { state: "clear" };

/** A rule with its verdict about a subject. */
export function judgedRule(rule: string, verdict: Verdict, subject = ""): JudgedRule {
  return { rule, source: null, subject, metric: null, verdict };
}
