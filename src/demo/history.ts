/** The demo's sites as the simulators know them, and what each of them counts about itself: one history, told by both. */

import type { Post } from "./folder.ts";
import { PORTFOLIO } from "./portfolio.ts";
import { count as countOf, figuresOf, seedOf, uniform } from "./simulator/figures.ts";
import { type PlantedChange, type SimulatedSite, slugOf, type World } from "./simulator/world.ts";
import type { DemoMetric, DemoSite } from "./site.ts";

export const SEED = 20_261_128;
export const DAY_MS = 86_400_000;
/** How long the providers have known the sites, in days. */
const KNOWN_DAYS = 400;
/** The account that most sites are seen by, and the one whose key is refused. */
export const ACCOUNTS = { most: "tower", broken: "archive" } as const;
/** The day on which the second got another key, of which nobody told the Tower. */
export const KEY_REPLACED = -5;
/** The day on which the providers told some days of before anew, and moved a property to another time zone. */
const CHANGED = -1;

/** What search console never answers as it should: one family of one site. */
export const BROKEN_REPORT = {
  server: "searchConsole",
  property: "sc-domain:tin-rocket-toys.example",
  asking: '"dimensions":["page","country"]',
} as const;

/** The day number of a distance from the day on which the demo was made. */
export const dayAt = (madeAt: number, distance: number): number => Math.floor(madeAt / DAY_MS) + distance;

/** The world of a demo that was made at a moment. */
export function demoWorld(madeAt: number): World {
  return {
    sites: PORTFOLIO.map((site) => simulatedSite(site, madeAt)),
    accounts: [
      {
        name: ACCOUNTS.most,
        sites: PORTFOLIO.filter(({ account }) => account === undefined).map(({ id }) => id),
      },
      { name: ACCOUNTS.broken },
    ],
    // Nearer than most days: a demo that shows nothing of today until noon shows less than there is.
    intradayLagMs: 60 * 60_000,
  };
}

function simulatedSite(site: DemoSite, madeAt: number): SimulatedSite {
  const { lifecycle, phrases, reports, searchConsole, webmasterTools, revised } = site;
  const { nextZone, ...analytics } = site.analytics ?? { property: "", timeZone: "UTC" };
  const since = dayAt(madeAt, CHANGED) * DAY_MS;
  return {
    name: site.id,
    visitsPerDay: site.visitors,
    weekday: site.week,
    yearly: site.yearly,
    dispersion: site.dispersion ?? 3,
    firstDay: dayAt(madeAt, lifecycle === "pre-launch" ? -20 : -KNOWN_DAYS),
    ...(lifecycle === "retired" ? { lastDay: dayAt(madeAt, reports?.to ?? 0) } : {}),
    ...(phrases === undefined ? {} : { phrases }),
    changes: (site.changes ?? []).map((change) => placed(change, madeAt)),
    ...(revised === undefined
      ? {}
      : { revisions: [{ ...placed(revised, madeAt), at: since, figures: OF_ANALYTICS }] }),
    ...(site.analytics === undefined
      ? {}
      : {
          analytics:
            nextZone === undefined ? analytics : { ...analytics, zoneChanges: [{ zone: nextZone, since }] },
        }),
    ...(searchConsole === undefined ? {} : { searchConsole }),
    ...(webmasterTools === undefined ? {} : { webmasterTools }),
  };
}

const OF_ANALYTICS = ["activeUsers", "sessions", "screenPageViews", "eventCount"];

function placed(change: PlantedChange, madeAt: number): PlantedChange {
  const from = dayAt(madeAt, change.from);
  return change.to === undefined ? { ...change, from } : { ...change, from, to: dayAt(madeAt, change.to) };
}

/** What a site counts of a metric on a whole day, by the visitors it really had: those that analytics does not see as well. */
function countedOn(
  site: DemoSite,
  simulated: SimulatedSite,
  metric: DemoMetric,
  madeAt: number,
  day: number,
): number {
  const blind = {
    ...simulated,
    changes: (simulated.changes ?? []).filter(({ figures }) => figures === undefined),
  };
  const visitors = figuresOf(SEED, blind, day)?.activeUsers ?? 0;
  const factor = (metric.changes ?? [])
    .map((change) => placed(change, madeAt))
    .filter(({ from, to }) => day >= from && day <= (to ?? Number.POSITIVE_INFINITY))
    .reduce((all, change) => all * change.factor, 1);
  return countOf(visitors * metric.perVisitor * factor, 1.1, seedOf(SEED, site.id, metric.name), day);
}

/** The nightly reports of a site of the demo. */

/** Of which metrics pages are told: what goes wrong. */
const NEGATIVE = /^(?:errors|uploads\.failed)/;

/** A site's history, counted once a day and kept. */
interface Counter {
  /** What was counted on a whole day (a day number). */
  readonly on: (metric: DemoMetric, day: number) => number;
  /** What was counted on all days from the first to one, that one included. */
  readonly upTo: (metric: DemoMetric, day: number) => number;
}

export function counterOf(site: DemoSite, simulated: SimulatedSite, madeAt: number): Counter {
  const kept = new Map<string, number>();
  const sums = new Map<string, { day: number; sum: number }>();
  const on = (metric: DemoMetric, day: number): number =>
    kept.getOrInsertComputed(`${metric.name} ${day}`, () => countedOn(site, simulated, metric, madeAt, day));
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
  const pages = ["/", ...(site.phrases ?? []).slice(0, 4).map((phrase) => `/${slugOf(phrase)}`)];
  const weights = pages.map((_, place) => (0.5 + uniform(seed, place)) / (place + 1));
  const sum = weights.reduce((total, weight) => total + weight, 0);
  return pages
    .map((page, place) => ({
      page,
      count: Math.round((count * (weights[place] ?? 0)) / sum),
    }))
    .filter((entry) => entry.count > 0);
}

/** The reports that the sites of the demo send: the nights up to now, and one now and then while it runs. */

const MINUTE_MS = 60_000;

/** How the sites of a demo reach its ingest. */
interface Sending {
  readonly madeAt: number;
  readonly world: World;
  readonly post: Post;
  readonly tokens: Readonly<Record<string, string>>;
}

/** From the start of a day until the night's reports have come from every site, in milliseconds. */
const NIGHT_MS = Math.max(...PORTFOLIO.map(({ reports }) => reports?.minute ?? 0)) * MINUTE_MS;

export const endOfNight = (day: number): number => day * DAY_MS + NIGHT_MS;

/** The newest day whose night has come for every site. */
export const lastNight = (now: number): number => Math.floor((now - NIGHT_MS) / DAY_MS);

export class NightlySender {
  readonly #sending: Sending;
  readonly #counters = new Map<string, Counter>();

  constructor(sending: Sending) {
    this.#sending = sending;
  }

  /** Sends every night after day `after` that has come by `now`, each site's in order and the sites side by side. How many there were. */
  async catchUp(after: number, now: number): Promise<number> {
    const sent = await Promise.all(
      PORTFOLIO.map(async (site) => {
        const nights = this.#nightsOf(site, after, now);
        for (const at of nights) await this.#send(site, at);
        return nights.length;
      }),
    );
    return sent.reduce((sum, count) => sum + count, 0);
  }

  /** Sends one more report of the `turn`-th site that still reports, of the 24 hours up to now. Which site it was. */
  async sendOne(turn: number, now: number): Promise<string> {
    const sending = PORTFOLIO.filter(({ reports }) => reports !== undefined && reports.to === undefined);
    const site = sending[turn % sending.length];
    if (site === undefined) throw new RangeError("no site of the demo reports");
    await this.#send(site, now);
    return site.id;
  }

  /** The moments of a site's reports in order. */
  #nightsOf({ reports }: DemoSite, after: number, now: number): readonly number[] {
    if (reports === undefined) return [];
    const { madeAt } = this.#sending;
    const first = Math.max(after + 1, dayAt(madeAt, reports.from));
    const last = reports.to === undefined ? Math.floor(now / DAY_MS) : dayAt(madeAt, reports.to);
    return Array.from(
      { length: Math.max(0, last - first + 1) },
      (_, place) => (first + place) * DAY_MS + reports.minute * MINUTE_MS,
    ).filter((at) => at <= now);
  }

  #send(site: DemoSite, at: number): Promise<void> {
    const { post, tokens } = this.#sending;
    return post("/api/pulse", tokens[site.id] ?? "", nightlyReport(site, this.#counterOf(site), at));
  }

  #counterOf(site: DemoSite): Counter {
    return this.#counters.getOrInsertComputed(site.id, () => {
      const simulated = this.#sending.world.sites.find(({ name }) => name === site.id);
      if (simulated === undefined) throw new RangeError(`the world has no site ${site.id}`);
      return counterOf(site, simulated, this.#sending.madeAt);
    });
  }
}
