/**
 * Twenty invented sites over 400 days, and what happens to them: silence, an outage, changes of level, retiring, going live, a
 * poison report, a flood, a broken constants document, restarts, a clock that runs ahead. Seeded, so that every run tells the
 * same story.
 */

import { addDays, type UtcDay } from "../../src/base/time.ts";
import { randomCount, seeded } from "../support/random_counts.ts";

export const FIRST_DAY = "2025-01-01" as UtcDay;
export const DAYS = 400;

/** The day of the story as a date. */
export function dateOf(day: number): UtcDay {
  return addDays(FIRST_DAY, day);
}

/** Days of silence, of which each hour is told; on all others nothing happens from hour to hour. */
const HOURLY = [
  [90, 93],
  [100, 104],
  [160, 166],
  [200, 202],
  [220, 226],
  [250, 260],
] as const;

/** The hours of a day at which the service works. */
export function hoursOf(day: number): readonly number[] {
  return HOURLY.some(([from, to]) => within(day, from, to))
    ? Array.from({ length: 24 }, (_, h) => h)
    : [2, 4];
}

interface Metric {
  /** Mean of a day. */
  readonly mean: (day: number) => number;
  /** Variance divided by mean. */
  readonly spread: number;
}

/** A site of the story. */
export interface StorySite {
  readonly id: string;
  /** What happens to it. */
  readonly plot: string;
  readonly metrics: Readonly<Record<string, Metric>>;
  /** Whether it sends its report on a day; it does where this is absent. */
  readonly reports?: (day: number) => boolean;
}

const flat = (mean: number, spread = 1): Metric => ({ mean: () => mean, spread });
const within = (day: number, from: number, to: number) => day >= from && day <= to;
const isWeekend = (day: number) => ["Sat", "Sun"].includes(weekdayOf(day));
const weekdayOf = (day: number) =>
  new Date(`${dateOf(day)}T00:00:00Z`).toLocaleDateString("en", { weekday: "short", timeZone: "UTC" });

export const SITES: readonly StorySite[] = [
  {
    id: "steady",
    plot: "nothing happens",
    metrics: { visits: flat(120), orders: flat(8), signups: flat(3) },
  },
  { id: "quiet", plot: "one event in two days", metrics: { signups: flat(0.5), orders: flat(0.1) } },
  {
    id: "wide",
    plot: "varies three times as much as chance",
    metrics: { visits: flat(60, 3), orders: flat(12, 3) },
  },
  {
    id: "weekends",
    plot: "half as much on Saturdays and Sundays",
    metrics: { orders: { mean: (day) => (isWeekend(day) ? 20 : 40), spread: 2 } },
  },
  {
    id: "silent",
    plot: "sends nothing on days 100-102 and 250-259",
    metrics: { orders: flat(20) },
    reports: (day) => !within(day, 100, 102) && !within(day, 250, 259),
  },
  {
    id: "outage",
    plot: "five dead nights, days 120-124; acknowledged and linked on the first",
    metrics: {
      bookings: { mean: (day) => (within(day, 120, 124) ? 0 : 25), spread: 1.5 },
      visits: flat(300, 2),
    },
  },
  {
    id: "halved",
    plot: "half as much from day 150 on",
    metrics: { orders: { mean: (day) => (day < 150 ? 40 : 20), spread: 1.5 } },
  },
  {
    id: "doubled",
    plot: "twice as much from day 200 on",
    metrics: { orders: { mean: (day) => (day < 200 ? 20 : 40), spread: 1.5 } },
  },
  {
    id: "retired",
    plot: "dead from day 178, retired on day 180 with open flags, back on day 300",
    metrics: { orders: { mean: (day) => (within(day, 178, 299) ? 0 : 30), spread: 1 } },
  },
  {
    id: "launching",
    plot: "test reports on days 0-20, live on day 90, first real report on day 93",
    metrics: { orders: flat(15) },
    reports: (day) => day <= 20 || day >= 93,
  },
  {
    id: "poison",
    plot: "the largest legal count on days 130-132 for one metric",
    metrics: { orders: flat(20), visits: flat(80) },
  },
  {
    id: "flood",
    plot: "300 reports of 50 metrics within an hour on day 140",
    metrics: { orders: flat(20) },
  },
  {
    id: "errors",
    plot: "errors tenfold on days 210-212",
    metrics: { "errors.5xx": { mean: (day) => (within(day, 210, 212) ? 60 : 6), spread: 1.5 } },
  },
  { id: "telling", plot: "sends a flag of its own on days 80-89", metrics: { orders: flat(10) } },
  {
    id: "growing",
    plot: "its total passes milestones, and jumps on day 275",
    metrics: { signups: flat(30) },
  },
  {
    id: "code",
    plot: "a codebase report a week; repeated code from day 60 to 200",
    metrics: { orders: flat(5) },
  },
  {
    id: "refused",
    plot: "its reports break the contract on days 160-165",
    metrics: { orders: flat(20) },
  },
  {
    id: "late",
    plot: "the reports of days 220-224 arrive on day 225",
    metrics: { orders: flat(20) },
    reports: (day) => !within(day, 220, 224),
  },
  {
    id: "newborn",
    plot: "first report on day 330",
    metrics: { orders: flat(25) },
    reports: (day) => day >= 330,
  },
  {
    id: "odd",
    plot: "one day four times as large, day 240",
    metrics: { orders: { mean: (day) => (day === 240 ? 80 : 20), spread: 1.5 } },
  },
];

/** The counts of every site's metrics on every day: the same for every run of one seed. */
export function tell(
  seed: number,
): ReadonlyMap<string, readonly (readonly [metric: string, count: number])[][]> {
  const random = seeded(seed);
  return new Map(
    SITES.map(({ id, metrics }) => [
      id,
      Array.from({ length: DAYS }, (_, day) =>
        Object.entries(metrics).map(
          ([metric, { mean, spread }]) => [metric, randomCount(random, mean(day), spread)] as const,
        ),
      ),
    ]),
  );
}
