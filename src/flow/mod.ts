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
export { FlowFollower } from "./follow.ts";
export { HISTORY_DAYS } from "./judge_series.ts";
export { failedMessage, judgedTail, notTestedMessage } from "./message.ts";
export type { MetricVerdict } from "./metric_verdict.ts";
export { evaluatePercentDrop, type PercentDropVerdict } from "./percent_drop.ts";
export { type FlowPreview, previewFlow, previewSentence, type RaisedDay } from "./preview.ts";
export { type FlowSeries, flowSeries, newestFinalDay } from "./series.ts";
export { findSignalSeries } from "./signal_series.ts";
export { type ChanceMark, chanceMarks, withinChance } from "./stands_out.ts";
export { sumTallies } from "./tally_store.ts";
export type { Direction, NotTestedReason, TestedFlow, WindowTest } from "./verdict.ts";
export { countOutcomes, listVerdicts, type StoredVerdict } from "./verdict_store.ts";
export { countText, probabilityText, weekdayText } from "./wording.ts";
