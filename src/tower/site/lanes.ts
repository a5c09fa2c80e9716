/**
 * Lanes of a site's charts: whose figures they are, their names and units, the flags of each day over the lane they
 * belong to, what a day says in words, and which days are shown.
 */

import { entryOf } from "../../base/contract.ts";
import { addDays, daysBetween, parseUtcDay, startOfDay, type UtcDay, utcDayOf } from "../../base/time.ts";
import { titleOf } from "../../flags/api.ts";
import { type ChainedFlag, type FlagRow, SERIES_SOURCES, type SeriesSource } from "../../flags/flags.ts";
import { listChainedFlags, listFlags } from "../../flags/queries.ts";
import { PROVIDER_NAMES, type Provider, type SIGNAL_METRICS } from "../../providers/adapter.ts";
import { type DayOffset, flagsShown } from "../../reports/nights.ts";
import type { DayValue, SeriesBasis } from "../../reports/series_days.ts";
import { isCount, SENT } from "../../sites/rule_catalogue.ts";
import type { Db } from "../../store/store.ts";
import { formatCount, formatDecimal, formatNarrow } from "../format.ts";
import { address, DAY, named, oneOf, PAGE, sought } from "../kit/address.tsx";
import { type ChartDay, type DayState, STATE_WORDS } from "../kit/chart.tsx";
import type { ChartFlag } from "../kit/chart_marks.tsx";
import { SEVERITIES, type Severity } from "../kit/links.tsx";
import { sortOf } from "../kit/list.tsx";
import type { ChartDays } from "../kit/plot.tsx";
import { paths } from "../paths.ts";

/** How sources and their figures are called, and how their values are written. */

/** `share` is a part of 1; a position is better the lower it is. */
export type FigureUnit = "count" | "share" | "position";

export const HALF_WORDS: Readonly<Record<SeriesSource, string>> = {
  pulse: "Sent by the site",
  ...PROVIDER_NAMES,
};

const SIGNAL_WORDS: Readonly<Record<(typeof SIGNAL_METRICS)[Provider][number], string>> = {
  active_users: "Active users",
  sessions: "Sessions",
  page_views: "Page views",
  event_count: "Events",
  clicks: "Clicks",
  impressions: "Impressions",
  ctr: "Click-through rate",
  position: "Average position",
};

/** What a figure is called: a provider's in words, a sent one as the site calls it. */
export function labelOf(source: SeriesSource, metric: string): string {
  return source === SENT ? metric : (entryOf(SIGNAL_WORDS, metric) ?? metric);
}

export function unitOf(source: SeriesSource, metric: string): FigureUnit {
  if (isCount(source, metric)) return "count";
  return metric === "ctr" ? "share" : "position";
}

/** A value in the way of its unit, narrow enough for a table: "1,204", "2.3%", "11.5", "0.002", "9.01T". */
export function figureText(unit: FigureUnit, value: number): string {
  switch (unit) {
    case "count":
      // Most are such; the formatter costs a hundred times as much.
      if (Number.isInteger(value) && value >= 0 && value < 1_000) return String(value);
      return small(value) ?? formatNarrow(value);
    case "share":
      return `${small(value * 100) ?? formatDecimal(value * 100)}%`;
    case "position":
      return small(value) ?? formatDecimal(value);
  }
}

/** A value in the way of its unit, close enough to be told from another one: every digit of a count, six of the others. */
export function closeText(unit: FigureUnit, value: number): string {
  const text = (of: number) =>
    of.toLocaleString("en-GB", { maximumSignificantDigits: unit === "count" ? 17 : 6 });
  return unit === "share" ? `${text(value * 100)}%` : text(value);
}

/** Two digits that say something of what lies between 0 and 1; undefined for what does not. */
function small(value: number): string | undefined {
  const size = Math.abs(value);
  if (size === 0 || size >= 1) return undefined;
  return size < 1e-6 ? value.toExponential(1) : String(Number(value.toPrecision(2)));
}

/** Most flags that are read for the charts of a page, the newest ones. */
const MOST_FLAGS = 300;
/** A flag is raised after the day it is about: up to a week later when its report came late. */
const LATEST_DAYS = 8;

/** Which chart: whose figure, and which. */
export type LaneKey = `${SeriesSource}/${string}`;

export const laneKey = (source: SeriesSource, metric: string): LaneKey => `${source}/${metric}`;

/** A flag on its day; without a chart where it is about no figure that has one. */
export interface DayFlag extends ChartFlag {
  readonly lane: LaneKey | undefined;
  /** Every day on which it was raised, or raised anew. */
  readonly days: readonly UtcDay[];
  readonly rule: FlagRow["rule"];
  /** Of the lasting thing, as its last flag has it. */
  readonly status: FlagRow["status"];
  readonly href: string;
}

/** The chart a flag stands over. */
const laneOf = ({ metric, source }: Pick<FlagRow, "metric" | "source">): LaneKey | undefined =>
  metric === null ? undefined : laneKey(source ?? SENT, metric);

/** Each lasting thing once, at the first of the days that it is about; oldest first. */
export function flagsBetween(
  db: Db,
  of: { readonly asset: string; readonly offset: DayOffset },
  days: ChartDays,
  now: number,
): DayFlag[] {
  const { asset, offset } = of;
  const until = startOfDay(addDays(days.to, LATEST_DAYS));
  const rows = listChainedFlags(db, { asset, from: startOfDay(days.from), to: until }, MOST_FLAGS);
  const began = new Map<string, DayFlag>();
  const newest = new Map<string, ChainedFlag>();
  const held = new Map<string, UtcDay[]>();
  // The newest come first, so that the earliest row of a chain is the one that stays, with how its last one stands.
  for (const row of rows.map(flagsShown(db, of))) {
    const { first } = row.chain;
    const last = newest.get(first) ?? row;
    newest.set(first, last);
    const date = dayOf(row, isSentLane(laneOf(row)) ? offset : 0);
    // Of a day that was judged several times the last row says how it is.
    if (date < days.from || date > days.to || began.get(first)?.date === date) continue;
    held.set(first, [date, ...(held.get(first) ?? [])]);
    began.set(first, {
      lane: laneOf(row),
      date,
      days: held.get(first) ?? [],
      rule: row.rule,
      severity: row.severity,
      message: titleOf(row, now),
      status: last.status,
      href: paths.flag(last.id),
    });
  }
  return [...began.values()].reverse();
}

const isSentLane = (lane: LaneKey | undefined): boolean => lane?.startsWith(`${SENT}/`) === true;

/** The day a flag is about: the judged day, the day that the report which sent it is shown on, or the day it was raised. */
function dayOf(
  { rule_inputs, raised_at }: Pick<ChainedFlag, "rule_inputs" | "raised_at">,
  offset: DayOffset,
): UtcDay {
  const dayIn = (named: unknown) => (typeof named === "string" ? parseUtcDay(named) : undefined);
  const report = dayIn((rule_inputs?.["report"] as { readonly date?: unknown } | undefined)?.date);
  const judged = dayIn(rule_inputs?.["day"]) ?? (report && addDays(report, offset));
  return judged ?? utcDayOf(Date.parse(raised_at));
}

/** The worst open flag of each chart. */
export function worstByLane(db: Db, asset: string): ReadonlyMap<LaneKey, Severity> {
  const worst = new Map<LaneKey, Severity>();
  for (const row of listFlags(db, { asset, status: "open" }, MOST_FLAGS)) {
    const lane = laneOf(row);
    if (lane === undefined) continue;
    const known = worst.get(lane);
    if (known === undefined || urgency(row.severity) < urgency(known)) worst.set(lane, row.severity);
  }
  return worst;
}

/** 0 for the worst; what has no flag comes last. */
export function urgency(severity: Severity | undefined): number {
  return severity === undefined ? SEVERITIES.length : SEVERITIES.indexOf(severity);
}

// What a day of a figure says, in words. Pure.

/** The days of one figure as charts, tables and files show them: a value with its state, a gap, or nothing. Pure. */

export interface FigureDay extends ChartDay {
  readonly basis: SeriesBasis | null;
}

/** Between which days a figure owes a value: a day of these of which nothing was told is missing. */
export interface Owed {
  readonly first: UtcDay | undefined;
  readonly last: UtcDay | undefined;
}

/** Every one of these days, in their order. What is missing before the first value or after the last is owed to nobody. */
export function figureDays(
  days: readonly UtcDay[],
  told: ReadonlyMap<UtcDay, Pick<DayValue, "state" | "basis" | "value">>,
  { first, last }: Owed,
): FigureDay[] {
  return days.map((day): FigureDay => {
    const said = told.get(day);
    if (said !== undefined) return { day, state: said.state, basis: said.basis, value: said.value };
    const owed = first !== undefined && last !== undefined && day > first && day <= last;
    return { day, state: owed ? "missing" : "none", basis: null, value: null };
  });
}

/** The newest day that has a value: a final one where there is one. */
export function lastValued(days: readonly FigureDay[]): FigureDay | undefined {
  return (
    days.findLast(({ state, value }) => state === "final" && value !== null) ??
    days.findLast(({ value }) => value !== null)
  );
}

/** A stretch of days, by its last day, beside the one before it. */
export type Comparison = NonNullable<ReturnType<typeof compared>>;

/**
 * Compares the last so many days that end with the newest final one with as many before them; undefined where one of all is not final,
 * or has no value. `days` are without gaps, oldest first.
 */
export function compared(days: readonly FigureDay[], count: number) {
  const end = days.findLastIndex(({ state }) => state === "final");
  const both = days.slice(Math.max(0, end + 1 - 2 * count), end + 1);
  const values = both.flatMap(({ state, value }) => (state === "final" && value !== null ? [value] : []));
  const to = days[end]?.day;
  if (to === undefined || values.length < 2 * count) return undefined;
  const sum = (some: readonly number[]) => some.reduce((all, value) => all + value, 0);
  return { to, now: sum(values.slice(count)), before: sum(values.slice(0, count)) };
}

/** Least count of the earlier stretch that a change of it is said in percent of. */
const LEAST = 50;

/** How far two counts lie apart: half and twice as many are equally far. */
export function distance({ now, before }: { readonly now: number; readonly before: number }): number {
  // One more on both sides, so that 0 of 1 is no greater than 0 of 100.
  return Math.abs(Math.log((Math.max(0, now) + 1) / (Math.max(0, before) + 1)));
}

/** From so many times as many on a change is said in times. */
const TIMES = 3;

/** "+2%", "−74%"; "4.6×" for many times as many; "−1" where the earlier count is too small for a percent. */
export function changeText(of: { readonly now: number; readonly before: number }): string {
  const { now, before } = of;
  const times = before > 0 && now - before >= TIMES ? now / before : 0;
  if (times >= TIMES) return `${formatDecimal(times)}×`;
  if (before >= LEAST) return `${signed(Math.round(((now - before) / before) * 100))}%`;
  // From what is shown as normal, so that the three figures beside each other add up.
  return before < TENTHS_BELOW
    ? signed(Math.round((now - tenths(before)) * 10) / 10)
    : signed(Math.round(now - Math.round(before)));
}
const tenths = (value: number): number => Math.round(value * 10) / 10;

/** What is normal, as precise as it is worth: "95", "8.8". */
export function usualText(mean: number): string {
  return mean < TENTHS_BELOW ? formatDecimal(mean) : formatCount(mean);
}
const TENTHS_BELOW = 20;

function signed(value: number): string {
  if (value === 0) return "0";
  return `${value > 0 ? "+" : "−"}${formatDecimal(Math.abs(value))}`;
}

/** What follows a day whose value is not final: ", ignored by rules"; "" where it is. */
export function stateAfter(state: DayState): string {
  return state === "final" ? "" : `, ${STATE_WORDS[state]}`;
}

// Which days the charts of a site show. Pure.

/** Which days and figures of a site are shown, as an address says it. */

/** Ranges of the charts, in days. */
export const RANGES = [7, 28, 90, 365] as const;

const LONGEST_NAME = 400;

/** What the table of metrics is sorted by. */
export const SORTS = ["metric", "latest", "normally", "change", "week", "week-change"] as const;

/**
 * The days of the charts: a range that ends with the last night, or days of one's own choice (`from` and `to`), which go before. One metric alone of a source, or all whose name holds `q`; the order of the table of metrics, whose worst come first where nothing is said, and its page.
 */
const params = {
  range: oneOf(RANGES, 28),
  from: DAY,
  to: DAY,
  source: oneOf(SERIES_SOURCES, SENT),
  metric: named(LONGEST_NAME, null),
  q: sought(LONGEST_NAME),
  sort: sortOf(SORTS, ""),
  page: PAGE,
};
export const siteAddress = address(params);
/** One metric alone shows more days. */
export const metricAddress = address({ ...params, range: oneOf(RANGES, 90) });

export type SiteQuery = typeof siteAddress.usual;
export const WHOLE_SITE: SiteQuery = siteAddress.usual;

/** The overview of a site with this query. */
export function siteHref(asset: string, query: Partial<SiteQuery>): string {
  return `${paths.site(asset)}${siteAddress.search(query)}`;
}

/** The overview of one day. */
export const dayHref = (asset: string, day: UtcDay): string => siteHref(asset, { from: day, to: day });

/** The page of one metric. */
export function metricHref(asset: string, query: Partial<SiteQuery>): string {
  return `${paths.metric(asset)}${metricAddress.search(query)}`;
}

/** The numbers of the charts that this query shows, as a file. */
export function csvHref(asset: string, query: SiteQuery): string {
  return `${paths.siteCsv(asset)}${siteAddress.search(query)}`;
}

/** Most days on one page. */
export const MOST_DAYS = 400;

export type ShownDays = ReturnType<typeof shownDays>;

/**
 * The days a query asks for, put in order and cut to what can be shown: `last` is the newest day that can be, `first` the first of which
 * anything is known. An end that is not given is the last day, or a range before it.
 */
export function shownDays(
  { range, from: asked, to: askedTo }: Pick<SiteQuery, "range" | "from" | "to">,
  last: UtcDay,
  first: UtcDay | undefined,
) {
  const end = askedTo ?? last;
  const begin = asked ?? addDays(end, 1 - range);
  const [early = begin, to = end] = [begin, end].map((day) => (day > last ? last : day)).toSorted();
  const from = daysBetween(early, to) < MOST_DAYS ? early : addDays(to, 1 - MOST_DAYS);
  const count = daysBetween(from, to) + 1;
  const moved = (by: number) => ({ from: addDays(from, by), to: addDays(to, by) });
  return {
    from,
    to,
    count,
    /** The days are of one's own choice, and not one of the ranges. */
    chosen: asked !== null || askedTo !== null,
    /** The queries of the days before and after; null where there is nothing. */
    earlier: first !== undefined && first < from ? moved(-count) : null,
    later: to < last ? moved(Math.min(count, daysBetween(to, last))) : null,
  };
}
