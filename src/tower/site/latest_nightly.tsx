/** Units from one tick to the next. */

import type { BrokenRule } from "../../base/contract.ts";
import { countWords as countOf } from "../../base/text.ts";
import { REPORT_ROUTES, type RefusedReport, type Streak } from "../../health/refusals.ts";
import {
  type FamilyState,
  MIDNIGHT_MINUTES,
  type Night,
  type NightlySummary,
  type NightState,
  WEEK_NIGHTS,
} from "../../reports/nights.ts";
import { formatCount } from "../format.ts";
import { Block } from "../kit/block.tsx";
import { Empty } from "../kit/empty.tsx";
import { DataTable, ShortName, Told } from "../kit/links.tsx";
import { Callout } from "../kit/monitoring_words.tsx";
import { Age, Day, Moment } from "../kit/proof.tsx";
import { Facts } from "../kit/term.tsx";
import { paths } from "../paths.ts";
import { MIDNIGHT_HINT, OWN_NIGHTLY } from "./ways.tsx";

const STEP = 6;

/** The last nights as ticks: solid where a report was received, hollow where it was missed, nothing where none was expected. */
export function NightTicks({ nights }: { readonly nights: readonly Night[] }) {
  const received = nights.filter(({ state }) => state === "received").length;
  const missed = nights.filter(({ state }) => state === "missed").length;
  const at = (place: number): number => 3 + place * STEP;
  const draw = (wanted: NightState, tick: (x: number) => string): string =>
    nights.flatMap(({ state }, place) => (state === wanted ? [tick(at(place))] : [])).join("");
  const got = draw("received", (x) => `M${x} 13v-9`);
  const lost = draw("missed", (x) => `M${x - 1.5} 4.5h3v8h-3z`);
  return (
    <svg
      class="spark nights"
      viewBox="0 0 84 14"
      role="img"
      aria-label={`Of the last ${countOf(nights.length, "night")} ${received} received, ${missed} missed`}
    >
      {got === "" ? null : <path class="got" d={got} />}
      {lost === "" ? null : <path class="miss" d={lost} />}
    </svg>
  );
}

/** "Missed 4 of the last 7 nights"; the nights on which a report was expected. */
export function missedText({ missed, nights }: Pick<NightlySummary, "missed" | "nights">): string {
  if (missed.of === 0) return "No report is expected yet";
  if (missed.of === 1)
    return missed.missed === 1 ? "Missed the only night so far" : "The only night so far was not missed";
  const span =
    missed.of === WEEK_NIGHTS ? `last ${WEEK_NIGHTS} nights` : `${countOf(missed.of, "night")} so far`;
  if (missed.missed > 0) return `Missed ${missed.missed} of the ${span}`;
  const all = nights.filter(({ state }) => state === "missed").length;
  return all === 0 ? `None of the ${span} missed` : `None of the ${span} missed, ${all} before that`;
}

/** Refused reports in words and as a list: a site that is refused every night must not merely look silent. */

/** Why a report was refused: the first broken rule, as its sender was told it. */
export function whyWords({ faults, code }: Pick<RefusedReport, "faults" | "code">): string {
  const [first] = faults;
  return first === undefined ? code : faultWords(code, first);
}

function faultWords(code: string, { pointer, message }: BrokenRule): string {
  return code === "broken-contract" ? `${pointer || "the body"} ${message}` : message;
}

/** What was refused since the last good report, where something was. */
export function RefusedNote(props: {
  readonly asset: string;
  readonly streak: Streak | undefined;
  /** Whether there is a good report to count from. */
  readonly since: boolean;
}) {
  const { asset, streak, since } = props;
  if (streak === undefined) return null;
  return (
    <Callout tone="failing">
      <p>
        {countOf(streak.count, "report was", "reports were")} refused{since ? " since this one" : ""}, the
        latest <Moment at={streak.lastAt} /> with {streak.status}:{" "}
        <Told class="wrap">{`${whyWords(streak).replace(/\.$/, "")}.`}</Told>{" "}
        <a href={`${paths.reports(asset)}#refused`}>All refused reports</a>
      </p>
    </Callout>
  );
}

const KINDS: Readonly<Record<string, string>> = {
  [REPORT_ROUTES.nightly]: "Nightly",
  [REPORT_ROUTES.codebase]: "Codebase",
};

/** How many reports were refused in all, of those kinds that are kept. */
export function countRefused(refused: readonly RefusedReport[]): number {
  return refused.reduce((sum, { count }) => sum + count, 0);
}

/** Every kind of refusal that is kept of a site, the latest first. */
export function RefusedBlock(props: { readonly refused: readonly RefusedReport[] }) {
  const { refused } = props;
  if (refused.length === 0) return null;
  return (
    <Block id="refused" heading="Refused reports" note={formatCount(countRefused(refused))}>
      <DataTable
        fold
        caption="Refused reports, one row for each reason, the latest first"
        items={refused}
        columns={[
          { words: "Latest", names: true, cell: ({ lastAt }) => <Moment at={lastAt} /> },
          { words: "Kind", label: true, cell: ({ route }) => KINDS[route] ?? route },
          {
            words: "Answer",
            label: true,
            cell: ({ status, code }) => (
              <>
                {status} <span class="dim">{code}</span>
              </>
            ),
          },
          { words: "Why", class: "all", cell: (kind) => <Faults kind={kind} /> },
          { words: "Times", label: true, numeric: true, cell: ({ count }) => formatCount(count) },
          { words: "First", label: true, cell: ({ firstAt }) => <Moment at={firstAt} /> },
        ]}
      />
      <p class="note">
        Nothing of a refused report is stored. Refusals for the same reason are one row; the newest reasons of
        each kind are kept. A report without a known token belongs to no site and is not listed.
      </p>
    </Block>
  );
}

function Faults({ kind }: { readonly kind: RefusedReport }) {
  return (
    <>
      {kind.faults.map((fault, place) => (
        <>
          {place === 0 ? null : <br />}
          <Told class="wrap">{faultWords(kind.code, fault)}</Told>
        </>
      ))}
      {kind.more === 0 ? null : <small> and {countOf(kind.more, "more rule")}</small>}
    </>
  );
}

const SOURCES = {
  settings: "declared in the site's settings",
  report: "announced by the report itself",
  both: "declared in the settings and announced by the report",
} as const;

function Family({ state }: { readonly state: FamilyState }) {
  return (
    <li>
      <span class="mono wrap">
        <ShortName name={state.family} />
      </span>{" "}
      {state.state === "missing" ? (
        <>
          <span class="nm">Declared, but missing</span> <small>{SOURCES[state.source]}</small>
        </>
      ) : (
        <span class="dim">
          {countOf(state.metrics, "metric")}
          {state.state === "undeclared" ? ", not declared" : ""}
        </span>
      )}
    </li>
  );
}

/** Families listed before the rest is folded away. */
const OPEN_FAMILIES = 6;

function Families({ families }: { readonly families: readonly FamilyState[] }) {
  const [first, rest] = [families.slice(0, OPEN_FAMILIES), families.slice(OPEN_FAMILIES)];
  return (
    <>
      <ul class="families">
        {first.map((state) => (
          <Family state={state} />
        ))}
      </ul>
      {rest.length === 0 ? null : (
        <details class="items">
          <summary>{countOf(rest.length, "more family", "more families")}</summary>
          <ul class="families">
            {rest.map((state) => (
              <Family state={state} />
            ))}
          </ul>
        </details>
      )}
    </>
  );
}

/** The latest nightly report in time, the nights before it, and the families it was to hold. */
export function LatestNightly(props: {
  readonly asset: string;
  readonly summary: NightlySummary;
  readonly refused?: Streak | undefined;
  /** It is the service's own site, whose reports Tower writes. */
  readonly own?: boolean;
}) {
  const { asset, summary, refused, own = false } = props;
  const { latest, families } = summary;
  const all = <a href={paths.reports(asset)}>All reports</a>;
  if (latest === undefined) {
    return (
      <Block heading="Nightly report" tools={all}>
        <div class="stack tight">
          <RefusedNote asset={asset} streak={refused} since={false} />
          <Empty heading="No nightly report yet">
            <p>
              {own ? OWN_NIGHTLY : "The site's own scheduler sends it once a night."}
              {summary.awaited.length === 0
                ? null
                : ` ${countOf(summary.awaited.length, "metric family", "metric families")} declared, nothing received.`}
            </p>
            {own ? null : (
              <a class="btn" href={paths.firstReport(asset)}>
                Send the first report
              </a>
            )}
          </Empty>
        </div>
      </Block>
    );
  }
  const missing = families.filter(({ state }) => state === "missing").length;
  return (
    <Block heading="Nightly report" note={<Age at={latest.receivedAt} />} tools={all}>
      <div class="stack tight">
        <RefusedNote asset={asset} streak={refused} since />
        {missing === 0 ? null : (
          <Callout tone="stale">
            <p>
              {countOf(missing, "declared metric family is", "declared metric families are")} missing from the
              report of <Day day={latest.date} />. A report came; these figures did not.
            </p>
          </Callout>
        )}
        <p class="row note">
          <NightTicks nights={summary.nights} /> {missedText(summary)}
        </p>
        <Negative summary={summary} href={paths.nightlyReport(asset, latest.date, latest.revision)} />
        <details class="items" open={missing > 0 || undefined}>
          <summary>What it covers</summary>
          <Facts
            facts={[
              ["Received", <Moment at={latest.receivedAt} />],
              ["Made", <Moment at={latest.generatedAt} />],
              [
                "Covers",
                <>
                  <Day day={latest.date} /> (UTC day it was made on); its last 24 h begin{" "}
                  <Moment at={latest.coversFrom} />
                </>,
              ],
              [
                "Revision",
                <a href={paths.nightlyReport(asset, latest.date, latest.revision)}>
                  {formatCount(latest.revision)} of the day
                </a>,
              ],
              ["Metrics", formatCount(latest.metrics)],
              [
                "Families",
                families.length === 0 ? (
                  <span class="dim">none declared</span>
                ) : (
                  <Families families={families} />
                ),
              ],
            ]}
          />
        </details>
        {latest.nearMidnight ? (
          <p class="note">
            Made within {MIDNIGHT_MINUTES} minutes of midnight. {MIDNIGHT_HINT}
          </p>
        ) : null}
      </div>
    </Block>
  );
}

/** Pages named before the rest is counted. */
const NAMED_PAGES = 2;

/** The pages with most negative events of the last 24 h; that none is named is not that there was none. */
function Negative(props: { readonly summary: Pick<NightlySummary, "negative">; readonly href: string }) {
  const { negative } = props.summary;
  if (negative === undefined) {
    return (
      <p>
        Negative events by page: <span class="nm">Not measured</span>
      </p>
    );
  }
  const rest = negative.length - NAMED_PAGES;
  return (
    <p>
      Negative events by page:{" "}
      {negative.length === 0
        ? "none"
        : negative.slice(0, NAMED_PAGES).map(({ page, count }, place) => (
            <>
              {place === 0 ? "" : ", "}
              <ShortName name={page} /> {formatCount(count)}
            </>
          ))}
      {rest > 0 ? (
        <>
          , <a href={props.href}>{countOf(rest, "more page")}</a>
        </>
      ) : null}
    </p>
  );
}
