/** Thresholds tried on what is stored: gathers the history and replays it under both sets. */

import { COMPARISON_SPAN, findLatest, listReports } from "../../codebase/mod.ts";
import { type Constants, codebaseThresholds, flowThresholds } from "../../constants/mod.ts";
import type { Db } from "../../db/mod.ts";
import { flowSeries, HISTORY_DAYS, newestFinalDay } from "../../flow/mod.ts";
import { addDays, utcDayOf } from "../../lib/utc_day.ts";
import { listDaily } from "../../pulse/mod.ts";
import { type CodebaseRuleId, RULES } from "../../rules/mod.ts";
import type { CodebaseHistory } from "./codebase_history.tsx";
import { CODEBASE_PREVIEW_DAYS, codebaseSentence, previewCodebase } from "./codebase_preview.ts";
import type { MetricHistory } from "./metric_history.tsx";
import { metricSentence, PREVIEW_DAYS, previewDays, previewMetric } from "./metric_preview.ts";
import { changeWords, type ThresholdChange } from "./threshold.ts";

/** The constants in effect, and the proposed ones with what they change. */
export interface Sides {
  readonly inEffect: Constants;
  readonly proposed:
    | { readonly constants: Constants; readonly changes: readonly ThresholdChange[] }
    | undefined;
}

/** What trying thresholds came to. */
export interface Trial<History> {
  readonly history: History | undefined;
  readonly sentences: readonly string[];
}

/** What a day's verdict looks back on, the days that are replayed, and a year that a silent metric may be old. */
const SPAN_DAYS = HISTORY_DAYS + PREVIEW_DAYS + 365;

/** Tries the flow thresholds of a metric on its stored days, up to the newest that is stored by `now`. */
export function tryMetric(
  db: Db,
  { asset, metric }: { readonly asset: string; readonly metric: string },
  sides: Sides,
  now: number,
): Trial<MetricHistory> {
  const today = utcDayOf(now);
  const rows = listDaily(db, asset, metric, { from: addDays(today, -SPAN_DAYS), to: addDays(today, 1) }, now);
  const series = flowSeries(
    rows.flatMap(({ date, last24h }) =>
      last24h === null ? [] : [[date, { value: last24h, state: "final" }] as const],
    ),
  );
  const to = newestFinalDay(series);
  if (to === undefined) return { history: undefined, sentences: [] };
  const under = (constants: Constants) => previewMetric(series, flowThresholds(constants, asset, metric), to);
  const inEffect = under(sides.inEffect);
  const proposed = sides.proposed === undefined ? undefined : under(sides.proposed.constants);
  return {
    history: { kind: "metric", inEffect, proposed, days: previewDays(inEffect, proposed ?? inEffect) },
    sentences: [metricSentence(changeWords(sides.proposed?.changes ?? []), proposed ?? inEffect, inEffect)],
  };
}

/** Tries the codebase thresholds of a site on its stored reports. */
export function tryCodebase(
  db: Db,
  { asset, rules }: { readonly asset: string; readonly rules: readonly CodebaseRuleId[] },
  sides: Sides,
  now: number,
): Trial<CodebaseHistory> {
  const to = findLatest(db, asset, now)?.date;
  if (to === undefined) return { history: undefined, sentences: [] };
  const days = CODEBASE_PREVIEW_DAYS + COMPARISON_SPAN.farthest;
  const reports = listReports(db, { asset, from: addDays(to, 1 - days), to, allRevisions: false }, days);
  const from = addDays(to, 1 - CODEBASE_PREVIEW_DAYS);
  const inEffect = codebaseThresholds(sides.inEffect, asset);
  const proposed =
    sides.proposed === undefined ? inEffect : codebaseThresholds(sides.proposed.constants, asset);
  const previews = previewCodebase(reports, from, rules, { inEffect, proposed });
  const wordsFor = (rule: CodebaseRuleId): string => {
    const keys: readonly string[] = RULES[rule].reads.keys;
    return changeWords((sides.proposed?.changes ?? []).filter(({ name }) => keys.includes(name)));
  };
  return {
    history: { kind: "codebase", previews, from, to, hasProposal: sides.proposed !== undefined },
    sentences: previews
      .filter(({ judged }) => judged > 0)
      .filter(({ rule }) => rules.length === 1 || wordsFor(rule) !== "")
      .map((preview) => codebaseSentence(wordsFor(preview.rule), preview)),
  };
}
