/** The days that a site's charts show: lanes by source, how they are drawn, their CSV, how all of it is read, and the links to other days. */

import {
  addDays,
  calendarDay,
  dayNumber,
  dayOfNumber,
  eachDay,
  type UtcDay,
  utcDayOf,
} from "../../base/time.ts";
import { SERIES_SOURCES, type SeriesSource } from "../../flags/flags.ts";
import { isProvider, PROVIDERS, type Provider, SIGNAL_METRICS } from "../../providers/adapter.ts";
import type { Attachment } from "../../providers/credentials.ts";
import { type DayOffset, dayOffsetOf } from "../../reports/nights.ts";
import {
  findFirstBlock,
  findLastBlock,
  listAllSeries,
  readBlocks,
  type SourcedSeries,
} from "../../reports/series.ts";
import { type DayValue, daysOf, unlessDamaged } from "../../reports/series_days.ts";
import { lastTimeZone, type PullStanding, pullStanding } from "../../signals/attempts.ts";
import { connectionsOf } from "../../signals/matched_site.ts";
import { SENT } from "../../sites/rule_catalogue.ts";
import type { findAsset } from "../../sites/sites.ts";
import type { Db } from "../../store/store.ts";
import { formatDays } from "../format.ts";
import type { PageGround } from "../ground.ts";
import type { ChartLane } from "../kit/chart.tsx";
import { Kept, TextField } from "../kit/field.tsx";
import { StateMark } from "../kit/glyph.tsx";
import { here } from "../kit/here.ts";
import { Segments, type Severity, Steps } from "../kit/links.tsx";
import { pageOf, pagingOf } from "../kit/list.tsx";
import type { ChartDays } from "../kit/plot.tsx";
import { Moment } from "../kit/proof.tsx";
import { paths } from "../paths.ts";
import {
  type Comparison,
  compared,
  type DayFlag,
  type FigureDay,
  type FigureUnit,
  figureDays,
  figureText,
  flagsBetween,
  type LaneKey,
  labelOf,
  laneKey,
  metricAddress,
  metricHref,
  type Owed,
  RANGES,
  type SiteQuery,
  shownDays,
  siteAddress,
  siteHref,
  unitOf,
  urgency,
  worstByLane,
} from "./lanes.ts";
import { type NightlyOverview, readNightly } from "./latest_nightly.tsx";

/** A provider that the site is attached to. */
interface SourceStanding extends PullStanding {
  /** The provider's own id of the property. */
  readonly property: string;
  /** The calendar that its days are of; undefined where it does not say. */
  readonly timeZone: string | undefined;
}

/** The providers that a site is attached to, each with how its pulls go. */
function readStandings(db: Db, attachments: readonly Attachment[]): ReadonlyMap<Provider, SourceStanding> {
  return new Map(
    attachments.map(({ asset, provider, property, connectionRevision }) => {
      const of = { asset, provider, connectionRevision, property };
      return [provider, { property, timeZone: lastTimeZone(db, of), ...pullStanding(db, of) }];
    }),
  );
}

/** One chart of a site: a figure of one of its sources over the days that are shown. */

export interface Lane {
  readonly key: LaneKey;
  readonly half: SeriesSource;
  /** As it is stored. */
  readonly metric: string;
  readonly label: string;
  readonly unit: FigureUnit;
  /** Every day that is shown, oldest first. */
  readonly days: readonly FigureDay[];
  /** Its last week against the one before; undefined where one of the two is not complete and final, or its days do not add up. */
  readonly week: Comparison | undefined;
  readonly flags: readonly DayFlag[];
  /** The worst of its open flags. */
  readonly worst: Severity | undefined;
  readonly href: string;
}

/** Everything the charts of a site show. */
export type SiteDays = ReturnType<typeof readSiteDays>;

/** Every chart that is shown, in the order of the page. */
export function lanesOf({ groups }: Pick<SiteDays, "groups">): readonly Lane[] {
  return groups.flatMap(({ lanes }) => lanes);
}

/** How a chart is drawn, and how its days are told. */
export function chartLane(
  { label, unit, days, flags }: Lane,
  more: Pick<ChartLane, "height" | "aside" | "expected">,
): ChartLane {
  const flagged = new Map<UtcDay, Severity>();
  for (const { days: held, severity } of flags) {
    for (const day of held) if (urgency(severity) < urgency(flagged.get(day))) flagged.set(day, severity);
  }
  return {
    label,
    form: unit === "count" ? "bars" : "line",
    lowIsBetter: unit === "position",
    format: (value) => figureText(unit, value),
    days,
    flagged,
    flags,
    ...more,
  };
}

/** Since when a provider's figures are not collected, and where it says why and what to do. */
export function Failing({ asset, standing }: { readonly asset: string; readonly standing: SourceStanding }) {
  const { now } = here();
  const { latest, failingSince } = standing;
  if (latest === undefined || failingSince === undefined) return null;
  return (
    <span class="block-sm">
      <StateMark state="failing" /> since <Moment at={failingSince} />.{" "}
      <a href={paths.siteIntegrations(asset)}>See why</a>
      {latest.nextRetryAt === null || latest.nextRetryAt <= now ? null : (
        <>
          {" "}
          Next retry <Moment at={latest.nextRetryAt} />.
        </>
      )}
    </span>
  );
}

/** The numbers of the charts as a file (RFC 4180): a line for each day of each figure, with its state and basis. Pure. */

const HEADINGS = ["date", "source", "metric", "value", "state", "basis", "report_date"] as const;

/**
 * The lines, each ended by CRLF, the headings first; oldest day first, the charts in the order of the page. A value that is absent is
 * an empty cell and never 0; a day of which nothing is due has no line. `date` is the day that the chart shows; what the site sent also
 * has the date of its report, by which the API and the flags know it.
 */
export function csvOf(site: SiteDays): string {
  const lanes = lanesOf(site);
  const count = lanes[0]?.days.length ?? 0;
  const lines: string[] = [lineOf(HEADINGS)];
  for (let place = 0; place < count; place++) {
    for (const lane of lanes) lines.push(...linesOf(lane, place, site.offset));
  }
  return lines.join("");
}

function linesOf({ half, metric, days }: Lane, place: number, offset: DayOffset): string[] {
  const figure = days[place];
  if (figure === undefined || figure.state === "none") return [];
  const { day, value, state, basis } = figure;
  const reported = half === SENT ? addDays(day, -offset) : "";
  return [lineOf([day, half, metric, value === null ? "" : String(value), state, basis ?? "", reported])];
}

/** One line of a file. */
export function lineOf(cells: readonly string[]): string {
  return `${cells.map(cellOf).join(",")}\r\n`;
}

/** Numbers as the file writes them; everything else is text. */
const NUMBER = /^-?\d+(?:\.\d+)?(?:e[+-]\d+)?$/;
/** What a spreadsheet takes for a formula, full-width forms too: an apostrophe before it makes it text. */
const FORMULA = /^[=+\-@\t\r\n＝＋－＠]/;

/** One cell: quoted where it must be, and never a formula. */
export function cellOf(text: string): string {
  const safe = FORMULA.test(text) && !NUMBER.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

// Gathers the charts of a site: all of its sources over the same days. Blocks of series are read, never bodies.

/** Sent metrics on one page. */
export const METRICS_PAGE = 12;
/** Days that are compared with as many before. */
const WEEK = 7;
/** A provider that has been silent for longer than this has nothing final near the end of the days that are compared. */
const LONGEST_LAG = 40;

/** What is known of a site before its charts are read. */
interface SiteInput extends Pick<NightlyOverview, "owedTo" | "figures" | "firstNight"> {
  readonly asset: string;
  readonly query: SiteQuery;
  readonly now: number;
  /** The newest night that can be judged. */
  readonly lastNight: UtcDay;
  readonly attachments: readonly Attachment[];
}

/** A site's nightly reports, what it is read from, and the days that a query asks for. */
export function readSite(
  deps: PageGround,
  site: NonNullable<ReturnType<typeof findAsset>>,
  query: SiteQuery,
  now: number,
) {
  const { db } = deps;
  const { id: asset } = site;
  const nightly = readNightly(db, site, now);
  const attachments = connectionsOf(db, asset, now, site);
  const { lastNight } = nightly.summary;
  const days = readSiteDays(deps, { ...nightly, asset, query, now, lastNight, attachments });
  return { nightly, attachments, days };
}

/** Reads the charts that a query asks for. */
export function readSiteDays({ db, annotationsOf }: PageGround, input: SiteInput) {
  const { asset, query, now, lastNight } = input;
  const all = listAllSeries(db, asset).filter(isKnownSource);
  const worst = worstByLane(db, asset);
  const sentOffset = dayOffsetOf(db, asset);
  const { chosen, paging, known } = chooseSeries(all, worst, input);
  const opened = chosen.map((series) => openSeries(db, series, series.source === SENT ? sentOffset : 0, now));
  const firsts = [...opened.map(({ first }) => first), input.firstNight].filter((day) => day !== undefined);
  const days = shownDays(query, lastNight, firsts.toSorted()[0]);
  const flags = flagsBetween(db, { asset, offset: sentOffset }, days, now);
  const byLane = Map.groupBy(flags, ({ lane }) => lane);
  const standings = readStandings(db, input.attachments);
  const base: Base = { input, byLane, worst, days, standings };
  const isWhole = query.metric === null && query.q === "" && paging.page === 1;
  const lanes = opened.map((series) => laneOfSeries(db, series, base));
  return {
    asset,
    // Of one metric its days are paged.
    query: query.metric === null ? { ...query, page: paging.page } : query,
    days,
    /** By how many days what the site sent is shown away from the dates of its reports. */
    offset: sentOffset,
    /** The one that holds the worst chart first. */
    groups: groupsOf(lanes, opened, standings, isWhole),
    /** Sent metrics ever reported, and the page of them. */
    known,
    paging,
    flags,
    annotations: annotationsOf(asset, days),
  };
}

type SiteSeries = SourcedSeries & { readonly source: SeriesSource };

function isKnownSource(series: SourcedSeries): series is SiteSeries {
  return SERIES_SOURCES.some((source) => source === series.source);
}

/** A series of the page with how far it reaches. */
type OpenSeries = ReturnType<typeof openSeries>;

interface Base {
  readonly input: SiteInput;
  readonly byLane: ReadonlyMap<LaneKey | undefined, DayFlag[]>;
  readonly worst: ReadonlyMap<LaneKey, Severity>;
  readonly days: ChartDays;
  readonly standings: ReadonlyMap<SeriesSource, SourceStanding>;
}

/**
 * One metric alone; or a page of the sent ones, the worst first, and on the first page what providers tell. Where the table has an order
 * of its own all are read, since what they are ordered by stands in their rows.
 */
function chooseSeries(all: readonly SiteSeries[], worst: ReadonlyMap<LaneKey, Severity>, input: SiteInput) {
  const { query, figures } = input;
  const sent = all.filter(({ source }) => source === SENT);
  const known = sent.length;
  if (query.metric !== null) {
    const chosen = all.filter(({ source, metric }) => source === query.source && metric === query.metric);
    return { chosen, paging: pagingOf(chosen.length, 1, METRICS_PAGE), known };
  }
  const wanted = query.q.toLowerCase();
  const rank = ({ source, metric }: SiteSeries): number =>
    urgency(worst.get(laneKey(source, metric))) * 2 + (Object.hasOwn(figures, metric) ? 0 : 1);
  const found = sent
    .filter(({ metric }) => metric.toLowerCase().includes(wanted))
    .toSorted((one, other) => rank(one) - rank(other));
  if (query.sort !== "") {
    const chosen = query.q === "" ? [...found, ...signalsOf(all)] : found;
    return { chosen, paging: pagingOf(chosen.length, query.page, METRICS_PAGE), known };
  }
  const { items, paging } = pageOf(found, query.page, METRICS_PAGE);
  const isWhole = query.q === "" && paging.page === 1;
  return { chosen: isWhole ? [...items, ...signalsOf(all)] : items, paging, known };
}

/** What providers tell, each in the order in which it is asked for. */
function signalsOf(all: readonly SiteSeries[]): readonly SiteSeries[] {
  return PROVIDERS.flatMap((provider) =>
    SIGNAL_METRICS[provider].flatMap((metric) =>
      all.filter((series) => series.source === provider && series.metric === metric),
    ),
  );
}

/** How far a series reaches; damaged days tell nothing, and those that a clock which was ahead left behind are not its latest. */
function openSeries(db: Db, series: SiteSeries, offset: DayOffset, now: number) {
  // East of Greenwich tomorrow has begun.
  const newest = dayNumber(utcDayOf(now)) + 1;
  const edge = (block: ReturnType<typeof findFirstBlock>) =>
    block === undefined ? [] : [...(unlessDamaged(() => daysOf(block.days, block.block)) ?? [])];
  const [first] = edge(findFirstBlock(db, series.id));
  const ending = edge(findLastBlock(db, series.id, newest)).filter(([day]) => day <= newest);
  const dayOf = (entry: readonly [number, DayValue] | undefined) =>
    entry === undefined ? undefined : dayOfNumber(entry[0] + offset);
  return {
    ...series,
    /** By how many days it is shown away from its own days; those below are where it is shown. */
    offset,
    first: dayOf(first),
    last: dayOf(ending.at(-1)),
    finalTo: dayOf(ending.findLast(([, { state }]) => state === "final")),
  };
}

function laneOfSeries(
  db: Db,
  series: OpenSeries,
  { input, byLane, worst, days: shown, standings }: Base,
): Lane {
  const { source, metric } = series;
  const { asset, query, owedTo } = input;
  const unit = unitOf(source, metric);
  const summed = unit === "count";
  const reach = summed ? 2 * WEEK + LONGEST_LAG : 0;
  const from = addDays(shown.from, -reach);
  // A day that is not over is no drop.
  const today = isProvider(source)
    ? dayOfNumber(calendarDay(input.now, standings.get(source)?.timeZone))
    : undefined;
  const overTo = today === undefined ? undefined : addDays(today, -1);
  const owedSent = owedTo === undefined ? undefined : addDays(owedTo, series.offset);
  const owed: Owed = { first: series.first, last: source === SENT ? owedSent : earlier(series.last, overTo) };
  const told = valuesBetween(db, series, from, shown.to);
  if (today !== undefined) told.delete(today);
  const days = figureDays(eachDay({ from, to: shown.to }), told, owed);
  const key = laneKey(source, metric);
  return {
    key,
    half: source,
    metric,
    label: labelOf(source, metric),
    unit,
    days: days.slice(reach),
    week: summed ? compared(days, WEEK) : undefined,
    flags: byLane.get(key) ?? [],
    worst: worst.get(key),
    href: metricHref(asset, { source, metric, from: query.from, to: query.to }),
  };
}

/** The earlier of two days, of which either may not be known. */
function earlier(one: UtcDay | undefined, other: UtcDay | undefined): UtcDay | undefined {
  return one === undefined || other === undefined ? (one ?? other) : one < other ? one : other;
}

/** The days of a series between two; what is damaged is left out. */
function valuesBetween(db: Db, { id, offset }: OpenSeries, from: UtcDay, to: UtcDay): Map<UtcDay, DayValue> {
  const [first, last] = [dayNumber(from) - offset, dayNumber(to) - offset];
  const told = new Map<UtcDay, DayValue>();
  for (const { block, days } of readBlocks(db, id, first, last)) {
    for (const [day, value] of unlessDamaged(() => daysOf(days, block)) ?? []) {
      if (day >= first && day <= last) told.set(dayOfNumber(day + offset), value);
    }
  }
  return told;
}

/** The charts by source; the worst chart first within one, and the source that holds it before the others. */
function groupsOf(
  lanes: readonly Lane[],
  opened: readonly OpenSeries[],
  standings: ReadonlyMap<SeriesSource, SourceStanding>,
  isWhole: boolean,
) {
  return SERIES_SOURCES.flatMap((half) => {
    const own = lanes
      .filter((lane) => lane.half === half)
      .toSorted((one, other) => urgency(one.worst) - urgency(other.worst));
    // Undefined for what no provider is asked for.
    const standing = standings.get(half);
    if (own.length === 0 && (standing === undefined || !isWhole)) return [];
    const finals = opened.flatMap(({ source, finalTo }) => (source === half ? (finalTo ?? []) : []));
    // The newest day that is final, whichever days are shown.
    return [{ half, lanes: own, finalTo: finals.toSorted().at(-1), standing }];
  }).toSorted((one, other) => urgency(one.lanes[0]?.worst) - urgency(other.lanes[0]?.worst));
}

// Which days the charts of a site show, and the ways to others: the overview and the page of a metric have the same.

const RANGE_WORDS = { 7: "7 d", 28: "28 d", 90: "90 d", 365: "1 y" } as const;

/** The ranges, the days before and after, and days of one's own choice. */
export function RangeLinks({ site }: { readonly site: Pick<SiteDays, "asset" | "query" | "days"> }) {
  const { asset, query, days } = site;
  const { from, to, chosen } = days;
  const isOne = query.metric !== null;
  const [hrefTo, address] = isOne ? [metricHref, metricAddress] : [siteHref, siteAddress];
  const other = { ...query, from: null, to: null, page: 1 };
  const step = (moved: (typeof days)["earlier"]) =>
    moved === null ? null : hrefTo(asset, { ...query, page: 1, ...moved });
  return (
    <>
      <Segments
        label="Range"
        choices={RANGES.map((range) => ({
          words: RANGE_WORDS[range],
          href: hrefTo(asset, { ...other, range }),
          chosen: !chosen && range === query.range,
        }))}
      />
      <Steps earlier={step(days.earlier)} later={step(days.later)} what=" days" />
      <details class="otherdays">
        <summary class="btn bare">Custom range</summary>
        <form method="get" action={isOne ? paths.metric(asset) : paths.site(asset)} class="row">
          <Kept search={address.search(other)} />
          <TextField name="from" label="From" type="date" value={from} autocomplete="off" />
          <TextField name="to" label="To" type="date" value={to} autocomplete="off" />
          <button class="btn">Show</button>
        </form>
      </details>
      <small class="days-shown">{formatDays(from, to)}</small>
    </>
  );
}
