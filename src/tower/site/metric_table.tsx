/** Every metric of a site in one table: its newest value, what is normal, the week against the one before, and what the rules say. */

import { countWords as countOf } from "../../base/text.ts";
import { daysBetween, type UtcDay } from "../../base/time.ts";
import { SERIES_STATES } from "../../reports/series_days.ts";
import { usualOf } from "../../rules/verdict.ts";
import { SENT } from "../../sites/rule_catalogue.ts";
import { formatDay } from "../format.ts";
import { SearchForm } from "../kit/field.tsx";
import { Glyph } from "../kit/glyph.tsx";
import { ShortName, Told } from "../kit/links.tsx";
import { Block, type Column, inOrder, List, Pager } from "../kit/list.tsx";
import { DayBars } from "../kit/plot.tsx";
import { Day, Marked } from "../kit/proof.tsx";
import { paths } from "../paths.ts";
import {
  changeText,
  csvHref,
  distance,
  type FigureDay,
  figureText,
  HALF_WORDS,
  lastValued,
  type SORTS,
  siteAddress,
  siteHref,
  stateAfter,
  urgency,
  usualText,
} from "./lanes.ts";
import type { SentFigures } from "./latest_nightly.tsx";
import { type Lane, lanesOf, METRICS_PAGE, type SiteDays } from "./site_days.tsx";
import type { FigureTest } from "./verdict.tsx";

/** Days of the small bars. */
const SMALL_DAYS = 28;

/** A metric with what stands in its row. */
interface MetricRow {
  readonly lane: Lane;
  readonly test: FigureTest | undefined;
  readonly latest: FigureDay | undefined;
  /** Why the latest report tells nothing of it. */
  readonly absent: string | undefined;
  /** A day's count as the days that it was compared with had it. */
  readonly normally: number | undefined;
  /** The day that was judged, where it is one day. */
  readonly change: { readonly now: number; readonly before: number } | undefined;
}

/** What a row is read from. */
interface MetricsOf {
  readonly site: SiteDays;
  /** Metrics of the latest nightly report. */
  readonly figures: SentFigures;
  readonly tests: ReadonlyMap<Lane["key"], FigureTest>;
}

export function rowOf(lane: Lane, { figures, tests }: MetricsOf): MetricRow {
  const test = tests.get(lane.key);
  const { words } = test ?? {};
  const latest = lastValued(lane.days);
  // What an earlier day was compared with says nothing beside a newer value that is not checked yet.
  const flow = words?.state === "tested" && words.day === latest?.day ? words.flow : undefined;
  const told = flow && usualOf(flow);
  const sent = Object.hasOwn(figures, lane.metric) ? figures[lane.metric] : undefined;
  const isSent = lane.half === SENT;
  return {
    lane,
    test,
    latest,
    absent: !isSent
      ? undefined
      : sent === undefined
        ? "Not in the report"
        : sent.last24h === undefined
          ? "Not sent"
          : undefined,
    normally: told && told.expected / told.windowDays,
    change: told?.windowDays === 1 ? { now: told.observed.count, before: told.expected } : undefined,
  };
}

/** Each number sorts by itself, a change by its size. */
function columnsOf(): readonly Column<MetricRow>[] {
  const none = <span class="dim">–</span>;
  const number = (
    words: string,
    key: (typeof SORTS)[number],
    value: (row: MetricRow) => number | null | undefined,
    cell: Column<MetricRow>[1],
  ): Column<MetricRow> => [words, cell, { numeric: true, sort: [key, value] }];
  return [
    [
      "Metric",
      ({ lane }) => <Name lane={lane} />,
      { class: "wrap", sort: ["metric", ({ lane }) => lane.label] },
    ],
    number(
      "Latest",
      "latest",
      ({ latest, absent }) => (absent === undefined ? latest?.value : null),
      (row) => <Latest row={row} />,
    ),
    number(
      "Normally",
      "normally",
      ({ normally }) => normally,
      ({ normally }) => (normally === undefined ? none : usualText(normally)),
    ),
    number(
      "Change",
      "change",
      ({ change }) => change && distance(change),
      ({ change }) => (change === undefined ? none : changeText(change)),
    ),
    number(
      "7 days",
      "week",
      ({ lane: { week } }) => week?.now,
      ({ lane }) =>
        lane.week === undefined ? (
          none
        ) : (
          <>
            {figureText(lane.unit, lane.week.now)}
            {isOld(lane.week.to, lane) ? (
              <small class="block-sm">
                to <Day day={lane.week.to} />
              </small>
            ) : null}
          </>
        ),
    ),
    number(
      "Week before",
      "week-change",
      ({ lane: { week } }) => week && distance(week),
      ({ lane: { week, unit } }) =>
        week === undefined ? none : <span title={figureText(unit, week.before)}>{changeText(week)}</span>,
    ),
    ["28 days", ({ lane }) => <SmallBars lane={lane} />, { class: "small" }],
  ];
}

/** The metrics of a page, each leading to its own; the worst first, unless a column is chosen. */
export function MetricTable(props: MetricsOf) {
  const { site } = props;
  const { asset, query, known, paging } = site;
  const rows = lanesOf(site)
    .map((lane) => rowOf(lane, props))
    .toSorted((one, other) => urgency(one.lane.worst) - urgency(other.lane.worst));
  if (rows.length === 0 && query.q === "") return null;
  const columns = columnsOf();
  const isSorted = query.sort !== "";
  const shown = isSorted ? inOrder(rows, columns, query.sort).slice(paging.first - 1, paging.last) : rows;
  // The words of the rules are explained at their first place.
  const explained = shown.find(
    ({ lane, test }) => lane.worst === undefined && test?.words.state === "not_tested",
  );
  return (
    <Block
      id="figures"
      heading="Metrics"
      note={
        paging.pages === 1
          ? undefined
          : `${paging.first} to ${paging.last} of ${countOf(paging.total, isSorted ? "metric" : "sent metric")}`
      }
      tools={
        <>
          {known <= METRICS_PAGE && query.q === "" ? null : (
            <SearchForm
              action={`${paths.site(asset)}#figures`}
              id="metric-q"
              words="Metric's name"
              value={query.q}
              keep={siteAddress.search({ ...query, q: "", page: 1 })}
            />
          )}
          <a href={csvHref(asset, query)} download>
            Download CSV
          </a>
        </>
      }
    >
      <List
        of="Metrics of the site"
        class="tests"
        items={shown}
        columns={[
          ...columns,
          [
            "Result",
            (row) => <Result row={row} asset={asset} isExplained={row === explained} />,
            { class: "result" },
          ],
        ]}
        sort={{ by: query.sort, href: (sort) => `${siteHref(asset, { ...query, page: 1, sort })}#figures` }}
        empty={
          <p>
            No metric's name holds <Told class="mono wrap">{query.q}</Told>.{" "}
            <a href={siteHref(asset, { ...query, q: "", page: 1 })}>Show all metrics</a>
          </p>
        }
      />
      <Pager
        paging={paging}
        what="metrics"
        href={(page) => `${siteHref(asset, { ...query, page })}#figures`}
      />
    </Block>
  );
}

function Name({ lane }: { readonly lane: Lane }) {
  return (
    <>
      <a href={lane.href}>
        <ShortName name={lane.label} />
      </a>{" "}
      {lane.half === SENT ? null : <small>{HALF_WORDS[lane.half]}</small>}
    </>
  );
}

/** A value that is older than this is named with its day: sources settle within days. */
const NAMED_AFTER = 4;

function Latest({ row: { lane, latest, absent } }: { readonly row: MetricRow }) {
  if (absent !== undefined) return <span class="nm">{absent}</span>;
  if (latest === undefined || latest.value === null) return <span class="nm">No data</span>;
  const { day, state, value } = latest;
  const text = figureText(lane.unit, value);
  return (
    <>
      {state === "final" ? <b title={formatDay(day)}>{text}</b> : <i>{text}</i>}
      {state === "final" && !isOld(day, lane) ? null : (
        <small class="block-sm">
          <Day day={day} />
          {stateAfter(state)}
        </small>
      )}
    </>
  );
}

const isOld = (day: UtcDay, { days }: Lane) => daysBetween(day, days.at(-1)?.day ?? day) > NAMED_AFTER;

/** The last days of the chart, small. */
function SmallBars({ lane }: { readonly lane: Lane }) {
  const days = lane.days.slice(-SMALL_DAYS);
  if (lane.unit !== "count") return null;
  const states = Uint8Array.from(days, ({ state }) => (state === "none" ? 0 : SERIES_STATES.indexOf(state)));
  const values = Float64Array.from(days, ({ value }) => value ?? Number.NaN);
  return <DayBars days={{ states, values }} />;
}

/** The worst open flag; as expected; or not tested, because of what. */
function Result(props: { readonly row: MetricRow; readonly asset: string; readonly isExplained: boolean }) {
  const { row, asset, isExplained } = props;
  const { lane, test, latest } = row;
  if (lane.worst !== undefined) {
    const flag = lane.flags.find(({ status, severity }) => status === "open" && severity === lane.worst);
    return (
      <a class="sev" data-sev={lane.worst} href={flag?.href ?? paths.siteFlags(asset)} title={flag?.message}>
        <Glyph name={`f-${lane.worst}`} />
        Flag
      </a>
    );
  }
  if (test === undefined) return null;
  const { words } = test;
  if (words.state === "not_tested") {
    return <span class="dim">{isExplained ? <Marked>{words.words}</Marked> : words.words}</span>;
  }
  return (
    <span class="dim">
      {words.flow.fires === null ? "As expected" : words.words}
      {words.day !== latest?.day ? (
        <>
          {" "}
          on <Day day={words.day} />
        </>
      ) : null}
    </span>
  );
}
