/** The rows of search console: days of the Pacific calendar, the newest of them not final yet. */

import { dayOfNumber } from "../../base/time.ts";
import { figuresOf, revisedBy, seedOf, toldShare, uniform } from "./figures.ts";
import { keeps, type SearchQuery } from "./google_front.ts";
import {
  DAY_MS,
  dayIn,
  HOUR_MS,
  type SearchConsoleProperty,
  type SimulatedSite,
  slugOf,
  startOfDayIn,
  type World,
} from "./world.ts";

export const PACIFIC = "America/Los_Angeles";
/** How far behind the newest final day is, in days. */
const FINAL_LAG_DAYS = 3;
/** Nothing is told of what is younger than this, in hours. */
const FRESH_LAG_HOURS = 6;
/** What is kept: sixteen months, in days. */
const KEPT_DAYS = 486;
/** No more rows than these are there for a day and a type, whatever is asked. */
const MOST_ROWS = 50_000;

export interface SearchRow {
  readonly keys: readonly string[];
  readonly clicks: number;
  readonly impressions: number;
  readonly position: number;
}

interface Asking {
  readonly seed: number;
  readonly world: World;
  readonly site: SimulatedSite;
  readonly property: SearchConsoleProperty;
  readonly now: number;
}

/** The newest day that is final. */
export const lastFinalDay = (now: number): number => dayIn(PACIFIC, now) - FINAL_LAG_DAYS;

/** What of all searches is of a type. Discover shows a site to nobody below some size. */
function shareOf(type: string, site: SimulatedSite): number {
  if (type === "web") return 1;
  if (type === "image") return 0.12;
  return type === "discover" && site.visitsPerDay >= 100 ? 0.2 : 0;
}

interface Told {
  readonly time: string;
  readonly clicks: number;
  readonly impressions: number;
  readonly position: number;
}

/** Rows in their order, and the first day of the range that is not final where that is told. */
export function searchRows(
  asking: Asking,
  query: SearchQuery,
): { readonly rows: readonly SearchRow[]; readonly firstIncomplete: number | undefined } {
  const { now } = asking;
  const today = dayIn(PACIFIC, now);
  const lastFinal = lastFinalDay(now);
  const newest = query.dataState === "final" ? lastFinal : today;
  // What lies outside of what is kept is left out, and nobody is told.
  const [from, to] = [Math.max(query.from, today - KEPT_DAYS), Math.min(query.to, newest)];
  const days = Array.from({ length: Math.max(0, to - from + 1) }, (_, place) => from + place);
  const told = days.flatMap((day) =>
    query.dimensions.includes("hour") ? hoursOf(asking, query, day) : dayOf(asking, query, day),
  );
  const firstIncomplete = Math.max(lastFinal + 1, query.from);
  const isTold =
    query.dataState !== "final" &&
    query.dimensions.some((name) => name === "date" || name === "hour") &&
    firstIncomplete <= to;
  return { rows: rowsOf(asking, query, told), firstIncomplete: isTold ? firstIncomplete : undefined };
}

function dayOf({ seed, world, site, now }: Asking, query: SearchQuery, day: number): Told[] {
  const figures = figuresOf(seed, site, day);
  if (figures === undefined) return [];
  const span = { from: startOfDayIn(PACIFIC, day), to: startOfDayIn(PACIFIC, day + 1) };
  const lagged = { ...world, intradayLagMs: FRESH_LAG_HOURS * HOUR_MS };
  const share = toldShare(lagged, span, now) * ((span.to - span.from) / DAY_MS) * shareOf(query.type, site);
  const of = (name: "searchClicks" | "searchImpressions") =>
    Math.floor(figures[name] * share * revisedBy(site, day, name, now) + 1e-9);
  const impressions = of("searchImpressions");
  const clicks = Math.min(impressions, of("searchClicks"));
  return [{ time: dayOfNumber(day), clicks, impressions, position: figures.searchPosition }];
}

/** Hours of a day as instants with the offset of the place. */
function hoursOf(asking: Asking, query: SearchQuery, day: number): Told[] {
  const [whole] = dayOf(asking, query, day);
  if (whole === undefined) return [];
  const [from, to] = [startOfDayIn(PACIFIC, day), startOfDayIn(PACIFIC, day + 1)];
  const until = Math.min(to, asking.now - FRESH_LAG_HOURS * HOUR_MS);
  const hours = Array.from(
    { length: Math.max(0, Math.floor((until - from) / HOUR_MS)) },
    (_, place) => from + place * HOUR_MS,
  );
  return hours.map((at) => {
    const ahead = dayOffset(at, day);
    const local = new Date(at + ahead).toISOString().slice(0, 19);
    const part = (value: number) => Math.round(value / hours.length);
    return {
      ...whole,
      time: `${local}-0${-ahead / HOUR_MS}:00`,
      impressions: part(whole.impressions),
      clicks: part(whole.clicks),
    };
  });
}

/** How far the place's clocks are ahead of UTC at an instant of a day, in milliseconds: read from where its days begin. */
function dayOffset(at: number, day: number): number {
  const isSecondHalf =
    startOfDayIn(PACIFIC, day + 1) - startOfDayIn(PACIFIC, day) !== DAY_MS &&
    at - startOfDayIn(PACIFIC, day) >= 2 * HOUR_MS;
  return isSecondHalf
    ? (day + 1) * DAY_MS - startOfDayIn(PACIFIC, day + 1)
    : day * DAY_MS - startOfDayIn(PACIFIC, day);
}

interface Slice {
  readonly values: Readonly<Record<string, string>>;
  readonly share: number;
}

function rowsOf(asking: Asking, query: SearchQuery, told: readonly Told[]): SearchRow[] {
  const slices = slicesOf(asking, query);
  const isTimed = query.dimensions.some((name) => name === "date" || name === "hour");
  // Without time all days are one.
  const stretches = isTimed || told.length === 0 ? told : [summed(told)];
  const rows = stretches.flatMap(({ time, clicks, impressions, position }) =>
    slices.flatMap(({ values, share }): SearchRow[] => {
      const shown = Math.round(impressions * share);
      if (shown === 0) return [];
      const keys = query.dimensions.map((name) =>
        name === "date" || name === "hour" ? time : (values[name] ?? ""),
      );
      return [{ keys, impressions: shown, clicks: Math.min(shown, Math.round(clicks * share)), position }];
    }),
  );
  return (isTimed ? rows : byClicks(rows, asking)).slice(0, MOST_ROWS);
}

/** The most clicked first. What is equal stands in another order from hour to hour. */
function byClicks(rows: readonly SearchRow[], { seed, now }: Asking): SearchRow[] {
  const hour = Math.floor(now / HOUR_MS);
  return rows
    .map((row) => ({ row, chance: seedOf(seed, hour, ...row.keys) }))
    .sort((one, other) => other.row.clicks - one.row.clicks || one.chance - other.chance)
    .map(({ row }) => row);
}

function summed(told: readonly Told[]): Told {
  const sum = (of: (one: Told) => number) => told.reduce((total, one) => total + of(one), 0);
  const impressions = sum((one) => one.impressions);
  return {
    time: "",
    clicks: sum((one) => one.clicks),
    impressions,
    position: impressions === 0 ? 0 : sum((one) => one.position * one.impressions) / impressions,
  };
}

/** Every combination of what is grouped and filtered by, time left out. */
function slicesOf(asking: Asking, { dimensions, filters }: SearchQuery): readonly Slice[] {
  const looked = new Set([...dimensions, ...filters.map(({ dimension }) => dimension)]);
  let slices: readonly Slice[] = [{ values: {}, share: 1 }];
  const cross = (more: readonly Slice[]) => {
    slices = slices.flatMap((one) =>
      more.map((other) => ({ values: { ...one.values, ...other.values }, share: one.share * other.share })),
    );
  };
  const { page, query } = wordsOf(asking);
  if (looked.has("page") && looked.has("query")) cross(pairs(page(), query()));
  else if (looked.has("page")) cross(page());
  else if (looked.has("query")) cross(query());
  if (looked.has("country"))
    cross(
      named("country", [
        ["usa", 0.4],
        ["deu", 0.3],
        ["fra", 0.2],
        ["zzz", 0.1],
      ]),
    );
  if (looked.has("device"))
    cross(
      named("device", [
        ["MOBILE", 0.6],
        ["DESKTOP", 0.35],
        ["TABLET", 0.05],
      ]),
    );
  if (looked.has("searchAppearance")) {
    const appearances = asking.property.appearances ?? [];
    cross(
      named(
        "searchAppearance",
        appearances.map((name, place) => [name, 0.3 / (place + 1)] as const),
      ),
    );
  }
  return slices.filter(({ values }) =>
    filters.every((filter) => keeps(filter, values[filter.dimension] ?? "")),
  );
}

const named = (dimension: string, values: readonly (readonly [value: string, share: number])[]): Slice[] =>
  values.map(([value, share]) => ({ values: { [dimension]: value }, share }));

function wordsOf({ seed, site, property }: Asking) {
  const base = property.property.startsWith("sc-domain:")
    ? `https://${property.property.slice(10)}/`
    : property.property;
  const list = (dimension: string, many: number, value: (place: number) => string, sum: number) => () => {
    const own = seedOf(seed, site.name, "search", dimension);
    const weights = Array.from(
      { length: many },
      (_, place) => (0.7 + 0.6 * uniform(own, place)) / (place + 3),
    );
    const total = weights.reduce((all, weight) => all + weight, 0);
    return named(
      dimension,
      weights.map((weight, place) => [value(place), (sum * weight) / total] as const),
    );
  };
  return {
    // Pages come with their escapes; by page, a result that shows two of them counts twice.
    page: list(
      "page",
      property.pages ?? 40,
      (place) => (place === 0 ? base : `${base}${slugOf(site.phrases?.[place - 1] ?? `caf%C3%A9-${place}`)}`),
      1.2,
    ),
    // Rare queries are left out: their sum is less than the whole.
    query: list(
      "query",
      property.queries ?? 60,
      (place) => site.phrases?.[place] ?? `${site.name.split(".")[0] ?? ""} query ${place + 1}`,
      0.7,
    ),
  };
}

/** A page is found by a few of the queries. */
function pairs(pages: readonly Slice[], queries: readonly Slice[]): Slice[] {
  const EACH = 3;
  return pages.flatMap((page, place) =>
    Array.from({ length: Math.min(EACH, queries.length) }, (_, next) => {
      const query = queries[(place * EACH + next) % queries.length];
      return { values: { ...page.values, ...query?.values }, share: (page.share * 0.7) / EACH };
    }),
  );
}
