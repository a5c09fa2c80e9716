/** Gathers the charts of a site: all of its sources over the same days. Blocks of series are read, never bodies. */

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
import type { Attachment } from "../../providers/credentials.ts";
import {
  findFirstBlock,
  findLastBlock,
  listAllSeries,
  readBlocks,
  type SourcedSeries,
} from "../../reports/series.ts";
import { type DayValue, daysOf, unlessDamaged } from "../../reports/series_days.ts";
import { type DayOffset, dayOffsetOf } from "../../reports/shown_day.ts";
import { connectionsOf } from "../../signals/matched_site.ts";
import { SENT } from "../../sites/rule_catalogue.ts";
import type { findAsset } from "../../sites/sites.ts";
import type { Db } from "../../store/store.ts";
import type { ChartAnnotations } from "../kit/chart_marks.tsx";
import type { ChartDays } from "../kit/chart_scale.tsx";
import type { Severity } from "../kit/links.tsx";
import { type Paging, pageOf, pagingOf } from "../kit/list.tsx";
import type { SiteHeadDeps } from "../site_head.ts";
import { compared, figureDays, type Owed } from "./day_words.ts";
import {
  type DayFlag,
  flagsBetween,
  type LaneKey,
  labelOf,
  laneKey,
  unitOf,
  urgency,
  worstByLane,
} from "./lanes.ts";
import { type NightlyOverview, readNightly } from "./latest_nightly.tsx";
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

/** What is known of a site before its charts are read. */
export interface SiteInput extends Pick<NightlyOverview, "owedTo" | "figures" | "firstNight"> {
  readonly asset: string;
  readonly query: SiteQuery;
  readonly now: number;
  /** The newest night that can be judged. */
  readonly lastNight: UtcDay;
  readonly attachments: readonly Attachment[];
}

/** What gathering needs beside a site. */
export interface SiteDaysContext {
  readonly db: Db;
  readonly annotationsOf: (asset: string, days: ChartDays) => ChartAnnotations;
}

/** What reading a site needs. */
export interface SiteReadDeps extends SiteDaysContext, SiteHeadDeps {}

/** A site's nightly reports, what it is read from, and the days that a query asks for. */
export function readSite(
  deps: SiteReadDeps,
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
export function readSiteDays({ db, annotationsOf }: SiteDaysContext, input: SiteInput): SiteDays {
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
    offset: sentOffset,
    groups: groupsOf(lanes, opened, standings, isWhole),
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
  readonly days: ChartDays;
  readonly standings: ReadonlyMap<SeriesSource, SourceStanding>;
}

/**
 * One metric alone; or a page of the sent ones, the worst first, and on the first page what providers tell. Where the table has an order
 * of its own all are read, since what they are ordered by stands in their rows.
 */
function chooseSeries(
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
): readonly LaneGroup[] {
  return SERIES_SOURCES.flatMap((half): LaneGroup[] => {
    const own = lanes
      .filter((lane) => lane.half === half)
      .toSorted((one, other) => urgency(one.worst) - urgency(other.worst));
    const standing = standings.get(half);
    if (own.length === 0 && (standing === undefined || !isWhole)) return [];
    const finals = opened.flatMap(({ source, finalTo }) => (source === half ? (finalTo ?? []) : []));
    return [{ half, lanes: own, finalTo: finals.toSorted().at(-1), standing }];
  }).toSorted((one, other) => urgency(one.lanes[0]?.worst) - urgency(other.lanes[0]?.worst));
}
