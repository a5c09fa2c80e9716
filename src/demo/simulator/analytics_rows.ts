/** The rows of a report of analytics: what a property tells of its days at a moment. */

import { dayOfNumber } from "../../base/time.ts";
import type { Ground } from "./accounts.ts";
import { invalidField, type ReportQuery } from "./analytics_query.ts";
import { count, type DayFigures, figuresOf, revisedBy, seedOf, toldShare, uniform } from "./figures.ts";
import { type Fields, objectsOf, type Shape, textOf, words } from "./google_front.ts";
import {
  type AnalyticsProperty,
  Calendar,
  DAY_MS,
  HOUR_MS,
  hourIn,
  type SimulatedSite,
  type Span,
  slugOf,
} from "./world.ts";

export interface Row {
  readonly dimensions: readonly string[];
  readonly metrics: readonly number[];
}

/** Whose report it is, and when it is asked for. */
export interface Asking extends Ground {
  readonly site: SimulatedSite;
  readonly calendar: Calendar;
  readonly now: number;
}

export const calendarOf = ({ timeZone, zoneChanges }: AnalyticsProperty): Calendar =>
  new Calendar(timeZone, zoneChanges);

/** What an hour of the day has of a site's visitors, from midnight on. */
const HOURS = [
  2, 1.4, 1, 0.8, 0.8, 1, 1.8, 3, 4.4, 5.4, 5.8, 5.8, 5.6, 5.4, 5.4, 5.2, 5.2, 5.4, 6, 6.8, 7.2, 6.6, 5, 3.4,
];
const HOURS_SUM = HOURS.reduce((sum, share) => sum + share, 0);

/** Metrics of which a visitor has one a day: over several days they are fewer than their sum. */
const DISTINCT = new Set(["activeUsers", "totalUsers", "newUsers"]);

/** Every row of a query, in the order that was asked for. */
export function rowsOf(asking: Asking, query: ReportQuery): Row[] {
  const { seed, site } = asking;
  const { dimensions, filter } = query;
  const looked = filter === undefined ? dimensions : [...dimensions, filter.field];
  const slices = slicesOf(seed, site, looked).filter(
    ({ values }) => filter === undefined || filter.values.includes(values[filter.field] ?? ""),
  );
  const rows = stretches(asking, query).flatMap(({ time, figures, days }) =>
    slices.flatMap(({ values, share }): Row[] => {
      const metrics = query.metrics.map((name) => valueFor(name, figures, share, days));
      // A combination that nobody had is left out, as a day is.
      if (metrics.every((value) => value === 0)) return [];
      return [{ dimensions: dimensions.map((name) => time[name] ?? values[name] ?? "(not set)"), metrics }];
    }),
  );
  return ordered(merged(rows), asking, query);
}

/** Stretches of time that are told apart, with all that happened in each. */
function stretches(
  asking: Asking,
  { dimensions, from, to }: ReportQuery,
): readonly {
  readonly time: Readonly<Record<string, string>>;
  readonly figures: Totals;
  readonly days: number;
}[] {
  if (dimensions.includes("dateHour")) {
    return daysFrom(from, to).flatMap((day) =>
      hoursOf(asking, day).map(({ hour, figures }) => {
        const date = compact(day);
        return { time: { date, dateHour: `${date}${String(hour).padStart(2, "0")}` }, figures, days: 1 };
      }),
    );
  }
  const told = daysFrom(from, to).map((day) => ({ day, figures: dayOf(asking, day) }));
  if (dimensions.includes("date")) {
    return told.map(({ day, figures }) => ({ time: { date: compact(day) }, figures, days: 1 }));
  }
  return [
    { time: {}, figures: told.reduce((sum, { figures }) => plus(sum, figures), NOTHING), days: told.length },
  ];
}

const daysFrom = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, place) => from + place);
const compact = (day: number) => dayOfNumber(day).replaceAll("-", "");

type Totals = Readonly<Record<keyof DayFigures, number>>;
const NOTHING = Object.fromEntries(
  words(`
    activeUsers newUsers sessions engagedSessions screenPageViews eventCount keyEvents searchClicks
    searchImpressions searchPosition webmasterClicks webmasterImpressions
  `).map((name) => [name, 0]),
) as Totals;

function mapped(figures: Totals, change: (name: keyof DayFigures, value: number) => number): Totals {
  const names = Object.keys(figures) as (keyof DayFigures)[];
  return Object.fromEntries(names.map((name) => [name, change(name, figures[name])])) as Totals;
}

const plus = (one: Totals, other: Totals) => mapped(one, (name, value) => value + other[name]);

/** What is told of a day: as much of it as its spans have of 24 hours, and as is told by now. */
function dayOf({ seed, world, site, calendar, now }: Asking, day: number): Totals {
  const figures = figuresOf(seed, site, day);
  if (figures === undefined) return NOTHING;
  const share = calendar
    .spansOf(day)
    .reduce((sum, span) => sum + (toldShare(world, span, now) * (span.to - span.from)) / DAY_MS, 0);
  return mapped(figures, (name, value) => settledCount(value * share * revisedBy(site, day, name, now)));
}

/** Counts are whole; what is told never outruns what happened. */
const settledCount = (value: number) => Math.floor(value + 1e-9);

/** The hours of a day that are told by now. An hour that clocks go through twice is one. */
function hoursOf(asking: Asking, day: number) {
  const { seed, world, site, calendar, now } = asking;
  const figures = figuresOf(seed, site, day);
  if (figures === undefined) return [];
  const hours = new Map<number, Totals>();
  for (const span of calendar.spansOf(day)) {
    for (const part of hoursIn(span)) {
      const hour = hourIn(calendar.zoneAt(part.from), part.from);
      const own = uniform(seedOf(seed, site.name, "hour", day), hour) * 0.3 + 0.85;
      const share = (((HOURS[hour] ?? 0) * own) / HOURS_SUM) * toldShare(world, part, now);
      const told = mapped(figures, (name, value) =>
        settledCount(value * share * revisedBy(site, day, name, now) + 0.5),
      );
      hours.set(hour, plus(hours.get(hour) ?? NOTHING, share === 0 ? NOTHING : told));
    }
  }
  return [...hours].map(([hour, told]) => ({ hour, figures: told }));
}

function hoursIn({ from, to }: Span): readonly Span[] {
  const count = Math.ceil((to - from) / HOUR_MS);
  return Array.from({ length: count }, (_, place) => ({
    from: from + place * HOUR_MS,
    to: Math.min(to, from + (place + 1) * HOUR_MS),
  }));
}

/** A metric of a slice. */
function valueFor(name: string, figures: Totals, share: number, days: number): number {
  const of = (figure: keyof DayFigures) => Math.round(figures[figure] * share);
  const distinct = days > 1 && DISTINCT.has(name) ? 0.72 : 1;
  switch (name) {
    case "totalUsers":
      return Math.round(of("activeUsers") * 1.04 * distinct);
    case "eventCountPerUser":
      return figures.activeUsers === 0 ? 0 : figures.eventCount / figures.activeUsers;
    case "userEngagementDuration":
      return of("engagedSessions") * 47;
    default:
      return Math.round(of(name as keyof DayFigures) * distinct);
  }
}

/** Rows that say the same are one. */
function merged(rows: readonly Row[]): Row[] {
  const byName = new Map<string, Row>();
  for (const row of rows) {
    const key = row.dimensions.join("\u0000");
    const known = byName.get(key);
    byName.set(
      key,
      known === undefined
        ? row
        : { ...row, metrics: row.metrics.map((value, place) => value + (known.metrics[place] ?? 0)) },
    );
  }
  return [...byName.values()];
}

/** By what was asked for; else by the first metric, the largest first, and what is equal in no order that could be relied on. */
function ordered(rows: Row[], { seed, now }: Asking, { orders, dimensions }: ReportQuery): Row[] {
  const shuffled = new Map(
    rows.map((row) => [row, uniform(seedOf(seed, ...row.dimensions), now % 1_000_003)]),
  );
  return rows.sort((one, other) => {
    for (const name of orders) {
      const place = dimensions.indexOf(name);
      const difference = compared(one.dimensions[place] ?? "", other.dimensions[place] ?? "");
      if (difference !== 0) return difference;
    }
    const larger = orders.length > 0 ? 0 : (other.metrics[0] ?? 0) - (one.metrics[0] ?? 0);
    return larger || (shuffled.get(one) ?? 0) - (shuffled.get(other) ?? 0);
  });
}

const compared = (one: string, other: string) => (one < other ? -1 : one > other ? 1 : 0);

/** Realtime counts: who is on a site in the last thirty minutes. */

/** Every key of what Tower asks. */
export const REALTIME_SHAPE: Shape = {
  metrics: { name: true },
  returnPropertyQuota: true,
  minuteRanges: { name: true, startMinutesAgo: true, endMinutesAgo: true },
};

const KIND = { kind: "analyticsData#runRealtimeReport" };
const MINUTE_MS = 60_000;
/** Events and views of someone who is there, in a minute. */
const PER_USER: Readonly<Record<string, number>> = { eventCount: 2.4, screenPageViews: 0.7 };
const LONGEST_MINUTES = 29;

/** The answer, or the words of the refusal. */
export function realtimeReport(body: Fields, asking: Asking): Readonly<Record<string, unknown>> | string {
  const metrics = objectsOf(body["metrics"]).map(({ name }) => textOf(name));
  for (const name of metrics) {
    if (name !== "activeUsers" && PER_USER[name] === undefined)
      return invalidField("metric", name, "realtime-api-schema");
  }
  const ranges = objectsOf(body["minuteRanges"]).map(({ name, startMinutesAgo, endMinutesAgo }) => ({
    name: textOf(name),
    start: Number(startMinutesAgo),
    end: Number(endMinutesAgo),
  }));
  for (const { start, end } of ranges) {
    if (start > LONGEST_MINUTES || start < end || end < 0) {
      return `Invalid minute range: startMinutesAgo = ${start} and endMinutesAgo = ${end}.`;
    }
  }
  const rows = ranges.flatMap(({ name, start, end }) => {
    const minutes = Array.from({ length: start - end + 1 }, (_, place) => end + place);
    const users = usersIn(asking, minutes);
    const values = metrics.map((metric) =>
      metric === "activeUsers" ? users : Math.round(users * minutes.length ** 0.5 * (PER_USER[metric] ?? 0)),
    );
    return users === 0
      ? []
      : [
          {
            dimensionValues: [{ value: name }],
            metricValues: values.map((value) => ({ value: String(value) })),
          },
        ];
  });
  // With nobody there nothing else is said, not even the headers.
  if (rows.length === 0) return KIND;
  return {
    dimensionHeaders: [{ name: "dateRange" }],
    metricHeaders: metrics.map((name) => ({ name, type: "TYPE_INTEGER" })),
    rows,
    rowCount: rows.length,
    ...KIND,
  };
}

/** Who was there in some of the last minutes. Users over thirty minutes are fewer than the sum of the minutes: people stay. */
function usersIn(asking: Asking, minutes: readonly number[]): number {
  const { seed, site, calendar, now } = asking;
  const arrivals = minutes.map((minute) => {
    const at = now - minute * MINUTE_MS;
    const day = figuresOf(seed, site, calendar.dayAt(at));
    const shape = 0.4 + 1.2 * Math.sin((Math.PI * ((hourIn(calendar.zoneAt(at), at) + 18) % 24)) / 24);
    const mean = ((day?.activeUsers ?? 0) / (24 * 60)) * Math.max(0.1, shape);
    return count(mean, 1, seedOf(seed, site.name, "minute"), Math.floor(at / MINUTE_MS));
  });
  const came = arrivals.reduce((sum, one) => sum + one, 0);
  // Those of the minute before are mostly still there.
  return minutes.length === 1 ? came + Math.round((arrivals[0] ?? 0) * 0.8) : came;
}

// How a day of a site divides among its pages, sources, events and the like. Shares are the same on every day.

/** One of the values that stand together, with its share of the whole. */
interface Slice {
  readonly values: Readonly<Record<string, string>>;
  readonly share: number;
}

/** Dimensions that go together, as one visit has them. */
const GROUPS: readonly (readonly string[])[] = [
  "pagePath pageTitle",
  "landingPage",
  "sessionDefaultChannelGroup sessionSource sessionMedium sessionCampaignName",
  "eventName",
].map(words);

const PAGES = words("/ /products /about /contact /blog /blog/first-steps /pricing /help /search /thanks");
const SOURCES: readonly (readonly [channel: string, source: string, medium: string, campaign: string])[] = [
  ["Organic Search", "google", "organic", "(organic)"],
  ["Direct", "(direct)", "(none)", "(direct)"],
  ["Referral", "partner.example", "referral", "(referral)"],
  ["Organic Social", "social.example", "social", "(not set)"],
  ["Email", "newsletter", "email", "weekly letter"],
  ["AI Assistant", "assistant.example", "referral", "(referral)"],
  ["Unassigned", "(not set)", "(not set)", "(not set)"],
];
const EVENTS = words(
  "page_view user_engagement scroll session_start first_visit click form_submit exception",
);

/** The slices of a site by some dimensions, time left out: every combination of what goes together. */
function slicesOf(seed: number, site: SimulatedSite, dimensions: readonly string[]): readonly Slice[] {
  const wanted = GROUPS.filter((group) => group.some((name) => dimensions.includes(name)));
  const custom = dimensions.filter((name) => name.startsWith("customEvent:"));
  const sets = wanted.map((group) => shared(seed, site, group[0] ?? "", valuesOf(site, group[0] ?? "")));
  if (custom.length > 0) sets.push(shared(seed, site, "errors", errorsOf(custom)));
  return sets.reduce<readonly Slice[]>(
    (all, set) =>
      all.flatMap((one) =>
        set.map((other) => ({ values: { ...one.values, ...other.values }, share: one.share * other.share })),
      ),
    [{ values: {}, share: 1 }],
  );
}

function valuesOf(site: SimulatedSite, group: string): readonly Readonly<Record<string, string>>[] {
  switch (group) {
    case "pagePath":
      return pathsOf(site).map((path) => ({
        pagePath: path,
        pageTitle: path === "/" ? site.name : path.slice(1),
      }));
    case "landingPage":
      return [...pathsOf(site, 6), "(not set)"].map((path) => ({ landingPage: path }));
    case "sessionDefaultChannelGroup":
      return SOURCES.map(([channel, source, medium, campaign]) => ({
        sessionDefaultChannelGroup: channel,
        sessionSource: source,
        sessionMedium: medium,
        sessionCampaignName: campaign,
      }));
    default:
      return EVENTS.map((name) => ({ eventName: name }));
  }
}

/** As many pages as a site has, `otherwise` where it does not say how many. */
function pathsOf({ analytics, phrases }: SimulatedSite, otherwise = PAGES.length): readonly string[] {
  const pages = phrases === undefined ? PAGES : ["/", ...phrases.map((phrase) => `/${slugOf(phrase)}`)];
  return Array.from(
    { length: analytics?.pages ?? otherwise },
    (_, place) => pages[place] ?? `/articles/${place}`,
  );
}

/** What the parameters of errors hold; newly registered ones are not set for what came before. */
function errorsOf(custom: readonly string[]): readonly Readonly<Record<string, string>>[] {
  return ["(not set)", "Cannot read properties of undefined", "Network request failed"].map((text, place) =>
    Object.fromEntries(custom.map((name) => [name, place === 0 ? text : `${text} (${name.slice(12)})`])),
  );
}

/** Values with shares that fall from one to the next and come to 1. */
function shared(
  seed: number,
  site: SimulatedSite,
  what: string,
  values: readonly Readonly<Record<string, string>>[],
): readonly Slice[] {
  const own = seedOf(seed, site.name, "shares", what);
  const weights = values.map((_, place) => (0.6 + 0.8 * uniform(own, place)) / (place + 1) ** 1.1);
  const sum = weights.reduce((total, weight) => total + weight, 0);
  return values.map((value, place) => ({ values: value, share: (weights[place] ?? 0) / sum }));
}
