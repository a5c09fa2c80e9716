/** Tuning: the flow rules replayed on a metric's stored days, and the routes of every tune page. */

import { countWords as countOf, expectedText } from "../../base/text.ts";
import { addDays, daysBetween, type UtcDay, utcDayOf } from "../../base/time.ts";
import { performAct } from "../../flags/acts.ts";
import { isProvider } from "../../providers/adapter.ts";
import { COMPARISON_SPAN, findLatest, listReports } from "../../reports/codebase.ts";
import { listDaily } from "../../reports/readings.ts";
import { dayOffsetOf } from "../../reports/shown_day.ts";
import { type FlowPreview, previewFlow, previewSentence, type RaisedDay } from "../../rules/flow_inputs.ts";
import { type FlowSeries, findSignalSeries, flowSeries, newestFinalDay } from "../../rules/flow_series.ts";
import { evaluatePercentDrop } from "../../rules/percent_drop.ts";
import { HISTORY_DAYS } from "../../rules/report_rules.ts";
import type { NotTestedReason } from "../../rules/verdict.ts";
import { type ConstantsStore, codebaseThresholds, flowThresholds } from "../../sites/constants_store.ts";
import { type FlowRuleId, flowRuleId, PERCENT_DROP, RULES } from "../../sites/rule_catalogue.ts";
import type { FlowThresholds } from "../../sites/thresholds.ts";
import type { Db } from "../../store/store.ts";
import { flagHref } from "../flags/inbox.ts";
import { madeOf, type Outcome, outcomeText } from "../flags/outcome.ts";
import { formatDecimal, formatNarrow, formatRatio } from "../format.ts";
import { type PageDeps, withNotice } from "../keyboard.tsx";
import { assertConfirmed, type ConfirmDeps } from "../kit/confirmed_form.tsx";
import { NOT_TESTED_WORDS } from "../kit/links.tsx";
import { mounted, own, type Visit } from "../kit/route.ts";
import { paths } from "../paths.ts";
import { type SignedIn, seeOther } from "../session.ts";
import { daysMoved } from "../shown_days.ts";
import {
  changeRecord,
  changeWords,
  codebaseTrial,
  eachSide,
  NOTHING_STORED,
  REPLAYED_REPORT_DAYS,
  raisedDays,
  replayCodebase,
  type Sides,
  type ThresholdChange,
  type Trial,
  type Tuning,
  tuningOf,
} from "./codebase_replay.ts";
import { lookAtFile } from "./constants.tsx";
import { codebaseOfSite, metricOfSite, signalOfSite, subjectOfFlag, type TuneSubject } from "./thresholds.ts";
import { TunePage } from "./tune.tsx";

/** Days that are replayed. */
const REPLAYED_DAYS = 90;

/** The days with a flag of any of the three rules, and the tests of the flow rule. */
interface MetricReplay extends FlowPreview {
  readonly raised: readonly (RaisedDay & { readonly rule: FlowRuleId })[];
}

/** Replays the days that end on `to`. Each day is tested by itself, so that each day that fires is a flag. */
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
      note: "with today's data",
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
          note: "newest first, counts seen and expected; each day tested by itself",
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

/** The history of a day's verdict, the replayed days, and a year for a metric that went silent. */
const SPAN_DAYS = HISTORY_DAYS + REPLAYED_DAYS + 365;

/** Replays thresholds on the days stored by `now`. */
function tryOn(db: Db, tuning: Tuning, now: number): Trial {
  const { asset, source, metric } = tuning.subject;
  if (source === null || metric === null) return tryCodebase(db, tuning, now);
  return tryMetric(db, { asset, source, metric }, tuning, now);
}

/** Whose metric. */
interface MetricOf {
  readonly asset: string;
  readonly source: string;
  readonly metric: string;
}

function tryMetric(db: Db, of: MetricOf, { sides, changes }: Tuning, now: number): Trial {
  const { asset, source, metric } = of;
  const series = isProvider(source)
    ? findSignalSeries(db, { asset, source, metric }, now, SPAN_DAYS)
    : sentSeries(db, asset, metric, now);
  const to = series === undefined ? undefined : newestFinalDay(series);
  if (series === undefined || to === undefined) return NOTHING_STORED;
  const offset = isProvider(source) ? 0 : dayOffsetOf(db, asset);
  const replays = eachSide(sides, (constants) =>
    daysMoved(replayMetric(series, flowThresholds(constants, asset, source, metric), to), offset),
  );
  return metricTrial(replays, changes);
}

/** The series of a sent metric, of which every day is final. */
function sentSeries(db: Db, asset: string, metric: string, now: number): FlowSeries {
  const today = utcDayOf(now);
  const rows = listDaily(db, asset, metric, { from: addDays(today, -SPAN_DAYS), to: addDays(today, 1) }, now);
  return flowSeries(
    rows.flatMap(({ date, last24h }) =>
      last24h === null ? [] : [[date, { value: last24h, state: "final" }] as const],
    ),
  );
}

function tryCodebase(db: Db, { subject, sides, changes }: Tuning, now: number): Trial {
  const { asset, rules } = subject;
  const to = findLatest(db, asset, now)?.date;
  if (to === undefined) return NOTHING_STORED;
  const days = REPLAYED_REPORT_DAYS + COMPARISON_SPAN.farthest;
  const reports = listReports(db, { asset, from: addDays(to, 1 - days), to, allRevisions: false }, days);
  const from = addDays(to, 1 - REPLAYED_REPORT_DAYS);
  const replays = eachSide(sides, (constants) =>
    replayCodebase(reports, from, rules, codebaseThresholds(constants, asset)),
  );
  return codebaseTrial(replays, { from, to }, changes);
}

interface TuneDeps extends PageDeps, ConfirmDeps {
  readonly db: Db;
  readonly constants: ConstantsStore;
}

type TuneVisit = Pick<
  Visit<SignedIn, unknown, unknown, URLSearchParams, TuneSubject>,
  "request" | "who" | "search" | "form" | "found" | "actor" | "now" | "page"
>;

/** `/flags/{id}/tune`, `/sites/{asset}/metrics/{metric}/tune`, `…/signals/{source}/{metric}/tune` and `…/codebase/tune`. */
export function tuneRoutes(deps: TuneDeps) {
  const { db } = deps;
  const ofFlag = { find: ({ id }: { readonly id: string }) => subjectOfFlag(db, id) };
  const ofMetric = {
    find: ({ asset, metric }: { readonly asset: string; readonly metric: string }) =>
      metricOfSite(db, asset, metric),
  };
  const ofSignal = {
    find: (of: { readonly asset: string; readonly source: string; readonly metric: string }) =>
      signalOfSite(db, of.asset, of.source, of.metric),
  };
  const ofCodebase = { find: ({ asset }: { readonly asset: string }) => codebaseOfSite(db, asset) };
  const show = (visit: TuneVisit) => showTuning(deps, visit);
  const save = (visit: TuneVisit) => saveTuning(deps, visit);
  return mounted(deps, [
    own.get(paths.tuneFlag, ofFlag, show),
    own.post(paths.tuneFlag, ofFlag, save),
    own.get(paths.tuneMetric, ofMetric, show),
    own.post(paths.tuneMetric, ofMetric, save),
    own.get(paths.tuneSignal, ofSignal, show),
    own.post(paths.tuneSignal, ofSignal, save),
    own.get(paths.tuneCodebase, ofCodebase, show),
    own.post(paths.tuneCodebase, ofCodebase, save),
  ]);
}

async function showTuning(deps: TuneDeps, visit: TuneVisit) {
  await lookAtFile(deps.constants);
  return page(deps, visit, visit.search);
}

async function saveTuning(deps: TuneDeps, visit: TuneVisit) {
  const { constants } = deps;
  const { form, found: subject, actor } = visit;
  // One metric is tuned without the password; a site's codebase rules are more of the constants document than that.
  if (subject.metric === null) await assertConfirmed(visit.request, deps, visit.who, form);
  await lookAtFile(constants);
  const { isRefused, change, changes: changed, digest, obstacle } = tuningOf(constants, subject, form);
  if (isRefused) return page(deps, visit, form);
  if (form.get("digest") !== digest || obstacle !== null) return page(deps, visit, form, 409);
  if (change === null) return page(deps, visit, form);
  const { asset, source, metric, flag } = subject;
  const changes = changeRecord(changed);
  let outcome: Outcome | undefined;
  const result = await constants.save(
    change.text,
    {
      author: actor.id,
      detail: { asset, ...(isProvider(source) && { source }), ...(metric !== null && { metric }), changes },
      also: (tx, version) => {
        if (flag === undefined) return;
        const text = `${changes}; constants version ${version}`;
        const tuned = performAct(tx, "tune", { id: flag.id, by: actor, now: visit.now, text });
        outcome = madeOf("tune", [tuned], visit.now);
      },
    },
    digest,
  );
  if (!result.ok) return page(deps, visit, form, 409);
  if (flag === undefined || outcome === undefined) return seeOther(withNotice(subject.action, "tuned"));
  return seeOther(flagHref(flag.id, {}, { told: outcomeText(outcome) }));
}

function page({ db, constants }: TuneDeps, visit: TuneVisit, sent: URLSearchParams, status?: number) {
  const tuning = tuningOf(constants, visit.found, sent);
  const trial = tryOn(db, tuning, visit.now);
  const hasConflict = status === 409 && tuning.obstacle === null;
  return visit.page(<TunePage tuning={tuning} trial={trial} hasConflict={hasConflict} />, {
    status: status ?? (tuning.isRefused ? 422 : 200),
  });
}
