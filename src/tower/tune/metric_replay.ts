/** What the flow rules would have raised on a metric's stored days: the flow test, and percent-drop where it is silent. Pure. */
import {
  evaluatePercentDrop,
  type FlowPreview,
  type FlowSeries,
  type NotTestedReason,
  previewFlow,
  previewSentence,
  type RaisedDay,
} from "../../flow/mod.ts";
import { expectedText } from "../../lib/number_text.ts";
import { addDays, daysBetween, type UtcDay } from "../../lib/utc_day.ts";
import { type FlowRuleId, type FlowThresholds, flowRuleId, PERCENT_DROP, RULES } from "../../rules/mod.ts";
import { NOT_TESTED_WORDS } from "../component/not_tested.ts";
import { countOf, formatDecimal, formatNarrow, formatRatio } from "../format.ts";
import { changeWords, type ThresholdChange } from "./proposal.ts";
import { raisedDays, type Sides, type Trial } from "./replay.ts";

/** Days that are replayed. */
export const REPLAYED_DAYS = 90;

/** The days with a flag of any of the three rules, and the tests of the flow rule. */
export interface MetricReplay extends FlowPreview {
  readonly raised: readonly (RaisedDay & { readonly rule: FlowRuleId })[];
}

/** Replays the days that end on `to`. Every reading is judged anew, so each day that fires is a flag. */
export function replayMetric(series: FlowSeries, thresholds: FlowThresholds, to: UtcDay): MetricReplay {
  const preview = previewFlow(series, thresholds, addDays(to, 1 - REPLAYED_DAYS), to);
  const flow = preview.raised.map((raised) => ({ ...raised, rule: flowRuleId(raised.direction) }));
  const flagged = new Set(flow.map(({ day }) => day));
  const days = Array.from({ length: daysBetween(preview.from, to) + 1 }, (_, back) => addDays(to, -back));
  const drops = days
    .filter((day) => !flagged.has(day))
    .flatMap((day) => {
      const drop = evaluatePercentDrop(series, day, thresholds);
      if (drop.outcome !== "tested" || !drop.fires) return [];
      const { observed, expected } = drop;
      const seen = { count: observed.count, expected, windowDays: 7 };
      return [{ day, direction: "drop", rule: PERCENT_DROP, ...seen } as const];
    });
  return { ...preview, raised: [...flow, ...drops] };
}

/** Both replays, and the sentence on them. */
export function metricTrial(sides: Sides<MetricReplay>, changes: readonly ThresholdChange[]): Trial {
  const { inEffect, proposed = inEffect } = sides;
  const hasProposal = sides.proposed !== undefined;
  const days = raisedDays(flagsByDay(inEffect), flagsByDay(proposed));
  const sentence = previewSentence(changeWords(changes), proposed, inEffect);
  return {
    history: {
      heading: "On the stored days",
      from: inEffect.from,
      to: inEffect.to,
      note: "as they are stored today",
      columns: ["Figure", "In effect", ...(hasProposal ? ["Proposed"] : [])],
      figures: FIGURES.map(([words, figure]) => [
        words,
        figure(inEffect),
        ...(hasProposal ? [figure(proposed)] : []),
      ]),
      remark: notTestedWords(proposed),
      lists: [
        {
          heading: "Days with a flag",
          note: "what was seen and what was expected, newest first; each reading is judged anew",
          day: "Day",
          days,
          nothing: "no flag",
        },
      ],
      hasProposal,
    },
    sentences: [changes.length === 0 ? sentence.replace(", as now.", ".") : sentence],
  };
}

const FIGURES: readonly (readonly [words: string, figure: (replay: MetricReplay) => string])[] = [
  ["Flags", ({ raised }) => formatDecimal(raised.length)],
  ["Flags expected by chance", ({ expectedByChance }) => formatRatio(expectedByChance)],
  ["Days tested", ({ tests }) => formatDecimal(tests)],
  [
    "Days not tested",
    ({ notTested }) => formatDecimal(Object.values(notTested).reduce((sum, days) => sum + days, 0)),
  ],
];

function notTestedWords({ notTested }: MetricReplay): string {
  const reasons = Object.entries(notTested) as [NotTestedReason, number][];
  if (reasons.length === 0) return "Every day was tested.";
  return `Not tested: ${reasons.map(([reason, days]) => `${countOf(days, "day")}, ${NOT_TESTED_WORDS[reason]}`).join("; ")}.`;
}

function flagsByDay({ raised }: MetricReplay): ReadonlyMap<UtcDay, string> {
  return new Map(
    raised.map(({ day, rule, count, expected, windowDays }) => {
      const seen = `${formatNarrow(count)} seen, ${expectedText(expected)} expected`;
      return [day, `${RULES[rule].short}: ${seen} in ${countOf(windowDays, "day")}`];
    }),
  );
}
