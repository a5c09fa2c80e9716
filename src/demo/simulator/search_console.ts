/** Search console: which properties an account sees, and what search tells of them. */

import { dayOfNumber } from "../../base/time.ts";
import type { Ground } from "./accounts.ts";
import { figuresOf, revisedBy, seedOf, toldShare, uniform } from "./figures.ts";
import { commonError, googleError, legacyError, SEARCH_CONSOLE } from "./google_errors.ts";
import {
  bodyOf,
  callerOf,
  type Fields,
  type GoogleRoute,
  readSearchQuery,
  SEARCH_SHAPE,
  type SearchQuery,
} from "./google_front.ts";
import { json, type SimulatedAnswer, type SimulatedRequest } from "./http_message.ts";
import {
  DAY_MS,
  dayIn,
  HOUR_MS,
  type SearchConsoleProperty,
  type SimulatedSite,
  slugOf,
  startOfDayIn,
} from "./world.ts";

const route = (operation: string, verb: "GET" | "POST", pattern: RegExp): GoogleRoute => ({
  operation,
  verb,
  pattern,
  rpc: `google.searchconsole.v1.${operation}`,
});

export const SEARCH_CONSOLE_ROUTES: readonly GoogleRoute[] = [
  route("query", "POST", /^\/webmasters\/v3\/sites\/([^/]+)\/searchAnalytics\/query$/),
  route("sites", "GET", /^\/webmasters\/v3\/sites$/),
];

const SCOPES = ["webmasters.readonly", "webmasters"].map((name) => `https://www.googleapis.com/auth/${name}`);

type Seen = SimulatedSite & { readonly searchConsole: SearchConsoleProperty };

export function searchAnswer(
  ground: Ground,
  request: SimulatedRequest,
  { operation, rpc }: GoogleRoute,
  property: string,
  now: number,
): SimulatedAnswer {
  const { world, accounts } = ground;
  const caller = callerOf(request, { accounts, service: SEARCH_CONSOLE, scopes: SCOPES, now }, rpc);
  if ("refusal" in caller) return caller.refusal;
  const read = bodyOf(request, operation === "query" ? SEARCH_SHAPE : {});
  if ("refusal" in read) return read.refusal;
  const seen = world.sites.filter(
    (site): site is Seen => site.searchConsole !== undefined && accounts.sees(caller.account, site.name),
  );
  if (operation === "sites") {
    const siteEntry = seen.map(entryOf);
    return json(200, siteEntry.length === 0 ? {} : { siteEntry });
  }
  const site = seen.find(({ searchConsole }) => searchConsole.property === property);
  // Unknown, unverified and misspelt are answered alike.
  if (site === undefined || site.searchConsole.permission === "siteUnverifiedUser")
    return forbidden(property);
  return answerOf(read.body, { ...ground, site, property: site.searchConsole, now });
}

export function searchError(name: string): SimulatedAnswer | undefined {
  if (name === "forbidden") return forbidden("sc-domain:x");
  if (name === "load-quota") return quota(403, "quotaExceeded", "load");
  if (name === "qps-403") return quota(403, "quotaExceeded", "QPS");
  if (name === "qps-429") return quota(429, "rateLimitExceeded", "QPS");
  return commonError(name, SEARCH_CONSOLE);
}

function answerOf(body: Fields, asking: Asking): SimulatedAnswer {
  const query = readSearchQuery(body);
  if (typeof query === "string") return invalidParameter(query);
  const { rows, firstIncomplete } = searchRows(asking, query);
  const page = rows.slice(query.startRow, query.startRow + query.rowLimit).map((row) => ({
    ...(query.dimensions.length === 0 ? {} : { keys: row.keys }),
    clicks: row.clicks,
    impressions: row.impressions,
    ctr: row.clicks / row.impressions,
    ...(query.type === "discover" ? {} : { position: row.position }),
  }));
  return json(200, {
    ...(page.length === 0 ? {} : { rows: page }),
    responseAggregationType: query.isByPage ? "byPage" : "byProperty",
    ...(firstIncomplete === undefined
      ? {}
      : { metadata: { firstIncompleteDate: dayOfNumber(firstIncomplete) } }),
  });
}

const entryOf = ({ searchConsole }: Seen) => ({
  siteUrl: searchConsole.property,
  permissionLevel: searchConsole.permission ?? "siteFullUser",
});

const forbidden = (property: string) =>
  legacyError(
    403,
    "forbidden",
    `User does not have sufficient permission for site '${property}'. See also: https://support.google.com/webmasters/answer/2451999.`,
  );

const quota = (status: number, reason: string, what: string) =>
  legacyError(
    status,
    reason,
    `Search Analytics ${what} quota exceeded. Learn about usage limits: https://developers.google.com/webmaster-tools/v3/limits.`,
    "usageLimits",
  );

/** A refused query has the reason in the older form and the status in the newer one. */
function invalidParameter(message: string): SimulatedAnswer {
  const { headers } = googleError(400, "INVALID_ARGUMENT", message);
  const errors = [{ message, domain: "global", reason: "invalidParameter" }];
  const error = { code: 400, message, errors, status: "INVALID_ARGUMENT" };
  return { status: 400, headers, body: JSON.stringify({ error }) };
}

// The rows of search console: days of the Pacific calendar, the newest of them not final yet.

export const PACIFIC = "America/Los_Angeles";
/** How far behind the newest final day is, in days. */
const FINAL_LAG_DAYS = 3;
/** Nothing is told of what is younger than this, in hours. */
const FRESH_LAG_HOURS = 6;
/** What is kept: sixteen months, in days. */
const KEPT_DAYS = 486;
/** No more rows than these are there for a day and a type, whatever is asked. */
const MOST_ROWS = 50_000;

interface SearchRow {
  readonly keys: readonly string[];
  readonly clicks: number;
  readonly impressions: number;
  readonly position: number;
}

interface Asking extends Ground {
  readonly site: SimulatedSite;
  readonly property: SearchConsoleProperty;
  readonly now: number;
}

/** The newest day that is final. */
const lastFinalDay = (now: number): number => dayIn(PACIFIC, now) - FINAL_LAG_DAYS;

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
function searchRows(asking: Asking, query: SearchQuery) {
  const { now } = asking;
  const today = dayIn(PACIFIC, now);
  const lastFinal = lastFinalDay(now);
  const newest = query.dataState === "final" ? lastFinal : today;
  // What lies outside of what is kept is left out, and nobody is told.
  const [from, to] = [Math.max(query.from, today - KEPT_DAYS), Math.min(query.to, newest)];
  const days = Array.from({ length: Math.max(0, to - from + 1) }, (_, place) => from + place);
  const told = days.flatMap((day) => dayOf(asking, query, day));
  const firstIncomplete = Math.max(lastFinal + 1, query.from);
  const isTold = query.dataState !== "final" && query.dimensions.includes("date") && firstIncomplete <= to;
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

interface Slice {
  readonly values: Readonly<Record<string, string>>;
  readonly share: number;
}

function rowsOf(asking: Asking, query: SearchQuery, told: readonly Told[]): SearchRow[] {
  const slices = slicesOf(asking, query);
  const isTimed = query.dimensions.includes("date");
  // Without time all days are one.
  const stretches = isTimed || told.length === 0 ? told : [summed(told)];
  const rows = stretches.flatMap(({ time, clicks, impressions, position }) =>
    slices.flatMap(({ values, share }): SearchRow[] => {
      const shown = Math.round(impressions * share);
      if (shown === 0) return [];
      const keys = query.dimensions.map((name) => (name === "date" ? time : (values[name] ?? "")));
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
  if (looked.has("country")) cross(named("country", { usa: 0.4, deu: 0.3, fra: 0.2, zzz: 0.1 }));
  if (looked.has("device")) cross(named("device", { MOBILE: 0.6, DESKTOP: 0.35, TABLET: 0.05 }));
  if (looked.has("searchAppearance")) {
    const shares = (asking.property.appearances ?? []).map((name, place) => [name, 0.3 / (place + 1)]);
    cross(named("searchAppearance", Object.fromEntries(shares)));
  }
  return slices.filter(({ values }) =>
    filters.every(({ dimension, expression }) => (values[dimension] ?? "") === expression),
  );
}

const named = (dimension: string, shares: Readonly<Record<string, number>>): Slice[] =>
  Object.entries(shares).map(([value, share]) => ({ values: { [dimension]: value }, share }));

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
    return weights.map((weight, place) => ({
      values: { [dimension]: value(place) },
      share: (sum * weight) / total,
    }));
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
