/** The rows of a report of analytics: what a property tells of its days at a moment. */
import { dayOfNumber } from "../lib/day_number.ts";
import { slicesOf } from "./analytics_breakdown.ts";
import { filteredFields, passes, type ReportQuery } from "./analytics_query.ts";
import { Calendar, DAY_MS, HOUR_MS, hourIn, type Span } from "./calendar.ts";
import { type DayFigures, figuresOf, revisedBy, toldShare } from "./figures.ts";
import { seedOf, uniform } from "./random.ts";
import type { AnalyticsProperty, SimulatedSite, World } from "./world.ts";

export interface Row {
  readonly dimensions: readonly string[];
  readonly metrics: readonly number[];
}

/** Whose report it is, and when it is asked for. */
export interface Asking {
  readonly seed: number;
  readonly world: World;
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
  const looked = [...query.dimensions, ...filteredFields(query.filter)];
  const slices = slicesOf(seed, site, looked).filter(({ values }) =>
    passes(query.filter, (field) => values[field] ?? ""),
  );
  const rows = query.ranges.flatMap((range) =>
    stretches(asking, query, range.from, range.to).flatMap(({ time, figures, days }) =>
      slices.flatMap(({ values, share }): Row[] => {
        const metrics = query.metrics.map((name) => valueFor(name, figures, share, days));
        // A combination that nobody had is left out, as a day is.
        if (metrics.every((value) => value === 0)) return [];
        const dimensions = query.dimensions.map((name) => time[name] ?? values[name] ?? "(not set)");
        return [{ dimensions: query.ranges.length > 1 ? [...dimensions, range.name] : dimensions, metrics }];
      }),
    ),
  );
  return ordered(merged(rows), asking, query);
}

/** Stretches of time that are told apart, with all that happened in each. */
function stretches(
  asking: Asking,
  { dimensions }: ReportQuery,
  from: number,
  to: number,
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
  (
    [
      "activeUsers",
      "newUsers",
      "sessions",
      "engagedSessions",
      "screenPageViews",
      "eventCount",
      "keyEvents",
      "searchClicks",
      "searchImpressions",
      "searchPosition",
      "webmasterClicks",
      "webmasterImpressions",
    ] as const
  ).map((name) => [name, 0]),
) as Totals;

function mapped(figures: Totals, change: (name: keyof DayFigures, value: number) => number): Totals {
  const names = Object.keys(figures) as (keyof DayFigures)[];
  return Object.fromEntries(names.map((name) => [name, change(name, figures[name])])) as Totals;
}

const plus = (one: Totals, other: Totals) => mapped(one, (name, value) => value + other[name]);

/** What is told of a day: as much of it as its spans have of 24 hours, and as is told by now. */
export function dayOf({ seed, world, site, calendar, now }: Asking, day: number): Totals {
  const figures = figuresOf(seed, site, day);
  if (figures === undefined) return NOTHING;
  const share = calendar
    .spansOf(day)
    .reduce((sum, span) => sum + (toldShare(world, span, now) * (span.to - span.from)) / DAY_MS, 0);
  return mapped(figures, (name, value) =>
    settledCount(value * share * revisedBy(site, day, name, now), name),
  );
}

/** Counts are whole; what is told never outruns what happened. */
const settledCount = (value: number, name: string) =>
  name === "searchPosition" ? value : Math.floor(value + 1e-9);

/** The hours of a day that are told by now. An hour that clocks go through twice is one. */
export function hoursOf(
  asking: Asking,
  day: number,
): readonly { readonly hour: number; readonly figures: Totals }[] {
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
        settledCount(value * share * revisedBy(site, day, name, now) + 0.5, name),
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
    case "itemRevenue":
      return of("keyEvents") * 24.5;
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
function ordered(rows: Row[], { seed, now }: Asking, { orders, dimensions, metrics }: ReportQuery): Row[] {
  const shuffled = new Map(
    rows.map((row) => [row, uniform(seedOf(seed, ...row.dimensions), now % 1_000_003)]),
  );
  const keys = orders.length > 0 ? orders : [{ by: metrics[0] ?? "", isMetric: true, isDescending: true }];
  return rows.sort((one, other) => {
    for (const { by, isMetric, isDescending } of keys) {
      const difference = isMetric
        ? (one.metrics[metrics.indexOf(by)] ?? 0) - (other.metrics[metrics.indexOf(by)] ?? 0)
        : compared(
            one.dimensions[dimensions.indexOf(by)] ?? "",
            other.dimensions[dimensions.indexOf(by)] ?? "",
          );
      if (difference !== 0) return isDescending ? -difference : difference;
    }
    return (shuffled.get(one) ?? 0) - (shuffled.get(other) ?? 0);
  });
}

const compared = (one: string, other: string) => (one < other ? -1 : one > other ? 1 : 0);
