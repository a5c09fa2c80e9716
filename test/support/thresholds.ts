/** What holds for every site as long as the constants document says nothing else. */

import { parseConstants } from "../../src/sites/constants_parse.ts";
import { DEFAULT_DOCUMENT } from "../../src/sites/constants_schema.ts";
import { codebaseThresholds, flowThresholds } from "../../src/sites/constants_store.ts";
import { SENT } from "../../src/sites/rule_catalogue.ts";
import type { CodebaseThresholds, FlowThresholds } from "../../src/sites/thresholds.ts";

const parsed = parseConstants(DEFAULT_DOCUMENT);
if (!parsed.ok) throw new Error("the default document is refused");

export const DEFAULT_CODEBASE_THRESHOLDS: CodebaseThresholds = codebaseThresholds(parsed.constants, "any");

/** What holds for every metric in which more is no worse, as long as the constants document says nothing else. */
export const DEFAULT_FLOW_THRESHOLDS: FlowThresholds = flowThresholds(parsed.constants, "any", SENT, "any");
