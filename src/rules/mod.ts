/**
 * The rules that raise flags: what stands of each in the constants document, in forms, charts and lists. Below everything that
 * judges, keeps or shows, so that each of these facts stands once.
 */
export {
  ASSET_PULL_FAILED,
  CODEBASE_RULES,
  type CodebaseRuleId,
  DISK_SPACE,
  type Drawn,
  FLOW_RULES,
  type FlowRuleId,
  flowRaisedAs,
  flowRuleId,
  isCodebaseRule,
  isFlowRule,
  LASTING_RULES,
  type LastingRuleId,
  lastingRuleId,
  METRIC_RULES,
  MILESTONE_TOTAL,
  PERCENT_DROP,
  PROVIDER_ISSUE,
  type RaisedAs,
  RULES,
  type Rule,
  raisedTitle,
  ruleOf,
  rulesOfThing,
  SOURCE_SILENT,
  STALE_INGEST,
  titleFrom,
  WAL_SIZE,
} from "./catalogue.ts";
export { GLOSSARY, TERMS, type TermName } from "./glossary.ts";
export { INPUT_WORDS } from "./input_words.ts";
export { ISSUE_TYPES, issueTypeOf, issueTypesOf } from "./issue_types.ts";
export { isMarkedDate, type MarkedDays, markOn, WEEKDAYS } from "./marked_days.ts";
export { SENT, seriesName, sourceName } from "./series_name.ts";
export { asRead, isWithin, mustBe, type Threshold, type ThresholdValue } from "./threshold.ts";
export {
  type CodebaseThresholds,
  defaultsOf,
  type FlowThresholds,
  THRESHOLDS,
  type ThresholdKey,
  type ThresholdTable,
  thresholdAt,
} from "./thresholds.ts";
