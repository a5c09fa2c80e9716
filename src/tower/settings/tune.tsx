/** The page that tunes thresholds: the flags they would have raised on stored days, beside the present ones. */

import { titleOf } from "../../flags/api.ts";
import { seriesName, sourceName } from "../../sites/rule_catalogue.ts";
import { Block } from "../kit/block.tsx";
import { Empty } from "../kit/empty.tsx";
import { TextField } from "../kit/field.tsx";
import { here } from "../kit/here.ts";
import { Go, Told } from "../kit/links.tsx";
import { type Column, List } from "../kit/list.tsx";
import { Callout } from "../kit/monitoring_words.tsx";
import { Day } from "../kit/proof.tsx";
import { Form } from "../kit/shown_once.tsx";
import { Marked } from "../kit/term.tsx";
import { paths } from "../paths.ts";
import type { History, RaisedDay, RaisedList, Trial, Tuning } from "./codebase_replay.ts";
import { Difference } from "./constants_versions.tsx";
import { SettingsPage, TUNING } from "./settings.tsx";
import type { Threshold } from "./thresholds.ts";

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
            [head, ([name = ""]) => <Marked>{name}</Marked>, { class: history.headClass }],
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
  const nothing = <span class="dim">{list.nothing}</span>;
  const hasWords = list.days.some(({ said }) => said !== undefined);
  return [
    [list.day, ({ day }) => <Day day={day} />, { class: "nowrap" }],
    hasWords ? ["Flag", ({ said = "" }) => <Told>{said}</Told>, { class: "all" }] : null,
    ["In effect", ({ inEffect }) => inEffect ?? nothing],
    hasProposal ? ["Proposed", ({ proposed }) => proposed ?? nothing] : null,
  ];
}

interface TunePageProps {
  readonly tuning: Tuning;
  /** The flags that the thresholds would have raised. */
  readonly trial: Trial;
  /** The document changed after the difference was shown. */
  readonly hasConflict: boolean;
}

/** Thresholds of one metric, or of a site's codebase rules, tried on the stored history before they are changed. */
export function TunePage({ tuning, trial, hasConflict }: TunePageProps) {
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
      {tuning.obstacle === null ? null : (
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
