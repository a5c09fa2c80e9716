/** What holds for every site as long as the constants document says nothing else. */

import { type CodebaseThresholds, defaultsOf, type FlowThresholds } from "../../src/sites/thresholds.ts";

export const DEFAULT_CODEBASE_THRESHOLDS: CodebaseThresholds = defaultsOf("codebase_rules");

/** What holds for every metric in which more is no worse, as long as the constants document says nothing else. */
export const DEFAULT_FLOW_THRESHOLDS: FlowThresholds = {
  ...defaultsOf("flow_rules"),
  percent_drop: defaultsOf("percent_drop"),
  negative: false,
  marked_days: [],
};
