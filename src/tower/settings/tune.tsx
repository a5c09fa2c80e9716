/**
 * Tuning the thresholds of a metric or of codebase rules: the flags they would have raised, beside those of the thresholds in effect,
 * before they are saved. What can be tuned is in `thresholds.ts`.
 */

import { countWords as countOf, expectedText } from "../../base/text.ts";
import { addDays, daysBetween, type UtcDay } from "../../base/time.ts";
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
import { dayOffsetOf, daysMoved } from "../../reports/nights.ts";
import { previewFlow, previewSentence } from "../../rules/flow_inputs.ts";
import { type FlowSeries, findFlowSeries, newestFinalDay } from "../../rules/flow_series.ts";
import { evaluatePercentDrop } from "../../rules/percent_drop.ts";
import { HISTORY_DAYS } from "../../rules/report_rules.ts";
import type { NotTestedReason } from "../../rules/verdict.ts";
import type { Constants } from "../../sites/constants_schema.ts";
import { codebaseThresholds, flowThresholds } from "../../sites/constants_store.ts";
import { flowRuleId, PERCENT_DROP, seriesName, shortName } from "../../sites/rule_catalogue.ts";
import type { CodebaseThresholds, FlowThresholds } from "../../sites/thresholds.ts";
import type { Db } from "../../store/store.ts";
import { flagHref } from "../flags/inbox.ts";
import { madeOf, type Outcome, outcomeText } from "../flags/outcome.ts";
import { formatCount, formatDecimal, formatNarrow, formatRatio } from "../format.ts";
import type { PageGround } from "../ground.ts";
import { withNotice } from "../keyboard.tsx";
import { assertConfirmed } from "../kit/confirmed_form.tsx";
import { Form, TextField } from "../kit/field.tsx";
import { here } from "../kit/here.ts";
import { Go, NOT_TESTED_WORDS, Told } from "../kit/links.tsx";
import { Block, Empty, List } from "../kit/list.tsx";
import { Day, Marked } from "../kit/proof.tsx";
import { mounted, own, type Visit } from "../kit/route.ts";
import { Callout } from "../kit/words.tsx";
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
  type Tuned,
  type TuneSubject,
  type Tuning,
  tuningOf,
} from "./thresholds.ts";

/** The flags of one set of thresholds on what is stored: of a metric its days, of the codebase rules the reports of a site. */
interface Replay {
  readonly from: UtcDay;
  readonly to: UtcDay;
  /** Figures over the whole span, each with its words. */
  readonly figures: readonly (readonly [words: string, figure: string])[];
  /** Each flag in words, by its day. */
  readonly raised: readonly { readonly day: UtcDay; readonly words: string }[];
}

/** Days of stored reports that are replayed. */
const REPLAYED_REPORT_DAYS = 365;

/**
 * Judges each report against the one a month before it. `reports` are current ones, newest first, one a day; those before `from`
 * only serve to be compared with.
 */
export function replayCodebase(
  reports: readonly StoredReport[],
  { from, to }: Pick<Replay, "from" | "to">,
  rules: readonly string[],
  thresholds: CodebaseThresholds,
): Replay {
  const judged = reports.flatMap((report, place) => {
    if (report.date < from) return [];
    const earlier = reports.slice(place + 1, place + 1 + COMPARISON_SPAN.farthest);
    const verdicts = evaluateCodebase(report, comparisonFor(report.date, earlier), thresholds);
    return verdicts.flatMap(({ rule, verdict }) => {
      if (verdict.state === "not_run" || !rules.includes(rule)) return [];
      const words = verdict.state === "fires" ? (verdict.message ?? rule) : undefined;
      return [{ day: report.date, rule, words }];
    });
  });
  const raised = judged.flatMap(({ words, ...of }) => (words === undefined ? [] : [{ ...of, words }]));
  const countIn = (some: readonly { readonly rule: string }[], of: string) =>
    formatCount(some.filter(({ rule }) => rule === of).length);
  return {
    from,
    to,
    figures: rules.map((rule) => [rule, `${countIn(raised, rule)} of ${countIn(judged, rule)} reports`]),
    raised: raised.map(({ day, words }) => ({ day, words })),
  };
}

/** Days that are replayed. */
const REPLAYED_DAYS = 90;

/** Replays the days that end on `to`. Each day is tested by itself, so that each day that fires is a flag. */
export function replayMetric(series: FlowSeries, thresholds: FlowThresholds, to: UtcDay): Replay {
  const { from, ...flow } = previewFlow(series, thresholds, addDays(to, 1 - REPLAYED_DAYS), to);
  const flagged = new Set(flow.raised.map(({ day }) => day));
  const days = Array.from({ length: daysBetween(from, to) + 1 }, (_, back) => addDays(to, -back));
  const drops = days.flatMap((day) => {
    const drop = flagged.has(day) ? undefined : evaluatePercentDrop(series, day, thresholds);
    if (drop?.outcome !== "tested" || !drop.fires) return [];
    return [
      {
        day,
        rule: PERCENT_DROP,
        count: drop.observed.count,
        expected: drop.expected,
        windowDays: 7,
      } as const,
    ];
  });
  const raised = [...flow.raised.map((one) => ({ ...one, rule: flowRuleId(one.direction) })), ...drops];
  const notTested = Object.entries(flow.notTested) as [NotTestedReason, number][];
  return {
    from,
    to,
    figures: [
      ["Flags", formatDecimal(raised.length)],
      ["Flags expected by chance", formatRatio(flow.expectedByChance)],
      ["Days tested", formatDecimal(flow.tests)],
      [
        "Days not tested",
        notTested.map(([reason, of]) => `${of}: ${NOT_TESTED_WORDS[reason]}`).join("; ") || "0",
      ],
    ],
    raised: raised.map(({ day, rule, count, expected, windowDays }) => {
      const seen = `${formatNarrow(count)} seen, ${expectedText(expected)} expected`;
      return { day, words: `${shortName(rule)}: ${seen} in ${countOf(windowDays, "day")}` };
    }),
  };
}

/** The history of a day's verdict, the replayed days, and a year for a metric that went silent. */
const SPAN_DAYS = HISTORY_DAYS + REPLAYED_DAYS + 365;

/** Replays thresholds on what is stored of a subject by `now`; undefined where that is nothing. */
function replayOf(
  db: Db,
  { asset, source, metric, rules }: Tuned,
  now: number,
): ((constants: Constants) => Replay) | undefined {
  if (source === null || metric === null) {
    const to = findLatest(db, asset, now)?.date;
    if (to === undefined) return undefined;
    const days = REPLAYED_REPORT_DAYS + COMPARISON_SPAN.farthest;
    const reports = listReports(db, { asset, from: addDays(to, 1 - days), to, allRevisions: false }, days);
    const span = { from: addDays(to, 1 - REPLAYED_REPORT_DAYS), to };
    return (constants) => replayCodebase(reports, span, rules, codebaseThresholds(constants, asset));
  }
  const series = findFlowSeries(db, { asset, source, metric }, now, SPAN_DAYS);
  const to = series && newestFinalDay(series);
  if (series === undefined || to === undefined) return undefined;
  const offset = isProvider(source) ? 0 : dayOffsetOf(db, asset);
  return (constants) =>
    daysMoved(replayMetric(series, flowThresholds(constants, asset, source, metric), to), offset);
}

type TuneVisit = Visit<SignedIn, unknown, unknown, URLSearchParams, TuneSubject>;

/** `/flags/{id}/tune`, `/sites/{asset}/metrics/{metric}/tune`, `…/signals/{source}/{metric}/tune` and `…/codebase/tune`. */
export function tuneRoutes(deps: PageGround) {
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

async function showTuning(deps: PageGround, visit: TuneVisit) {
  await lookAtFile(deps.constants);
  return page(deps, visit, visit.search);
}

async function saveTuning(deps: PageGround, visit: TuneVisit) {
  const { constants } = deps;
  const { form, found: subject, actor } = visit;
  // One metric is tuned without the password; a site's codebase rules are more of the constants document than that.
  if (subject.metric === null) await assertConfirmed(visit.request, deps, visit.who, form);
  await lookAtFile(constants);
  const { isRefused, change, changes: changed, digest, obstacle } = tuningOf(constants, subject, form);
  if (isRefused) return page(deps, visit, form);
  const { asset, source, metric, flag } = subject;
  // Sent twice by a double click, it finds its own values in effect: that is no conflict.
  const again = () =>
    tuningOf(constants, subject, form).change !== null
      ? page(deps, visit, form, 409)
      : seeOther(flag === undefined ? withNotice(subject.action, "tuned") : paths.flag(flag.id));
  if (obstacle !== undefined) return page(deps, visit, form, 409);
  if (form.get("digest") !== digest) return again();
  if (change === null) return page(deps, visit, form);
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
  if (!result.ok) return again();
  if (flag === undefined || outcome === undefined) return seeOther(withNotice(subject.action, "tuned"));
  return seeOther(flagHref(flag.id, {}, { told: outcomeText(outcome) }));
}

function page({ db, constants }: PageGround, visit: TuneVisit, sent: URLSearchParams, status?: number) {
  const tuning = tuningOf(constants, visit.found, sent);
  const { inEffect, proposed } = tuning.sides;
  const replay = replayOf(db, visit.found, visit.now);
  const trial = replay && { inEffect: replay(inEffect), proposed: proposed && replay(proposed) };
  const hasConflict = status === 409 && tuning.obstacle === undefined;
  return visit.page(<TunePage tuning={tuning} trial={trial} hasConflict={hasConflict} />, {
    status: status ?? (tuning.isRefused ? 422 : 200),
  });
}

interface TunePageProps {
  readonly tuning: Tuning;
  /** The flags that the thresholds would have raised; undefined where nothing is stored. */
  readonly trial: Sides<Replay> | undefined;
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
      {trial === undefined ? null : (
        <p class="lede" role="status">
          {sentenceOf(trial, tuning.changes)}
        </p>
      )}
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
          {trial === undefined ? (
            <Empty heading="No data to preview">
              <p>Nothing of it is stored yet, or no day is final.</p>
            </Empty>
          ) : (
            <TrialBlocks trial={trial} />
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
      <Form action={subject.action} class="stack tight" hidden={{ ...filled.values, digest }}>
        <div class="row">
          <button class="btn primary">Save thresholds</button>
          <span class="note">Takes effect with the next report. Open flags keep their thresholds.</span>
        </div>
      </Form>
    </Block>
  );
}

function sentenceOf({ inEffect, proposed }: Sides<Replay>, changes: readonly ThresholdChange[]): string {
  const sentence = previewSentence(changeWords(changes), proposed ?? inEffect, inEffect);
  return proposed === undefined ? sentence.replace(", as now.", ".") : sentence;
}

/** The figures of both, and the days with a flag in either. */
function TrialBlocks({ trial: { inEffect, proposed } }: { trial: Sides<Replay> }) {
  const days = new Set([...inEffect.raised, ...(proposed?.raised ?? [])].map(({ day }) => day));
  const wordsOf = ({ raised }: Replay, of: UtcDay) =>
    raised.some(({ day }) => day === of) ? (
      <Told>{raised.flatMap(({ day, words }) => (day === of ? [words] : [])).join(" ")}</Told>
    ) : (
      <span class="dim">no flag</span>
    );
  return (
    <>
      <Block
        heading="On stored data"
        note={[<Day day={inEffect.from} />, " to ", <Day day={inEffect.to} />, ", with today's data"]}
      >
        <List
          of="On stored data"
          items={inEffect.figures}
          columns={[
            ["Figure", ([words]) => <Marked>{words}</Marked>],
            ["In effect", ([, figure]) => figure],
            proposed === undefined ? null : ["Proposed", (_, place) => proposed.figures[place]?.[1]],
          ]}
        />
      </Block>
      <Block heading="Days with a flag" note="newest first; each day tested by itself">
        <List
          of="Days with a flag"
          items={[...days].toSorted().toReversed().slice(0, REPLAYED_DAYS)}
          columns={[
            ["Day", (day) => <Day day={day} />, { class: "nowrap" }],
            ["In effect", (day) => wordsOf(inEffect, day)],
            proposed === undefined ? null : ["Proposed", (day) => wordsOf(proposed, day)],
          ]}
          empty={
            <Empty heading="No flags">
              <p>None with the present thresholds{proposed === undefined ? "" : " or the proposed ones"}.</p>
            </Empty>
          }
        />
      </Block>
    </>
  );
}
