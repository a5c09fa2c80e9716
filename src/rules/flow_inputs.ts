/** What a raised flow flag records: its rule's inputs, spelled as rows of the service are (snake_case). */

import type { Tails } from "../base/statistics.ts";
import { countText, countWords } from "../base/text.ts";
import { dayNumber, dayOfNumber, dayText, type UtcDay } from "../base/time.ts";
import type { RuleInputs, SeriesSource } from "../flags/flags.ts";
import type { JudgedRule, Verdict } from "../flags/reconcile.ts";
import {
  FLOW_DROP,
  FLOW_RISE,
  FLOW_RULES,
  type FlowRuleId,
  flowRaisedAs,
  flowRuleId,
  LASTING_RULES,
  type LastingRuleId,
  lastingRuleId,
  PERCENT_DROP,
  type RaisedAs,
} from "../sites/rule_catalogue.ts";
import type { FlowThresholds } from "../sites/thresholds.ts";
import type { Dispersion } from "./dispersion.ts";
import { evaluateFlow } from "./flow.ts";
import type { FlowSeries } from "./flow_series.ts";
import { evaluateLasting, type LastingVerdict, RAISED_BEYOND, type TestedLasting } from "./lasting.ts";
import { evaluatePercentDrop, type PercentDropVerdict, type TestedPercentDrop } from "./percent_drop.ts";
import {
  type CohortWindow,
  type CountedWindow,
  type Direction,
  type FlowVerdict,
  type Level,
  type MovedLevel,
  type NotTestedReason,
  type PlainLevel,
  type SecondCondition,
  type TestedFlow,
  usualOf,
  type WeekdayShares,
  type WindowTest,
} from "./verdict.ts";

/**
 * The inputs of flow-drop and flow-rise: both windows and both conditions, enough to work the flag out again. What stands
 * outside of `second` is the specification's test at its own window.
 */
export function flowRuleInputs(verdict: TestedFlow) {
  const { dispersion } = verdict;
  const usual = usualOf(verdict);
  return {
    day: verdict.day,
    direction: verdict.fires,
    alpha: verdict.alpha,
    ...windowTestInputs(verdict),
    specification_window_days: verdict.windowDays,
    dispersion: dispersionInputs(dispersion),
    second: secondInputs(verdict.second),
    ...(usual !== verdict && {
      usual: { observed: windowInputs(usual.observed), expected: usual.expected },
    }),
    ...(verdict.moved !== undefined && { moved: movedInputs(verdict.moved) }),
  };
}

function dispersionInputs({ phi, basis, ratio, days, leftOut }: Dispersion) {
  return { phi, basis, ratio, days, left_out: leftOut };
}

function movedInputs({ since, level, before }: MovedLevel) {
  return { since, level, level_before: before };
}

/** The inputs of flow-decline and flow-growth. */
export function lastingInputs(verdict: TestedLasting) {
  const { day, trend, z, now, before, moved, yearAgo, dispersion, percent } = verdict;
  return {
    day,
    direction: trend,
    ...movedInputs(moved ?? { since: now.from, level: now.value, before: before.value }),
    since_known: moved !== null,
    observed: plainLevelInputs(now),
    earlier: plainLevelInputs(before),
    distance: z,
    needed: RAISED_BEYOND,
    year_ago:
      yearAgo === null
        ? null
        : {
            observed: plainLevelInputs(yearAgo.now),
            earlier: plainLevelInputs(yearAgo.before),
            level: yearAgo.expected,
            distance: yearAgo.beyond,
          },
    dispersion: dispersionInputs(dispersion),
    lasting_percent: percent,
  };
}

function windowTestInputs({ windowDays, expected, observed, cohort, poisson }: WindowTest) {
  return {
    window_days: windowDays,
    expected,
    observed: windowInputs(observed),
    cohort: cohort.map((window: CohortWindow) => ({
      ...windowInputs(window),
      stands_out: window.standsOut,
    })),
    poisson: tailInputs(poisson),
  };
}

function secondInputs(second: SecondCondition) {
  if (second.state !== "judged") return { state: second.state };
  return {
    state: second.state,
    basis: second.basis,
    ...windowTestInputs(second),
    mean: second.mean,
    variance_factor: second.varianceFactor,
    mid_p: tailInputs(second.tails),
    level: levelInputs(second.level),
    shares: sharesInputs(second.shares),
  };
}

function levelInputs(level: Level | null) {
  if (level === null) return null;
  return { ...plainLevelInputs(level), wander: level.wander };
}

function plainLevelInputs({ from, to, days, count, sharesSum, value }: PlainLevel) {
  return { from, to, days, events: count, shares_sum: sharesSum, value };
}

function sharesInputs(shares: WeekdayShares | null) {
  if (shares === null) return null;
  const { from, to, days, kept, noise, byWeekday } = shares;
  const [sunday, monday, tuesday, wednesday, thursday, friday, saturday] = byWeekday;
  const by_weekday = { sunday, monday, tuesday, wednesday, thursday, friday, saturday };
  return { from, to, days, kept, noise, by_weekday };
}

function tailInputs({ atMost, atLeast }: Tails) {
  return { at_most: atMost, at_least: atLeast };
}

/** The inputs of percent-drop. */
export function percentDropInputs(verdict: TestedPercentDrop) {
  return {
    day: verdict.day,
    observed: windowInputs(verdict.observed),
    cohort: verdict.cohort.map(windowInputs),
    expected: verdict.expected,
    drop_percent: verdict.dropPercent,
    percent: verdict.percent,
    minimum_count: verdict.minimumCount,
  };
}

function windowInputs(window: CountedWindow) {
  return { from: window.from, to: window.to, count: window.count };
}

/** Recorded inputs of a flow flag. */
export type FlowRuleInputs = ReturnType<typeof flowRuleInputs>;

/**
 * Flags expected by chance from a number of tests: each test looks at both tails, each at alpha, so two in a hundred at an
 * alpha of 0.01. A round figure and no bound: a tail of a small count is narrower than alpha, and where the expectation is
 * the mean of four counts of a thousand, 2.5 to 2.9 in a hundred were measured.
 */
export function flagsExpectedByChance(tests: number, alpha: number): number {
  return 2 * alpha * tests;
}

// Everything the flow rules say of one metric on its newest day: the flow test, and percent-drop beside it.

/** The verdict on one metric. */
export interface MetricVerdict {
  readonly flow: FlowVerdict;
  readonly percentDrop: PercentDropVerdict;
  /** Absent in verdicts of earlier releases, and of what is no count. */
  readonly lasting?: LastingVerdict;
}

/** Whose metric: the same name from another source is another series. */
export interface SeriesName {
  readonly source: SeriesSource;
  readonly metric: string;
}

/** What is said of a lasting change of a metric on one side. */
export interface LastingRule extends SeriesName, RaisedAs {
  readonly rule: LastingRuleId;
  readonly state: TestedLasting["state"];
  readonly inputs: RuleInputs;
}

const CLEAR: Verdict = { state: "clear" };
const NEXT_READING: Verdict = { state: "next_reading" };

/** Judges one metric on one day. It never throws: a rule that cannot be worked out is `not tested: failed` with its reason. */
export function evaluateMetric(series: FlowSeries, day: UtcDay, thresholds: FlowThresholds): MetricVerdict {
  return {
    flow: evaluateFlow(series, day, thresholds),
    percentDrop: evaluatePercentDrop(series, day, thresholds),
    lasting: evaluateLasting(series, day, thresholds),
  };
}

/** The part of a verdict that says what each rule found. */
const SPOKEN_IN: Readonly<Record<FlowRuleId, "flow" | "percentDrop">> = {
  [FLOW_DROP]: "flow",
  [FLOW_RISE]: "flow",
  [PERCENT_DROP]: "percentDrop",
};

/**
 * What the verdict means for the flags of the metric: a new reading first resolves whatever flow flag is open, then at most one
 * is raised, and percent-drop speaks only where the flow test does not. Those that clear come first, so that the flag before
 * is closed when the new one opens.
 */
export function judgedRules(
  name: SeriesName,
  verdict: MetricVerdict,
  thresholds: FlowThresholds,
): JudgedRule[] {
  const { source, metric } = name;
  const fired = firedRule(name, verdict, thresholds);
  const cleared = FLOW_RULES.filter((rule) => rule !== fired?.rule).map((rule) => ({
    rule,
    source,
    subject: metric,
    metric,
    verdict: verdict[SPOKEN_IN[rule]].outcome === "tested" ? CLEAR : NEXT_READING,
  }));
  return fired === undefined ? cleared : [...cleared, fired];
}

/**
 * What the verdict means for the flags of lasting change, of which each side has one of its own. `stays` leaves an open flag
 * open and raises none.
 */
export function lastingRules(
  { source, metric }: SeriesName,
  { lasting }: MetricVerdict,
  { negative }: FlowThresholds,
): LastingRule[] {
  if (lasting?.outcome !== "tested") return [];
  const inputs = lastingInputs(lasting);
  return LASTING_RULES.map((rule) => {
    const state = rule === lastingRuleId(lasting.trend) ? lasting.state : "over";
    return { rule, source, metric, state, inputs, ...flowRaisedAs(rule, negative) };
  });
}

function firedRule(
  { source, metric }: SeriesName,
  { flow, percentDrop }: MetricVerdict,
  thresholds: FlowThresholds,
): JudgedRule | undefined {
  const fires = (rule: FlowRuleId, inputs: RuleInputs): JudgedRule => {
    const raised = flowRaisedAs(rule, thresholds.negative);
    return {
      rule,
      source,
      subject: metric,
      metric,
      verdict: { state: "fires", ...raised, inputs },
    };
  };
  if (flow.outcome === "tested" && flow.fires !== null) {
    return fires(flowRuleId(flow.fires), flowRuleInputs(flow));
  }
  if (percentDrop.outcome === "tested" && percentDrop.fires) {
    return fires(PERCENT_DROP, percentDropInputs(percentDrop));
  }
  return undefined;
}

/** Flags that chance alone would raise in one judging: both tails of the flow test; percent-drop is no test of chance. */
export function expectedByChance({ flow }: MetricVerdict): number {
  return flow.outcome === "tested" ? flagsExpectedByChance(1, flow.alpha) : 0;
}

// What given thresholds would have raised on a stored history: the preview that is shown before a metric is tuned.

/** A day on which a flag would have been raised. */
interface RaisedDay extends Pick<TestedFlow, "day" | "expected" | "windowDays"> {
  readonly direction: Direction;
  readonly count: number;
}

type FlowPreview = ReturnType<typeof previewFlow>;

/** Replays every day from `from` to `to`, both included, each with what was before it. The days as they are stored now. */
export function previewFlow(series: FlowSeries, thresholds: FlowThresholds, from: UtcDay, to: UtcDay) {
  const last = dayNumber(to);
  const first = dayNumber(from);
  const raised: RaisedDay[] = [];
  /** Days that were not tested, by reason; an absent reason did not occur. */
  const notTested: Partial<Record<NotTestedReason, number>> = {};
  let tests = 0;
  for (let number = first; number <= last; number++) {
    const day = dayOfNumber(number);
    const verdict = evaluateFlow(series, day, thresholds);
    if (verdict.outcome === "not_tested") {
      notTested[verdict.reason] = (notTested[verdict.reason] ?? 0) + 1;
      continue;
    }
    tests++;
    const { fires, observed, expected, windowDays } = verdict;
    if (fires !== null) raised.push({ day, direction: fires, count: observed.count, expected, windowDays });
  }
  const expectedByChance = flagsExpectedByChance(tests, thresholds.alpha);
  return {
    from: dayOfNumber(first),
    to,
    raised: raised as readonly RaisedDay[],
    tests,
    notTested,
    expectedByChance,
  };
}

/** Flags of a span, of which their number is told. */
type Counted = Pick<FlowPreview, "from" | "to"> & { readonly raised: { readonly length: number } };

/** "With alpha 0.001 there would have been 2 flags in the 90 days to 18 Nov instead of 9." */
export function previewSentence(change: string, proposed: Counted, current: Counted): string {
  const days = dayNumber(proposed.to) - dayNumber(proposed.from) + 1;
  const flags = countWords(proposed.raised.length, "flag");
  const span = `${days === 1 ? "on" : `in the ${days} days to`} ${dayText(proposed.to)}`;
  const now =
    current.raised.length === proposed.raised.length
      ? ", as now"
      : ` instead of ${countText(current.raised.length)}`;
  return `With ${change} there would have been ${flags} ${span}${now}.`;
}
