/** What thresholds would have raised on a metric's stored days: the flow test, and percent-drop where it is silent. Pure. */

import {
  evaluatePercentDrop,
  type FlowPreview,
  type FlowSeries,
  previewFlow,
  previewSentence,
  type RaisedDay,
} from "../../flow/mod.ts";
import { addDays, daysBetween, type UtcDay } from "../../lib/utc_day.ts";
import { type FlowRuleId, type FlowThresholds, flowRuleId, PERCENT_DROP } from "../../rules/mod.ts";

/** Days a preview looks back over. */
export const PREVIEW_DAYS = 90;

/** A day on which a flag would have been raised, and by which rule. */
export interface PreviewFlag extends RaisedDay {
  readonly rule: FlowRuleId;
}

/** A preview whose flags are those of all three rules. */
export interface MetricPreview extends FlowPreview {
  readonly raised: readonly PreviewFlag[];
}

/** A day with a flag under one of two sets of thresholds. */
export interface PreviewDay {
  readonly day: UtcDay;
  readonly inEffect: PreviewFlag | undefined;
  readonly proposed: PreviewFlag | undefined;
}

/** Replays the days that end on `to`. Every reading is judged anew, so each day that fires is a flag. */
export function previewMetric(series: FlowSeries, thresholds: FlowThresholds, to: UtcDay): MetricPreview {
  const preview = previewFlow(series, thresholds, addDays(to, 1 - PREVIEW_DAYS), to);
  const flow = new Map(preview.raised.map((raised) => [raised.day, raised]));
  const raised: PreviewFlag[] = [];
  for (let back = daysBetween(preview.from, to); back >= 0; back--) {
    const day = addDays(to, -back);
    const found = flow.get(day);
    if (found !== undefined) {
      raised.push({ ...found, rule: flowRuleId(found.direction) });
      continue;
    }
    const drop = evaluatePercentDrop(series, day, thresholds);
    if (drop.outcome !== "tested" || !drop.fires) continue;
    const { observed, expected } = drop;
    raised.push({
      day,
      direction: "drop",
      rule: PERCENT_DROP,
      count: observed.count,
      expected,
      windowDays: 7,
    });
  }
  return { ...preview, raised };
}

/** "With alpha 0.001 this metric would have raised 2 flags in the 90 days to 18 Nov instead of 9." */
export function metricSentence(change: string, proposed: MetricPreview, inEffect: MetricPreview): string {
  if (change !== "") return previewSentence(change, proposed, inEffect);
  return previewSentence("the thresholds in effect", inEffect, inEffect).replace(", as now.", ".");
}

/** The days of both previews, newest first. */
export function previewDays(inEffect: MetricPreview, proposed: MetricPreview): PreviewDay[] {
  const now = new Map(inEffect.raised.map((flag) => [flag.day, flag]));
  const then = new Map(proposed.raised.map((flag) => [flag.day, flag]));
  return [...new Set([...now.keys(), ...then.keys()])]
    .sort((a, b) => (a < b ? 1 : -1))
    .map((day) => ({ day, inEffect: now.get(day), proposed: then.get(day) }));
}
