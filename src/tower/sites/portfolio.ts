/** The last days of each site's figures: of one page of sites, in as many statements for a hundred as for one. */

import { dayNumber, type UtcDay, utcDayOf } from "../../base/time.ts";
import type { HeldFlag } from "../../flags/queries.ts";
import { HEALTH_STATES } from "../../health/health.ts";
import type { Streak } from "../../health/refusals.ts";
import type { Entry } from "../../integrations/attention.ts";
import type { SiteHealth } from "../../integrations/integrations.ts";
import { PROVIDERS, SIGNAL_METRICS } from "../../providers/adapter.ts";
import type { Night } from "../../reports/nights.ts";
import { listFirstSeries, listSeriesOf, readBlocks, type SeriesOfSite } from "../../reports/series.ts";
import { FINAL, type Stretch, stretchOf, unlessDamaged } from "../../reports/series_days.ts";
import { SITE_STATES } from "../../rules/freshness.ts";
import { SENT } from "../../sites/rule_catalogue.ts";
import { LONGEST_GROUP } from "../../sites/sites.ts";
import type { Db } from "../../store/store.ts";
import { address, named, oneOf, PAGE, sought as soughtOfAddress } from "../kit/address.tsx";
import { SEVERITIES } from "../kit/links.tsx";
import { pagingOf } from "../kit/list.tsx";
import { newestSettled } from "../kit/plot.tsx";
import type { SiteHead } from "../kit/site_state.tsx";
import { paths } from "../paths.ts";

/** Days that are drawn, today among them. */
const DAYS = 28;

/** The figures that stand in a row. */
export const SPARKS = ["visitors", "clicks", "first"] as const;
export type SparkName = (typeof SPARKS)[number];

/** One figure of a site. */
export interface Spark {
  readonly source: string;
  readonly metric: string;
  readonly days: Stretch;
}

/** The newest settled value; null where no day of these is settled. */
export function settledValue({ days }: Pick<Spark, "days">): number | null {
  const place = newestSettled(days);
  return place < 0 ? null : (days.values[place] ?? null);
}

const WEEK = 7;

/**
 * How the last seven settled days stand to the seven before: 0.12 is 12 % more. Null where one of these days is not settled or left out of
 * rules, or where the week before had nothing.
 */
export function weekChange({ days }: Pick<Spark, "days">): number | null {
  const end = newestSettled(days) + 1;
  const sum = (from: number): number | null => {
    const places = Array.from({ length: WEEK }, (_, at) => from + at);
    return from >= 0 && places.every((place) => days.states[place] === FINAL)
      ? places.reduce((total, place) => total + (days.values[place] ?? 0), 0)
      : null;
  };
  const [week, before] = [sum(end - WEEK), sum(end - 2 * WEEK)];
  return week === null || before === null || before <= 0 ? null : week / before - 1;
}

/** What a site has of them; a figure that no source tells is absent. */
type SiteSparks = Readonly<Partial<Record<SparkName, Spark>>>;

/** The figures of sites. A figure without a value in these days is none. */
export function readSparks(db: Db, assets: readonly string[], now: number): Map<string, SiteSparks> {
  const to = dayNumber(utcDayOf(now));
  const from = to - DAYS + 1;
  const known = new Map<string, Partial<Record<SparkName, Spark>>>(assets.map((asset) => [asset, {}]));
  const put = (name: SparkName, source: string, found: readonly SeriesOfSite[]) => {
    for (const { asset, id, metric } of found) {
      const site = known.get(asset);
      if (site === undefined || site[name] !== undefined) continue;
      const days = unlessDamaged(() => stretchOf(readBlocks(db, id, from, to), from, to));
      if (days !== undefined && days.lastDay >= from) site[name] = { source, metric, days };
    }
  };
  const named = (source: string, metric: string) => listSeriesOf(db, assets, { source, metric });
  // One engine's clicks beside another's are no sum: the first that has any stands.
  for (const source of PROVIDERS) {
    const told: readonly string[] = SIGNAL_METRICS[source];
    if (told.includes("active_users")) put("visitors", source, named(source, "active_users"));
    if (told.includes("clicks")) put("clicks", source, named(source, "clicks"));
  }
  put("first", SENT, listFirstSeries(db, assets, { source: SENT, since: from }));
  return known;
}

/** The last days of one figure; undefined where there is no value in them. */
export function readSpark(
  db: Db,
  asset: string,
  series: { readonly source: string; readonly metric: string },
  now: number,
): Stretch | undefined {
  const to = dayNumber(utcDayOf(now));
  const [found] = listSeriesOf(db, [asset], series);
  const days =
    found && unlessDamaged(() => stretchOf(readBlocks(db, found.id, to - DAYS + 1, to), to - DAYS + 1, to));
  return days !== undefined && days.lastDay > to - DAYS ? days : undefined;
}

/** Finding a site by a part of its identifier or address, in small or capital letters. Pure. */

/** What a site is found by. */
interface Findable {
  readonly asset: string;
  readonly url: string | null;
}

/** Whether a site holds what is sought; every site holds nothing. */
function sought(text: string): (site: Findable) => boolean {
  const wanted = text.toLowerCase();
  return ({ asset, url }) =>
    wanted === "" || asset.toLowerCase().includes(wanted) || (url ?? "").toLowerCase().includes(wanted);
}

/** The one site that is meant: the only one that holds the text, or the one of exactly that identifier. */
export function siteMeant(sites: readonly Findable[], text: string): string | undefined {
  if (text === "") return undefined;
  const found = sites.filter(sought(text));
  const exact = found.filter(({ asset }) => asset.toLowerCase() === text.toLowerCase());
  return (found.length === 1 ? found : exact.length === 1 ? exact : [])[0]?.asset;
}

/** What the portfolio shows, as its address says it. */

const SORTS = [
  "worst",
  "nightly",
  "site",
  "flags",
  "integrations",
  "lines",
  "visitors",
  "visitors-change",
  "clicks",
  "clicks-change",
  "first",
  "first-change",
] as const;
export type Sort = (typeof SORTS)[number];

/** The figure that an order goes by; it must have been read for every site. */
export const sparkOf = (sort: Sort): SparkName | undefined => SPARKS.find((name) => sort.startsWith(name));

const LONGEST_SEARCH = 200;

/** Text in the identifier or the address, the sites of one group, the order and the page. */
export const portfolioAddress = address({
  q: soughtOfAddress(LONGEST_SEARCH),
  group: named(LONGEST_GROUP, null),
  sort: oneOf(SORTS, "worst"),
  /** Whether all that needs attention is listed, or the first lines of it. */
  show: oneOf(["all"], null),
  page: PAGE,
});

/** What Find is asked for, from any page. */
export const findAddress = address({ find: soughtOfAddress(LONGEST_SEARCH) });

export type PortfolioQuery = typeof portfolioAddress.usual;
export const EVERYTHING: PortfolioQuery = portfolioAddress.usual;
export const portfolioHref = portfolioAddress.at(paths.portfolio);

/** The sites that a query asks for, most urgent first: a pure read over the rows of the portfolio. */

/** One site of the portfolio with what is known of it. Absent stays null. */
export interface SiteRow
  extends Pick<SiteHead, "asset" | "url" | "lifecycle" | "standing" | "openFlags" | "snoozed"> {
  /** The group that it is in; null where it is in none. */
  readonly group: string | null;
  /** Its place among what needs attention, from 0; undefined where nothing of it does. */
  readonly place?: number | undefined;
  /** The flag about its silence, which was raised on the service's own site. */
  readonly silenceFlag?: HeldFlag | undefined;
  /** How its integrations stand; undefined where none is set up, or none could be read. */
  readonly health?: SiteHealth | undefined;
  /** Its latest codebase report; read for the rows of one page, and where the order asks for it. */
  readonly codebase?: {
    readonly date: UtcDay;
    readonly receivedAt: number;
    /** Null where the report did not measure it. */
    readonly codeLines: number | null;
  };
  /** Codebase reports that were refused since the last good one. */
  readonly refusedCodebase?: Streak | undefined;
  /** The last nights, oldest first; read for the rows of one page only. */
  readonly nights?: readonly Night[];
  /** Its figures over the last days; read for the rows of one page only. */
  readonly sparks?: SiteSparks | undefined;
}

/** So many sites are one page; of more a page holds fewer, since nobody reads them from top to bottom. */
const ONE_PAGE = 50;
const PAGE_SIZE = 30;

export type PortfolioView = ReturnType<typeof portfolioView>;

type Order = (one: SiteRow, other: SiteRow) => number;

const byName: Order = (one, other) => (one.asset < other.asset ? -1 : one.asset > other.asset ? 1 : 0);

/** More of the worst severity comes first; a tie looks at the next one. */
const byFlags: Order = (one, other) => {
  for (const severity of SEVERITIES) {
    const difference = other.openFlags[severity] - one.openFlags[severity];
    if (difference !== 0) return difference;
  }
  return 0;
};

const placeOf = (row: SiteRow): number => SITE_STATES.indexOf(row.standing.state);

const NOWHERE = Number.MAX_SAFE_INTEGER;

/** The place of a site's first entry in the ranking; then flags that are snoozed or need nobody, and states. */
const byWorst: Order = (one, other) => {
  const [a, b] = [one.place ?? NOWHERE, other.place ?? NOWHERE];
  return a - b || byFlags(one, other) || placeOf(one) - placeOf(other) || byHealth(one, other);
};

/** The place of each site's first entry among all entries. */
export function placesOf(entries: readonly Entry[]): ReadonlyMap<string, number> {
  const places = new Map<string, number>();
  entries.forEach(({ assets }, place) => {
    for (const asset of assets) if (!places.has(asset)) places.set(asset, place);
  });
  return places;
}

/** The place of a state of health among all; a site without any comes last. */
const healthPlace = ({ health }: SiteRow): number =>
  health === undefined ? HEALTH_STATES.length : HEALTH_STATES.indexOf(health.state);

const byHealth: Order = (one, other) =>
  healthPlace(one) - healthPlace(other) ||
  (other.health?.counts.failing ?? 0) - (one.health?.counts.failing ?? 0);

/** Descending, with the absent ones last. */
function descending(value: (row: SiteRow) => number | null | undefined): Order {
  return (one, other) => {
    const [a, b] = [value(one) ?? null, value(other) ?? null];
    if (a === null || b === null) return Number(a === null) - Number(b === null);
    return b - a;
  };
}

const byValue = (name: SparkName): Order =>
  descending(({ sparks }) => sparks?.[name] && settledValue(sparks[name]));

/** The greatest change first, up or down. */
const byChange = (name: SparkName): Order =>
  descending(({ sparks }) => {
    const change = sparks?.[name] && weekChange(sparks[name]);
    return typeof change === "number" ? Math.abs(change) : null;
  });

const ORDERS: Readonly<Record<Sort, Order>> = {
  worst: byWorst,
  nightly: descending((row) => row.standing.receivedAt),
  site: byName,
  flags: byFlags,
  integrations: byHealth,
  lines: descending((row) => row.codebase?.codeLines),
  visitors: byValue("visitors"),
  "visitors-change": byChange("visitors"),
  clicks: byValue("clicks"),
  "clicks-change": byChange("clicks"),
  first: byValue("first"),
  "first-change": byChange("first"),
};

function asked(query: PortfolioQuery): (row: SiteRow) => boolean {
  const isSought = sought(query.q);
  return (row) => (query.group === null || row.group === query.group) && isSought(row);
}

/** Filters, orders and cuts the rows to one page. Counts are of the whole portfolio; the service's own site stands apart. */
export function portfolioView(all: readonly SiteRow[], query: PortfolioQuery, serviceAsset?: string) {
  const isAsked = asked(query);
  const own = all.find(({ asset }) => asset === serviceAsset);
  const rows = all.filter(({ asset }) => asset !== serviceAsset);
  const order = ORDERS[query.sort];
  const found = rows.filter(isAsked);
  const paging = pagingOf(found.length, query.page, found.length <= ONE_PAGE ? ONE_PAGE : PAGE_SIZE);
  const first = firstOf(found, paging.last, (one, other) => order(one, other) || byName(one, other));
  return {
    rows: first.slice(Math.max(0, paging.first - 1)),
    /** The service's own site, which is none of the portfolio's; undefined where it is not asked for, or not there. */
    own: own !== undefined && isAsked(own) ? own : undefined,
    paging,
    counts: countsOf(rows, query.group),
  };
}

/** The first of the rows in their order. Of ten thousand most are compared with the last of these alone, not sorted. */
function firstOf(rows: readonly SiteRow[], count: number, order: Order): SiteRow[] {
  const first: SiteRow[] = [];
  for (const row of rows) {
    const last = first[count - 1];
    if (last !== undefined && order(row, last) > 0) continue;
    let [from, to] = [0, first.length];
    while (from < to) {
      const middle = (from + to) >> 1;
      const other = first[middle];
      if (other !== undefined && order(row, other) < 0) to = middle;
      else from = middle + 1;
    }
    first.splice(from, 0, row);
    if (first.length > count) first.pop();
  }
  return first;
}

/** "Customer 2" before "Customer 10". */
const BY_NUMBERS = new Intl.Collator("en", { numeric: true });

/** The sites of a group, as on the Wall: all of them, where none is in it. */
export function groupOf<Row extends Pick<SiteRow, "group">>(
  rows: readonly Row[],
  group: string | null,
): readonly Row[] {
  const own = group === null ? [] : rows.filter((row) => row.group === group);
  return own.length === 0 ? rows : own;
}

/** Counts of the portfolio, without the service's own site. */
function countsOf(rows: readonly SiteRow[], asked: string | null) {
  const groups = new Map<string, number>();
  for (const { group } of rows) if (group !== null) groups.set(group, (groups.get(group) ?? 0) + 1);
  const own = groupOf(rows, asked);
  return {
    all: rows.length,
    /** Sites of the group that is asked for, those of them that never reported, and those that are silent; of all, where no site is in it. */
    grouped: own.length,
    unheard: own.filter(({ standing }) => standing.state === "never_reported").length,
    silent: own.filter(({ standing }) => standing.state === "silent").length,
    /** Groups by name, with how many sites are in each. */
    groups: [...groups]
      .map(([name, sites]) => ({ name, sites }))
      .sort((one, other) => BY_NUMBERS.compare(one.name, other.name)),
  };
}
