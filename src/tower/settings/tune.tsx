/**
 * Tuning the thresholds of a metric or of codebase rules: the flags they would have raised, beside those of the thresholds in effect,
 * before they are saved. What can be tuned is in `thresholds.ts`.
 */

import { countWords as countOf, expectedText } from "../../base/text.ts";
import { addDays, daysBetween, type UtcDay, utcDayOf } from "../../base/time.ts";
import { performAct } from "../../flags/acts.ts";
import { titleOf } from "../../flags/api.ts";
import { isProvider } from "../../providers/adapter.ts";
import {
  COMPARISON_SPAN,
  comparisonFor,
  findLatest,
  listReports,
  type StoredReport,
} from "../../reports/codebase.ts";
import { evaluateCodebase } from "../../reports/codebase_rules.ts";
import { listDaily } from "../../reports/readings.ts";
import { dayOffsetOf, daysMoved } from "../../reports/shown_day.ts";
import {
  type FlowPreview,
  previewFlow,
  previewSentence,
  type RaisedDay as RaisedFlow,
} from "../../rules/flow_inputs.ts";
import { type FlowSeries, findSignalSeries, flowSeries, newestFinalDay } from "../../rules/flow_series.ts";
import { evaluatePercentDrop } from "../../rules/percent_drop.ts";
import { HISTORY_DAYS } from "../../rules/report_rules.ts";
import type { NotTestedReason } from "../../rules/verdict.ts";
import { type ConstantsStore, codebaseThresholds, flowThresholds } from "../../sites/constants_store.ts";
import {
  type FlowRuleId,
  flowRuleId,
  PERCENT_DROP,
  RULES,
  ruleOf,
  seriesName,
  sourceName,
} from "../../sites/rule_catalogue.ts";
import type { CodebaseThresholds, FlowThresholds } from "../../sites/thresholds.ts";
import type { Db } from "../../store/store.ts";
import { flagHref } from "../flags/inbox.ts";
import { madeOf, type Outcome, outcomeText } from "../flags/outcome.ts";
import { formatCount, formatDecimal, formatNarrow, formatRatio } from "../format.ts";
import { type PageDeps, withNotice } from "../keyboard.tsx";
import { assertConfirmed, type ConfirmDeps } from "../kit/confirmed_form.tsx";
import { Form, TextField } from "../kit/field.tsx";
import { here } from "../kit/here.ts";
import { Go, NOT_TESTED_WORDS, Told } from "../kit/links.tsx";
import { Block, type Column, Empty, List } from "../kit/list.tsx";
import { Callout } from "../kit/monitoring_words.tsx";
import { Day, Marked } from "../kit/proof.tsx";
import { mounted, own, type Visit } from "../kit/route.ts";
import { paths } from "../paths.ts";
import { type SignedIn, seeOther } from "../session.ts";
import { lookAtFile } from "./constants.tsx";
import { Difference } from "./constants_versions.tsx";
import { SettingsPage, TUNING } from "./settings.tsx";
import {
  changeRecord,
  changeWords,
  codebaseOfSite,
  metricOfSite,
  type Sides,
  signalOfSite,
  subjectOfFlag,
  type Threshold,
  type ThresholdChange,
  type TuneSubject,
  type Tuning,
  tuningOf,
} from "./thresholds.ts";

/** Thresholds tried on what is stored: the flow rules on the days of a metric, the codebase rules on the reports of a site. */

/** Figures over the whole span, and the days with a flag. */
interface History {
  readonly heading: string;
  readonly from: UtcDay;
  readonly to: UtcDay;
  readonly note: string;
  /** The headings of the figures; the last is of the proposal where there is one. */
  readonly columns: readonly [head: string, ...figures: string[]];
  readonly figures: readonly (readonly [head: string, ...figures: string[]])[];
  readonly remark?: string;
  readonly lists: readonly RaisedList[];
  readonly hasProposal: boolean;
}

/** Days with a flag under either set of thresholds, newest first. */
interface RaisedList {
  readonly heading: string;
  readonly note: string;
  /** The heading of the days: the day itself, or its report. */
  readonly day: string;
  readonly days: readonly RaisedDay[];
}

/** A day's flag in words; undefined where it has none. */
interface RaisedDay extends Readonly<Record<keyof Sides<unknown>, string | undefined>> {
  readonly day: UtcDay;
  /** The words of the flag, where the sides do not have them. */
  readonly said?: string;
}

/** The result of a preview; empty where nothing is stored. */
interface Trial {
  readonly history: History | undefined;
  readonly sentences: readonly string[];
}

const NOTHING_STORED: Trial = { history: undefined, sentences: [] };

/** The same of each side there is. */
function eachSide<T, To>({ inEffect, proposed }: Sides<T>, of: (side: T) => To): Sides<To> {
  return { inEffect: of(inEffect), proposed: proposed === undefined ? undefined : of(proposed) };
}

/** The days that either side raised, newest first. */
function raisedDays(
  inEffect: ReadonlyMap<UtcDay, string>,
  proposed: ReadonlyMap<UtcDay, string>,
): readonly RaisedDay[] {
  return [...new Set([...inEffect.keys(), ...proposed.keys()])]
    .sort((a, b) => (a < b ? 1 : -1))
    .map((day) => ({ day, inEffect: inEffect.get(day), proposed: proposed.get(day) }));
}

/** ", as now" or " instead of 9": how a proposal's count stands to the one in effect. */
function againstNow(proposed: number, inEffect: number): string {
  return proposed === inEffect ? ", as now" : ` instead of ${formatCount(inEffect)}`;
}

/** Days of stored reports that are replayed. */
const REPLAYED_REPORT_DAYS = 365;

/** Reports listed for each rule. */
const MOST_LISTED = 20;

/** One rule over the stored reports. */
interface RuleReplay {
  readonly rule: string;
  /** Reports at which the rule could be judged. */
  readonly judged: number;
  /** Its flags' words, by the report that raises each. */
  readonly raised: ReadonlyMap<UtcDay, string>;
}

/**
 * Judges each report against the one a month before it. `reports` are current ones, newest first, one a day; those before `from`
 * only serve to be compared with.
 */
export function replayCodebase(
  reports: readonly StoredReport[],
  from: UtcDay,
  rules: readonly string[],
  thresholds: CodebaseThresholds,
): readonly RuleReplay[] {
  const judged = reports.flatMap((report, place) => {
    if (report.date < from) return [];
    const earlier = reports.slice(place + 1, place + 1 + COMPARISON_SPAN.farthest);
    const verdicts = evaluateCodebase(report, comparisonFor(report.date, earlier), thresholds);
    return verdicts.map(({ rule, verdict }) => ({ date: report.date, rule, verdict }));
  });
  return rules.map((rule) => {
    const verdicts = judged.filter((one) => one.rule === rule && one.verdict.state !== "not_run");
    const raised = verdicts.flatMap(({ date, verdict }) =>
      verdict.state === "fires" ? [[date, verdict.message ?? rule] as const] : [],
    );
    return { rule, judged: verdicts.length, raised: new Map(raised) };
  });
}

/** Both replays of some reports, and a sentence on each rule that would change. */
export function codebaseTrial(
  sides: Sides<readonly RuleReplay[]>,
  span: { readonly from: UtcDay; readonly to: UtcDay },
  changes: readonly ThresholdChange[],
): Trial {
  const hasProposal = sides.proposed !== undefined;
  const rules = sides.inEffect.map((inEffect, place) => ({
    ...inEffect,
    proposed: (sides.proposed?.[place] ?? inEffect).raised,
    changes: changes.filter(({ name }) => keysOf(inEffect.rule).includes(name)),
  }));
  return {
    history: {
      heading: "On stored reports",
      ...span,
      note: "the newest of each day",
      columns: ["Rule", "Reports judged", "Raised now", ...(hasProposal ? ["Proposed"] : [])],
      figures: rules.map(({ rule, judged, raised, proposed }) => {
        const counts = [judged, raised.size, ...(hasProposal ? [proposed.size] : [])];
        return [rule, ...counts.map((count) => formatCount(count))];
      }),
      lists: rules
        .filter(({ raised, proposed }) => rules.length === 1 || !hasProposal || raised.size !== proposed.size)
        .map(({ rule, raised, proposed }) => listOf(rule, raised, proposed))
        .filter(({ days }) => days.length > 0),
      hasProposal,
    },
    sentences: rules
      .filter((rule) => rule.judged > 0 && (rules.length === 1 || rule.changes.length > 0))
      .map(sentenceOf),
  };
}

function keysOf(rule: string): readonly string[] {
  return ruleOf(rule)?.reads?.keys ?? [];
}

function listOf(rule: string, inEffect: RuleReplay["raised"], proposed: RuleReplay["raised"]): RaisedList {
  const days = raisedDays(inEffect, proposed);
  const raised = (said: string | undefined) => (said === undefined ? undefined : "raised");
  return {
    heading: `Reports that raise ${rule}`,
    note:
      days.length > MOST_LISTED ? `the newest ${MOST_LISTED} of ${formatCount(days.length)}` : "newest first",
    day: "Report",
    days: days.slice(0, MOST_LISTED).map(({ day, inEffect: now, proposed: then }) => {
      return { day, said: now ?? then ?? "", inEffect: raised(now), proposed: raised(then) };
    }),
  };
}

/** "With growth_percent 40 codebase-growth would have been raised at 2 of 52 stored reports instead of 9." */
function sentenceOf(
  rule: RuleReplay & {
    readonly proposed: RuleReplay["raised"];
    readonly changes: readonly ThresholdChange[];
  },
): string {
  const { judged, proposed, raised, changes } = rule;
  const at = `at ${formatCount(proposed.size)} of ${countOf(judged, "stored report")}`;
  const against = changes.length === 0 ? "" : againstNow(proposed.size, raised.size);
  return `With ${changeWords(changes)} ${rule.rule} would have been raised ${at}${against}.`;
}

/** Days that are replayed. */
const REPLAYED_DAYS = 90;

/** The days with a flag of any of the three rules, and the tests of the flow rule. */
interface MetricReplay extends FlowPreview {
  readonly raised: readonly (RaisedFlow & { readonly rule: FlowRuleId })[];
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

function tryMetric(
  db: Db,
  of: { readonly asset: string; readonly source: string; readonly metric: string },
  { sides, changes }: Tuning,
  now: number,
): Trial {
  const { asset, source, metric } = of;
  const series = isProvider(source)
    ? findSignalSeries(db, { ...of, source }, now, SPAN_DAYS)
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
  if (form.get("digest") !== digest || obstacle !== undefined) return page(deps, visit, form, 409);
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
  const hasConflict = status === 409 && tuning.obstacle === undefined;
  return visit.page(<TunePage tuning={tuning} trial={trial} hasConflict={hasConflict} />, {
    status: status ?? (tuning.isRefused ? 422 : 200),
  });
}

interface TunePageProps {
  readonly tuning: Tuning;
  /** The flags that the thresholds would have raised. */
  readonly trial: Trial;
  /** The document changed after the difference was shown. */
  readonly hasConflict: boolean;
}

/** Thresholds of one metric, or of a site's codebase rules, tried on the stored history before they are changed. */
function TunePage({ tuning, trial, hasConflict }: TunePageProps) {
  const { now } = here();
  const { asset, source, metric, flag, action } = tuning.subject;
  const what = metric === null ? "codebase rules" : seriesName(metric, source);
  const { thresholds, filled, change } = tuning;
  return (
    <SettingsPage
      part={TUNING}
      title={`Tune ${what} of ${asset}`}
      heading={
        <>
          Tune <Told class="wrap">{what}</Told>
        </>
      }
      crumb={[
        <a href={paths.site(asset)}>{asset}</a>,
        " / ",
        <a href={paths.siteSettings(asset)}>settings</a>,
      ]}
      note={
        flag && (
          <>
            Because of the flag{" "}
            <a href={paths.flag(flag.id)}>
              <Told>{titleOf(flag, now)}</Told>
            </a>
          </>
        )
      }
      still
    >
      {tuning.obstacle === undefined ? null : (
        <Callout tone="failing" role="alert">
          {tuning.obstacle === "broken-document" ? (
            <p>
              <b>The constants file on disk is not in effect.</b> <a href={paths.constants}>Fix it first</a>
            </p>
          ) : (
            <p>
              <b>This metric cannot have its own thresholds: it is named like a key of the rules.</b> It uses{" "}
              <a href={paths.constants}>its site's thresholds</a>.
            </p>
          )}
        </Callout>
      )}
      {hasConflict ? (
        <Callout tone="stale" role="alert">
          <p>
            <b>The constants document changed meanwhile.</b> Nothing was saved. The preview below is of the
            new document.
          </p>
        </Callout>
      ) : null}
      {trial.sentences.map((sentence) => (
        <p class="lede" role="status">
          {sentence}
        </p>
      ))}
      <div class="halves">
        <div class="stack">
          <Block heading="Thresholds" note="an empty field uses the default">
            <form method="get" action={action} class="stack form" autocomplete="off">
              {thresholds.map((threshold) => (
                <TextField
                  name={threshold.field}
                  label={threshold.label}
                  filled={filled}
                  help={
                    <>
                      <span class="mono">
                        <Marked>{threshold.name}</Marked>
                      </span>
                      , <Marked>{threshold.unit}</Marked>. {originWords(threshold)}
                    </>
                  }
                  placeholder={String(threshold.wider)}
                  maxlength={40}
                  inputmode={threshold.field === "dispersion" ? undefined : "decimal"}
                  list={threshold.field === "dispersion" ? "dispersions" : undefined}
                />
              ))}
              <datalist id="dispersions">
                <option value="measured">measured</option>
                <option value="1">1, the bare Poisson test</option>
              </datalist>
              <div class="row">
                <button class={change === null ? "btn primary" : "btn"}>
                  Preview on stored {metric === null ? "reports" : "days"}
                </button>
                {change === null ? null : <Go to={action} words="Discard" />}
              </div>
            </form>
          </Block>
          <Change tuning={tuning} />
        </div>
        <div class="stack">
          {trial.history === undefined ? (
            <Empty heading="No data to preview">
              <p>
                {metric === null
                  ? "This site has sent no codebase report yet."
                  : sourceName(source) === undefined
                    ? "This site has not sent this metric yet."
                    : "No day of this figure is final yet."}
              </p>
            </Empty>
          ) : (
            <HistoryBlocks history={trial.history} />
          )}
        </div>
      </div>
    </SettingsPage>
  );
}

function originWords({ inEffect, wider, isOverridden }: Threshold): string {
  return isOverridden ? `In effect: ${inEffect} (default ${wider}).` : `In effect: ${inEffect}.`;
}

function Change({ tuning }: { tuning: Tuning }) {
  const { change, filled, subject, digest } = tuning;
  if (change === null) return null;
  return (
    <Block id="change" heading="Change to the constants">
      <Difference hunks={change.hunks} caption="Change to the constants" />
      <Form
        action={subject.action}
        class="stack tight"
        hidden={[...Object.entries(filled.values), ["digest", digest]]}
      >
        <div class="row">
          <button class="btn primary">Save thresholds</button>
          <span class="note">Takes effect with the next report. Open flags keep their thresholds.</span>
        </div>
      </Form>
    </Block>
  );
}

/** The figures of both, and the days with a flag in either. */
function HistoryBlocks({ history }: { history: History }) {
  const { heading, columns, hasProposal } = history;
  const [head, ...figures] = columns;
  return (
    <>
      <Block
        heading={heading}
        note={[<Day day={history.from} />, " to ", <Day day={history.to} />, ", ", history.note]}
      >
        <List
          fold={false}
          of={heading}
          items={history.figures}
          columns={[
            [head, ([name = ""]) => <Marked>{name}</Marked>],
            ...figures.map((words, place): Column<readonly string[]> => {
              return [words, (row) => row[place + 1], { numeric: true }];
            }),
          ]}
        />
        {history.remark === undefined ? null : (
          <p class="note">
            <Marked>{history.remark}</Marked>
          </p>
        )}
      </Block>
      {history.lists.map((list) => (
        <Block heading={list.heading} note={<Marked>{list.note}</Marked>}>
          <List
            of={list.heading}
            items={list.days}
            columns={columnsOf(list, hasProposal)}
            empty={
              <Empty heading="No flags">
                <p>None with the present thresholds{hasProposal ? " or the proposed ones" : ""}.</p>
              </Empty>
            }
          />
        </Block>
      ))}
    </>
  );
}

function columnsOf(list: RaisedList, hasProposal: boolean): (Column<RaisedDay> | null)[] {
  const nothing = <span class="dim">no flag</span>;
  const hasWords = list.days.some(({ said }) => said !== undefined);
  return [
    [list.day, ({ day }) => <Day day={day} />, { class: "nowrap" }],
    hasWords ? ["Flag", ({ said = "" }) => <Told>{said}</Told>, { class: "all" }] : null,
    ["In effect", ({ inEffect }) => inEffect ?? nothing],
    hasProposal ? ["Proposed", ({ proposed }) => proposed ?? nothing] : null,
  ];
}
