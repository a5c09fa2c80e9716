/** Gathers the charts of a site: all of its halves over the same days. Blocks of series and rows of reports are read, never bodies. */

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
import { isProvider, PROVIDERS, SIGNAL_METRICS } from "../../providers/adapter.ts";
import { listAttachmentsOf } from "../../providers/attachments.ts";
import type { Attachment } from "../../providers/credentials.ts";
import { findLatest, listReports } from "../../reports/codebase.ts";
import { codebaseTracks } from "../../reports/codebase_view.ts";
import {
  findFirstBlock,
  findLastBlock,
  listAllSeries,
  readBlocks,
  type SourcedSeries,
} from "../../reports/series.ts";
import { type DayValue, daysOf, unlessDamaged } from "../../reports/series_days.ts";
import {
  type DayOffset,
  DECIDING_REPORTS,
  dayOffsetOf,
  listReportTimes,
  offsetChanges,
} from "../../reports/shown_day.ts";
import { listVerdicts } from "../../rules/verdicts.ts";
import { SENT } from "../../sites/rule_catalogue.ts";
import type { findAsset } from "../../sites/sites.ts";
import type { Db } from "../../store/store.ts";
import type { ChartAnnotations } from "../kit/chart_marks.tsx";
import type { ChartDays } from "../kit/chart_scale.tsx";
import type { Severity } from "../kit/links.tsx";
import { inOrder, type Paging, pageOf, pagingOf } from "../kit/list.tsx";
import { paths } from "../paths.ts";
import type { SiteHeadDeps } from "../site_head.ts";
import { compared, distance, type FigureDay, figureDays, type Owed } from "./day_words.ts";
import {
  addsUp,
  CODE,
  type DayFlag,
  flagsBetween,
  type Half,
  type LaneKey,
  labelOf,
  laneKey,
  unitOf,
  urgency,
  worstByLane,
} from "./lanes.ts";
import { readNightly, type SentFigures } from "./latest_nightly.tsx";
import { metricHref, type SiteQuery, shownDays } from "./range.ts";
import {
  type Lane,
  type LaneGroup,
  readStandings,
  type SiteDays,
  type SourceStanding,
} from "./site_days.tsx";

/** Sent metrics on one page. */
export const METRICS_PAGE = 12;
/** Days that are compared with as many before. */
const WEEK = 7;
/** A provider that has been silent for longer than this has nothing final near the end of the days that are compared. */
const LONGEST_LAG = 40;
/** Codebase reports before the first day, for what their tools were. */
const REPORTS_BEFORE = 40;

/** What is known of a site before its charts are read. */
export interface SiteInput {
  readonly asset: string;
  readonly query: SiteQuery;
  readonly now: number;
  /** The newest night that can be judged. */
  readonly lastNight: UtcDay;
  /** The last night that owes a report; undefined where none does. */
  readonly owedTo: UtcDay | undefined;
  /** Metrics of the latest report. */
  readonly figures: SentFigures;
  readonly firstNight: UtcDay | undefined;
  /** The day of the latest codebase report. */
  readonly lastCode: UtcDay | undefined;
  readonly attachments: readonly Attachment[];
}

/** What gathering needs beside a site. */
export interface SiteDaysContext {
  readonly db: Db;
  readonly annotationsOf: (asset: string, days: ChartDays) => ChartAnnotations;
}

/** What reading a site needs. */
export interface SiteReadDeps extends SiteDaysContext, SiteHeadDeps {}

/** A site's nightly reports, what it is attached to, and the days that a query asks for. */
export function readSite(
  deps: SiteReadDeps,
  site: NonNullable<ReturnType<typeof findAsset>>,
  query: SiteQuery,
  now: number,
) {
  const { db } = deps;
  const { id: asset } = site;
  const nightly = readNightly(db, site, now);
  const attachments = listAttachmentsOf(db, asset);
  const { summary, owedTo, figures, firstNight } = nightly;
  const latestCode = findLatest(db, asset, now);
  const lastCode = latestCode?.date;
  const { lastNight } = summary;
  const input = { asset, query, now, lastNight, owedTo, figures, firstNight, lastCode, attachments };
  return { nightly, attachments, latestCode, days: readSiteDays(deps, input) };
}

/** Reads the charts that a query asks for. */
export function readSiteDays({ db, annotationsOf }: SiteDaysContext, input: SiteInput): SiteDays {
  const { asset, query, now, lastNight, lastCode } = input;
  const all = listAllSeries(db, asset).filter(isKnownSource);
  const worst = worstByLane(db, asset);
  const sentOffset = dayOffsetOf(db, asset);
  const { chosen, paging, known } = chooseSeries(db, all, worst, input);
  const opened = chosen.map((series) => openSeries(db, series, series.source === SENT ? sentOffset : 0, now));
  const last = lastCode !== undefined && lastCode > lastNight ? lastCode : lastNight;
  const firsts = [...opened.map(({ first }) => first), input.firstNight].filter((day) => day !== undefined);
  const days = shownDays(query, last, firsts.toSorted()[0]);
  const flags = flagsBetween(db, { asset, offset: sentOffset }, days, now);
  const byLane = Map.groupBy(flags, ({ lane }) => lane);
  const standings = readStandings(db, input.attachments);
  // A change shows where another offset held for the reports before it.
  const times = listReportTimes(db, asset, addDays(days.to, 1), days.count + DECIDING_REPORTS);
  const changes = [...offsetChanges(times)].map((date) => addDays(date, sentOffset));
  const breaks = new Set(changes.filter((day) => day >= days.from && day <= days.to));
  const base: Base = { input, byLane, worst, everyDay: eachDay(days), count: days.count, standings, breaks };
  const isWhole = query.metric === null && query.q === "" && paging.page === 1;
  const lanes = [
    ...opened.map((series) => laneOfSeries(db, series, base)),
    ...(isWhole ? codeLanes(db, base) : []),
  ];
  return {
    asset,
    // Of one metric its days are paged.
    query: query.metric === null ? { ...query, page: paging.page } : query,
    days,
    offset: sentOffset,
    groups: groupsOf(lanes, opened, standings, isWhole),
    known,
    paging,
    flags,
    annotations: annotationsOf(asset, days),
    unconnected: PROVIDERS.filter(
      (provider) => !standings.has(provider) && !all.some(({ source }) => source === provider),
    ),
  };
}

type SiteSeries = SourcedSeries & { readonly source: SeriesSource };

function isKnownSource(series: SourcedSeries): series is SiteSeries {
  return SERIES_SOURCES.some((source) => source === series.source);
}

/** A series of the page with how far it reaches. */
interface OpenSeries extends SiteSeries {
  /** By how many days it is shown away from its own days; those below are where it is shown. */
  readonly offset: DayOffset;
  readonly first: UtcDay | undefined;
  readonly last: UtcDay | undefined;
  readonly finalTo: UtcDay | undefined;
}

interface Base {
  readonly input: SiteInput;
  readonly byLane: ReadonlyMap<LaneKey | undefined, DayFlag[]>;
  readonly worst: ReadonlyMap<LaneKey, Severity>;
  readonly everyDay: readonly UtcDay[];
  readonly count: number;
  readonly standings: ReadonlyMap<Half, SourceStanding>;
  /** Days from which on the site's reports are made at another time of the day. */
  readonly breaks: ReadonlySet<UtcDay>;
}

/** One metric alone; or a page of the sent ones in the order that is asked for, and on the first page what providers tell. */
function chooseSeries(
  db: Db,
  all: readonly SiteSeries[],
  worst: ReadonlyMap<LaneKey, Severity>,
  input: SiteInput,
): { readonly chosen: readonly SiteSeries[]; readonly paging: Paging; readonly known: number } {
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
  const by = query.sort.replace(/^-/, "");
  const sorted = inOrder(found, [["", () => null, { sort: [by, orderOf(db, input, by)] }]], query.sort);
  const { items, paging } = pageOf(sorted, query.page, METRICS_PAGE);
  const isWhole = query.q === "" && paging.page === 1;
  return { chosen: isWhole ? [...items, ...signalsOf(all)] : items, paging, known };
}

/** What a sent metric is sorted by: as the column of that key in the table, for all of them. */
function orderOf(db: Db, input: SiteInput, by: string): (series: SiteSeries) => number | string | undefined {
  const { asset, figures, now, lastNight } = input;
  switch (by) {
    case "metric":
      return ({ metric }) => metric;
    case "latest":
      return ({ metric }) => (Object.hasOwn(figures, metric) ? figures[metric]?.last24h : undefined);
    case "normally":
    case "change": {
      const verdicts = new Map(listVerdicts(db, asset).map(({ metric, verdict }) => [metric, verdict.flow]));
      return ({ metric }) => {
        const flow = verdicts.get(metric);
        if (flow?.outcome !== "tested") return undefined;
        return by === "normally"
          ? flow.expected / flow.windowDays
          : distance({ now: flow.observed.count, before: flow.expected });
      };
    }
    case "week":
    case "week-change": {
      const from = addDays(lastNight, 1 - 2 * WEEK - LONGEST_LAG);
      const days = eachDay({ from, to: lastNight });
      return (series) => {
        const told = valuesBetween(db, openSeries(db, series, 0, now), from, lastNight);
        const week = compared(figureDays(days, told, { first: undefined, last: undefined }), WEEK);
        if (week.outcome !== "compared") return undefined;
        return by === "week" ? week.now : distance(week);
      };
    }
    default:
      return () => undefined;
  }
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
function openSeries(db: Db, series: SiteSeries, offset: DayOffset, now: number): OpenSeries {
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
    offset,
    first: dayOf(first),
    last: dayOf(ending.at(-1)),
    finalTo: dayOf(ending.findLast(([, { state }]) => state === "final")),
  };
}

function laneOfSeries(db: Db, series: OpenSeries, base: Base): Lane {
  const { source, metric } = series;
  const { input, everyDay } = base;
  const { asset, query, owedTo } = input;
  const unit = unitOf(source, metric);
  const [from, to] = [everyDay[0], everyDay.at(-1)];
  const summed = addsUp(source, unit);
  const reach = summed ? 2 * WEEK + LONGEST_LAG : WEEK;
  const early = from === undefined ? [] : eachDay({ from: addDays(from, -reach), to: addDays(from, -1) });
  // A day that is not over is no drop.
  const today = isProvider(source)
    ? dayOfNumber(calendarDay(input.now, base.standings.get(source)?.timeZone))
    : undefined;
  const overTo = today === undefined ? undefined : addDays(today, -1);
  const owedSent = owedTo === undefined ? undefined : addDays(owedTo, series.offset);
  const owed: Owed = { first: series.first, last: source === SENT ? owedSent : earlier(series.last, overTo) };
  const told =
    from === undefined || to === undefined
      ? new Map<UtcDay, DayValue>()
      : valuesBetween(db, series, addDays(from, -reach), to);
  if (today !== undefined) told.delete(today);
  const days = figureDays(everyDay, told, owed);
  const before = figureDays(early, told, owed);
  return laneOf(base, {
    half: source,
    metric,
    label: labelOf(source, metric),
    unit,
    days,
    before: before.slice(-WEEK),
    breaks: source === SENT ? base.breaks : NO_BREAKS,
    comparison: summed
      ? compared([...before, ...days], WEEK)
      : { outcome: "not_compared", reason: "no_sum", day: undefined },
    href: metricHref(asset, { source, metric, from: query.from, to: query.to, until: query.until }),
  });
}

/** The earlier of two days, of which either may not be known. */
function earlier(one: UtcDay | undefined, other: UtcDay | undefined): UtcDay | undefined {
  return one === undefined || other === undefined ? (one ?? other) : one < other ? one : other;
}

const NO_BREAKS: ReadonlySet<UtcDay> = new Set();

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

/** The figures of codebase reports that have a value on these days. */
function codeLanes(db: Db, base: Base): readonly Lane[] {
  const { input, everyDay, count } = base;
  const { asset } = input;
  const [from, to] = [everyDay[0], everyDay.at(-1)];
  if (from === undefined || to === undefined || input.lastCode === undefined) return [];
  const reports = listReports(
    db,
    { asset, from: addDays(from, -REPORTS_BEFORE), to, allRevisions: false },
    count + REPORTS_BEFORE,
  );
  return codebaseTracks(reports, { from, to }).flatMap(({ id, label, unit, points }) => {
    if (!points.some(({ value }) => value !== undefined)) return [];
    const told = new Map(points.map((point) => [point.date, point]));
    return laneOf(base, {
      half: CODE,
      metric: id,
      label,
      unit,
      days: everyDay.map((day): FigureDay => {
        const point = told.get(day);
        if (point === undefined) return { day, state: "none", basis: null, value: null };
        const { value } = point;
        return value === undefined
          ? { day, state: "missing", basis: null, value: null }
          : { day, state: "final", basis: "reported", value };
      }),
      before: [],
      breaks: new Set(points.flatMap(({ date, toolsChanged }) => (toolsChanged ? [date] : []))),
      comparison: { outcome: "not_compared", reason: "no_sum", day: undefined },
      href: paths.codebase(asset),
    });
  });
}

function laneOf(base: Base, lane: Omit<Lane, "key" | "flags" | "worst">): Lane {
  const key = laneKey(lane.half, lane.metric);
  return { ...lane, key, flags: base.byLane.get(key) ?? [], worst: base.worst.get(key) };
}

/** The charts by half; the worst chart first within a half, and the half that holds it before the others. */
function groupsOf(
  lanes: readonly Lane[],
  opened: readonly OpenSeries[],
  standings: ReadonlyMap<Half, SourceStanding>,
  isWhole: boolean,
): readonly LaneGroup[] {
  const byHalf = Map.groupBy(lanes, ({ half }) => half);
  const halves = [...SERIES_SOURCES, CODE] as const;
  return halves
    .flatMap((half): LaneGroup[] => {
      const own = (byHalf.get(half) ?? []).toSorted(
        (one, other) => urgency(one.worst) - urgency(other.worst),
      );
      const standing = isProvider(half) ? standings.get(half) : undefined;
      if (own.length === 0 && (standing === undefined || !isWhole)) return [];
      const finals = opened.flatMap(({ source, finalTo }) =>
        source === half && finalTo !== undefined ? [finalTo] : [],
      );
      return [
        {
          half,
          lanes: own,
          finalTo: half === CODE ? lastFinal(own) : finals.toSorted().at(-1),
          standing,
        },
      ];
    })
    .toSorted((one, other) => urgency(one.lanes[0]?.worst) - urgency(other.lanes[0]?.worst));
}

function lastFinal(lanes: readonly Lane[]): UtcDay | undefined {
  const days = lanes.flatMap(({ days }) => days.findLast(({ value }) => value !== null)?.day ?? []);
  return days.toSorted().at(-1);
}
