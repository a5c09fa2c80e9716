/**
 * Flow rules: whether a metric's daily count is one that its own cohort makes improbable (spec, Volume-aware flow
 * rules). Owns the test, its spread, its wording and its preview. The core is pure: data in, verdict out, and a
 * verdict on a day reads nothing after that day; `follow.ts` applies it to accepted reports.
 */
export {
  CALIBRATION_DAYS,
  type Calibration,
  type CalibrationSpan,
  calibrationOf,
  expectedByChance,
} from "./calibration.ts";
export { countSpreads, listSpreads, type SpreadRow } from "./calibration_store.ts";
export {
  DISPERSION_SPAN_DAYS,
  type Dispersion,
  type DispersionBasis,
  MIN_DISPERSION_DAYS,
  measureSpread,
  type Spread,
} from "./dispersion.ts";
export { flagsExpectedByChance } from "./expected_flags.ts";
export { FlowFollower, type FollowDeps } from "./follow.ts";
export { HISTORY_DAYS } from "./judge_report.ts";
export { currentVerdict } from "./landed_verdict.ts";
export {
  failedMessage,
  flowMessage,
  judgedTail,
  milestoneMessage,
  notTestedMessage,
  percentDropMessage,
} from "./message.ts";
export { judgeMetric, type MetricVerdict } from "./metric_verdict.ts";
export { milestonePassed } from "./milestone.ts";
export {
  evaluatePercentDrop,
  type NotTestedPercentDrop,
  type PercentDropVerdict,
  type TestedPercentDrop,
} from "./percent_drop.ts";
export { type FlowPreview, previewFlow, previewSentence, type RaisedDay } from "./preview.ts";
export { evaluateFlow } from "./rule.ts";
export { flowRuleInputs, percentDropInputs } from "./rule_inputs.ts";
export {
  EXCLUDED,
  FINAL,
  type FlowSeries,
  flowSeries,
  MAX_SERIES_DAYS,
  MISSING,
  newestFinalDay,
  PROVISIONAL,
  type Reading,
  type ReadingState,
} from "./series.ts";
export { sumTallies, type Tally } from "./tally_store.ts";
export type {
  BlockedFlow,
  CohortWindow,
  CountedWindow,
  Direction,
  FailedJudging,
  FlowVerdict,
  JudgedSecond,
  Level,
  NotTestedFlow,
  NotTestedReason,
  QuietFlow,
  SecondCondition,
  TestedFlow,
  WeekdayShares,
  WindowTest,
  YoungFlow,
} from "./verdict.ts";
export { countOutcomes, listVerdicts, type StoredVerdict } from "./verdict_store.ts";
export { countText, probabilityText, weekdayText } from "./wording.ts";
