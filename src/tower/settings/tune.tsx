/**
 * Tuning the thresholds of a metric or of codebase rules: the flags they would have raised, beside those of the thresholds in effect,
 * before they are saved. What can be tuned is in `thresholds.ts`, the replay in `trial.ts`.
 */

import { performAct } from "../../flags/acts.ts";
import { titleOf } from "../../flags/api.ts";
import { isProvider } from "../../providers/adapter.ts";
import type { ConstantsStore } from "../../sites/constants_store.ts";
import { seriesName, sourceName } from "../../sites/rule_catalogue.ts";
import type { Db } from "../../store/store.ts";
import { flagHref } from "../flags/inbox.ts";
import { madeOf, type Outcome, outcomeText } from "../flags/outcome.ts";
import { type PageDeps, withNotice } from "../keyboard.tsx";
import { Block } from "../kit/block.tsx";
import { assertConfirmed, type ConfirmDeps } from "../kit/confirmed_form.tsx";
import { Empty } from "../kit/empty.tsx";
import { TextField } from "../kit/field.tsx";
import { here } from "../kit/here.ts";
import { Go, Told } from "../kit/links.tsx";
import { type Column, List } from "../kit/list.tsx";
import { Callout } from "../kit/monitoring_words.tsx";
import { Day } from "../kit/proof.tsx";
import { mounted, own, type Visit } from "../kit/route.ts";
import { Form } from "../kit/shown_once.tsx";
import { Marked } from "../kit/term.tsx";
import { paths } from "../paths.ts";
import { type SignedIn, seeOther } from "../session.ts";
import { lookAtFile } from "./constants.tsx";
import { Difference } from "./constants_versions.tsx";
import { SettingsPage, TUNING } from "./settings.tsx";
import {
  changeRecord,
  codebaseOfSite,
  metricOfSite,
  signalOfSite,
  subjectOfFlag,
  type Threshold,
  type TuneSubject,
  type Tuning,
  tuningOf,
} from "./thresholds.ts";
import { type History, type RaisedDay, type RaisedList, type Trial, tryOn } from "./trial.ts";

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
