/**
 * Codebase reports: one measurement of a repository at one commit, kept as revisions of its UTC day, compared with the report
 * a month before, and judged by five rules in the transaction that stores it. An absent measure is unmeasured, never 0.
 */
export { findComparison } from "./accept.ts";
export { COMPARISON_SPAN, comparisonFor } from "./comparison.ts";
export type { CodebaseReport } from "./contract.ts";
export type {
  ComplexFunction,
  Duplicate,
  FindingsDifference,
  ListDifference,
  ToolsOfBoth,
  Unused,
} from "./difference.ts";
export type { Detail, Figure, PassCount, Remark } from "./figures.ts";
export { bodyFaults, CODEBASE, PACKABLE_CODEBASE_REPORTS, revisionFaults } from "./kind.ts";
export { type LastReport, listLastReports, listLatestMeasures } from "./latest_store.ts";
export { MEASURE_KEYS, type Measures, type UnitClass } from "./measures.ts";
export { codebaseReads, LIST_CODEBASE_REPORTS } from "./read_routes.ts";
export type { MeasureReading } from "./reading.ts";
export { codebaseIngest, SEND_CODEBASE_REPORT } from "./routes.ts";
export { judgeCodebase } from "./rules.ts";
export { RANGES, type RangeName, type SeriesPoint } from "./series.ts";
export {
  findLatest,
  findReport,
  findReportBody,
  findSentReport,
  hasCodebaseReport,
  listReports,
  type StoredReport,
} from "./store.ts";
export { TOOLS_UPDATED, type ToolChange } from "./tools.ts";
export {
  type CodebaseFindings,
  type CodebaseView,
  codebaseTracks,
  codebaseView,
  type Dismissal,
  type FindingList,
  type ReportView,
  reportView,
  type Track,
  type ViewFlag,
} from "./view.ts";
export { type VisitorsMeasured, visitorDays, visitorsChange, WINDOW_DAYS } from "./visitors.ts";
