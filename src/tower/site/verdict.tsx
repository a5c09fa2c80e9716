/** What the flow rules say of a metric, as words and figures for a page, and what they expect of the days of its chart. Pure. */

import { countText } from "../../base/text.ts";
import { addDays, dayNumber, daysBetween, type UtcDay, utcDayOf } from "../../base/time.ts";
import { SERIES_SOURCES } from "../../flags/flags.ts";
import { daysMoved } from "../../reports/nights.ts";
import { type ExpectedRange, evaluateFlow, expectedRange } from "../../rules/flow.ts";
import type { MetricVerdict } from "../../rules/flow_inputs.ts";
import { type FlowSeries, findFlowSeries } from "../../rules/flow_series.ts";
import { isFreshnessMetric } from "../../rules/freshness.ts";
import type { PercentDropVerdict } from "../../rules/percent_drop.ts";
import { HISTORY_DAYS } from "../../rules/report_rules.ts";
import { failedMessage, notTestedMessage, type TestedFlow } from "../../rules/verdict.ts";
import { listVerdicts, type StoredVerdict } from "../../rules/verdicts.ts";
import { flowThresholds } from "../../sites/constants_store.ts";
import { SENT, STALE_INGEST } from "../../sites/rule_catalogue.ts";
import type { FlowThresholds } from "../../sites/thresholds.ts";
import type { Db } from "../../store/store.ts";
import type { PageGround } from "../ground.ts";
import { NOT_TESTED_WORDS } from "../kit/links.tsx";
import { type LaneKey, laneKey } from "./lanes.ts";
import type { SentFigures } from "./latest_nightly.tsx";
import { type Lane, lanesOf, type SiteDays } from "./site_days.tsx";

/** What the newest verdict on a metric says; one that was not tested says why, as a sentence. */
type VerdictWords =
  | {
      readonly state: "tested";
      readonly day: UtcDay;
      /** Why there is a flag or none. */
      readonly words: string;
      readonly flow: TestedFlow;
    }
  | { readonly state: "not_tested"; readonly words: string };

/** What is known of a metric when its verdict is put into words. */
interface Judged {
  /** Whether another rule judges the metric: the freshness of a site, on the service's own asset. */
  readonly judgedElsewhere: boolean;
  /** The metric in the latest report; undefined where that report does not have it. */
  readonly figures: { readonly last24h?: number | undefined } | undefined;
  readonly stored: StoredVerdict | undefined;
}

/** The verdict in words. Every metric has one: what was not looked at says so. */
export function verdictWords({ judgedElsewhere, figures, stored }: Judged): VerdictWords {
  if (judgedElsewhere) return notTested(`Not tested: ${STALE_INGEST} judges this metric.`);
  if (figures === undefined) return notTested("Not tested: the latest report does not have it.");
  if (figures.last24h === undefined) return notTested("Not tested: the latest report has no last24h of it.");
  if (stored === undefined) return notTested("Not tested yet: the rules follow within a second of a report.");
  return storedWords(stored);
}

/** What the rules last said of a provider's figure; they follow each day that settles. */
function signalWords(stored: StoredVerdict | undefined): VerdictWords {
  if (stored === undefined) return notTested("Not tested yet: the rules follow a day that settles.");
  return storedWords(stored);
}

function storedWords(stored: StoredVerdict): VerdictWords {
  const { flow } = stored.verdict;
  if (flow.outcome === "tested") return { state: "tested", day: flow.day, words: outcomeWords(flow), flow };
  const sentence = notTestedMessage(flow);
  return notTested(sentence.startsWith("Not tested") ? sentence : `Not tested. ${sentence}`);
}

const notTested = (words: string): VerdictWords => ({ state: "not_tested", words });

function outcomeWords({ second, fires }: TestedFlow): string {
  if (fires === "drop") return "Fewer than expected: flag raised";
  if (fires === "rise") return "More than expected: flag raised";
  return second.state === "not_needed" ? "As expected" : "No flag: the second condition takes it away";
}

/** The verdict of percent-drop as one sentence. */
export function percentDropWords(verdict: PercentDropVerdict): string {
  if (verdict.outcome === "tested") {
    const { dropPercent, percent, observed, expected } = verdict;
    const change = dropPercent < 0 ? "above" : "below";
    const size = countText(Math.abs(Math.round(dropPercent * 10) / 10));
    return `${countText(observed.count)} in 7 days, ${size}% ${change} the mean ${countText(expected)} of four earlier weeks; the rule fires at ${countText(percent)}% below.`;
  }
  switch (verdict.reason) {
    case "below_minimum_count":
      return `Not tested: ${countText(verdict.expected ?? 0)} a week is below its minimum count.`;
    case "failed":
      return failedMessage(verdict);
    default:
      return `Not tested: ${NOT_TESTED_WORDS[verdict.reason]}.`;
  }
}

/** How one figure was judged. */
export interface FigureTest {
  readonly words: VerdictWords;
  /** The stored verdict whole, for the page of one metric. */
  readonly judged: MetricVerdict | undefined;
}

/** The verdict of each of these figures. */
export function readTests(
  db: Db,
  site: Pick<SiteDays, "asset" | "offset" | "groups">,
  of: { readonly figures: SentFigures; readonly isService: boolean },
): ReadonlyMap<LaneKey, FigureTest> {
  const { asset, offset } = site;
  const lanes = lanesOf(site);
  const stored = new Map(
    SERIES_SOURCES.flatMap((source) => {
      const metrics = lanes.filter(({ half }) => half === source).map(({ metric }) => metric);
      return metrics.length === 0 ? [] : listVerdicts(db, asset, { source, metrics });
    }).map((found) => [
      laneKey(found.source as Lane["half"], found.metric),
      { ...found, verdict: daysMoved(found.verdict, found.source === SENT ? offset : 0) },
    ]),
  );
  return new Map(
    lanes.map(({ key, half, metric }): [LaneKey, FigureTest] => {
      const found: StoredVerdict | undefined = stored.get(key);
      const words =
        half === SENT
          ? verdictWords({
              judgedElsewhere: of.isService && isFreshnessMetric(metric),
              figures: Object.hasOwn(of.figures, metric) ? of.figures[metric] : undefined,
              stored: found,
            })
          : signalWords(found);
      return [key, { words, judged: found?.verdict }];
    }),
  );
}

// What the flow rule expects of the days of a chart, and what it says of one: asked of the rule itself, on the days as they are stored.

export type JudgedDays = NonNullable<ReturnType<typeof readJudged>>;

/** The counts of a chart's days as the rule in force judges them; of what is no count, and of the code, there is nothing to expect. */
export function readJudged(
  { db, constants }: PageGround,
  { half: source, metric, unit, days: all }: Pick<Lane, "half" | "metric" | "unit" | "days">,
  { asset, offset: sentOffset }: Pick<SiteDays, "asset" | "offset">,
  now: number,
) {
  if (unit !== "count") return undefined;
  const days = all.filter(({ state }) => state !== "none").map(({ day }) => day);
  const [first] = days;
  if (first === undefined) return undefined;
  const offset = source === SENT ? sentOffset : 0;
  const reach = daysBetween(first, utcDayOf(now)) + HISTORY_DAYS;
  const series = findFlowSeries(db, { asset, source, metric }, now, reach);
  if (series === undefined) return undefined;
  const thresholds = flowThresholds(constants.current().constants, asset, source, metric);
  const rule = JSON.stringify([thresholds, series.steps]);
  const ranges = new Map<UtcDay, ExpectedRange>();
  for (const day of days) {
    const range = rangeOf(series, addDays(day, -offset), thresholds, rule);
    if (range !== undefined) ranges.set(day, range);
  }
  return {
    ranges,
    /** What the rule says of a day, by the days that pages show. */
    verdictOf: (day: UtcDay) => daysMoved(evaluateFlow(series, addDays(day, -offset), thresholds), offset),
  };
}

/** So many ranges are kept: those of a page of charts that is looked at again and again. */
const MOST_KEPT = 20_000;
const kept = new Map<number | bigint, ExpectedRange | null>();

/** A range takes a tenth of a millisecond; it is kept by the very days it is made of, and the rule, so that it is never an old one. */
function rangeOf(
  { firstDay, counts, states, ...rest }: FlowSeries,
  day: UtcDay,
  thresholds: FlowThresholds,
  rule: string,
): ExpectedRange | undefined {
  const end = dayNumber(day) - firstDay;
  const from = Math.max(0, end - HISTORY_DAYS);
  const before = {
    ...rest,
    firstDay: firstDay + from,
    counts: counts.slice(from, end + 1),
    states: states.slice(from, end + 1),
  };
  const last = before.counts.length - 1;
  if (last < 0) return undefined;
  // Of the day itself no count is read.
  before.counts[last] = 0;
  const key = [before.counts, before.states, `${day} ${rule}`].reduce<bigint>(
    (seed, part) => Bun.hash.xxHash64(part, seed),
    0n,
  );
  const known = kept.get(key);
  if (known !== undefined) return known ?? undefined;
  const range = expectedRange(before, day, thresholds);
  if (kept.size >= MOST_KEPT) kept.clear();
  kept.set(key, range ?? null);
  return range;
}
