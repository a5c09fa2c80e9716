/** The nightly reports of a site of the demo. */
import { type SimulatedSite, seedOf, uniform } from "../simulator/mod.ts";
import { countedOn, DAY_MS, SEED } from "./history.ts";
import type { DemoMetric, DemoSite } from "./site.ts";

const PAGES = ["/", "/checkout", "/search", "/account", "/help"];
/** Of which metrics pages are told: what goes wrong. */
const NEGATIVE = /^(?:errors|uploads\.failed)/;

/** A site's history, counted once a day and kept. */
export interface Counter {
  /** What was counted on a whole day (a day number). */
  readonly on: (metric: DemoMetric, day: number) => number;
  /** What was counted on all days from the first to one, that one included. */
  readonly upTo: (metric: DemoMetric, day: number) => number;
}

export function counterOf(site: DemoSite, simulated: SimulatedSite, madeAt: number): Counter {
  const kept = new Map<string, number>();
  const sums = new Map<string, { day: number; sum: number }>();
  const on = (metric: DemoMetric, day: number): number => {
    const key = `${metric.name} ${day}`;
    const value = kept.get(key) ?? countedOn(site, simulated, metric, madeAt, day);
    kept.set(key, value);
    return value;
  };
  const first = Math.floor(madeAt / DAY_MS) + (site.reports?.from ?? 0);
  return {
    on,
    upTo: (metric, day) => {
      const known = sums.get(metric.name);
      const state =
        known !== undefined && known.day <= day ? known : { day: first - 1, sum: metric.before ?? 0 };
      while (state.day < day) state.sum += on(metric, ++state.day);
      sums.set(metric.name, state);
      return state.sum;
    },
  };
}

/** The report that a site makes at a moment: its last 24 hours lie on two days. */
export function nightlyReport(site: DemoSite, counter: Counter, at: number): object {
  const day = Math.floor(at / DAY_MS);
  const passed = (at - day * DAY_MS) / DAY_MS;
  const metrics = Object.fromEntries(
    site.metrics.map((metric) => {
      const lately = (before: number) =>
        (1 - passed) * counter.on(metric, day - 1 - before) + passed * counter.on(metric, day - before);
      const week = [0, 1, 2, 3, 4, 5, 6].reduce((sum, before) => sum + lately(before), 0) / 7;
      const total = counter.upTo(metric, day - 1) + Math.floor(passed * counter.on(metric, day));
      return [metric.name, { last24h: Math.round(lately(0)), avg7d: Math.round(week * 100) / 100, total }];
    }),
  );
  const negative = Object.entries(metrics)
    .filter(([name]) => NEGATIVE.test(name))
    .reduce((sum, [, { last24h }]) => sum + last24h, 0);
  return {
    asset: site.id,
    generatedAt: new Date(at).toISOString(),
    capabilities: (site.families ?? []).map((family) => family.split("=")[0] ?? ""),
    metrics,
    ...(negative === 0 ? {} : { negativeByPage: dividedAmongPages(site, negative) }),
  };
}

function dividedAmongPages(site: DemoSite, count: number) {
  const seed = seedOf(SEED, site.id, "pages");
  const weights = PAGES.map((_, place) => (0.5 + uniform(seed, place)) / (place + 1));
  const sum = weights.reduce((total, weight) => total + weight, 0);
  return PAGES.map((page, place) => ({
    page,
    count: Math.round((count * (weights[place] ?? 0)) / sum),
  })).filter((entry) => entry.count > 0);
}
