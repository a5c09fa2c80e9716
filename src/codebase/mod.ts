/**
 * Codebase reports: one measurement of a repository at one commit, kept as revisions of its UTC day, compared with the report
 * a month before, and judged by five rules in the transaction that stores it. An absent measure is unmeasured, never 0.
 */
export { type AcceptedReport, acceptReport, findComparison } from "./accept.ts";
export { COMPARISON_SPAN, comparisonFor } from "./comparison.ts";
export type { CodebaseReport } from "./contract.ts";
export { MEASURE_KEYS, type MeasureKey, type Measures } from "./measures.ts";
export { codebaseReads } from "./read_routes.ts";
export { codebaseIngest } from "./routes.ts";
export { type CodebaseRuleId, judgeCodebase } from "./rules.ts";
export { type RangeName, rangeNamed } from "./series.ts";
export {
  findLatest,
  findSentReport,
  latestOfAll,
  listReports,
  listSentReports,
  type ReportFilter,
  revisionFaults,
  type SentReport,
  type StoredReport,
} from "./store.ts";
export { type CodebaseThresholds, DEFAULT_CODEBASE_THRESHOLDS } from "./thresholds.ts";
export { type CodebaseView, codebaseView, type ViewAlert } from "./view.ts";
