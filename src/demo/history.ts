/** The demo's sites as the simulators know them, and what each of them counts about itself: one history, told by both. */
import {
  countOf,
  figuresOf,
  type PlantedChange,
  type SimulatedSite,
  seedOf,
  type World,
} from "../simulator/mod.ts";
import { PORTFOLIO } from "./portfolio.ts";
import type { DemoMetric, DemoSite } from "./site.ts";

export const SEED = 20_261_122;
export const DAY_MS = 86_400_000;
/** How long the providers have known the sites, in days. */
const KNOWN_DAYS = 400;
/** The account that most sites are seen by, and the one whose key is refused. */
export const ACCOUNTS = { most: "tower", broken: "archive" } as const;

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
  const { nextZone: _, ...analytics } = site.analytics ?? { property: "", timeZone: "UTC" };
  const { searchConsole, webmasterTools } = site;
  const { lifecycle, reports } = site;
  return {
    name: site.id,
    visitsPerDay: site.visitors,
    weekday: site.week,
    yearly: site.yearly,
    dispersion: site.dispersion ?? 3,
    firstDay: dayAt(madeAt, lifecycle === "pre-launch" ? -20 : -KNOWN_DAYS),
    ...(lifecycle === "retired" ? { lastDay: dayAt(madeAt, reports?.to ?? 0) } : {}),
    changes: (site.changes ?? []).map((change) => placed(change, madeAt)),
    ...(site.analytics === undefined
      ? {}
      : {
          analytics,
        }),
    ...(searchConsole === undefined ? {} : { searchConsole }),
    ...(webmasterTools === undefined ? {} : { webmasterTools }),
  };
}

/** What changes at the providers at a moment, as such things do: late data of past days, and a property's time zone. */
export function changeProviders(world: World, madeAt: number, at: number): void {
  for (const { id, revised, analytics } of PORTFOLIO) {
    const site = world.sites.find(({ name }) => name === id);
    if (site === undefined) continue;
    if (revised !== undefined) site.revisions = [{ ...placed(revised, madeAt), at, figures: OF_ANALYTICS }];
    if (site.analytics !== undefined && analytics?.nextZone !== undefined) {
      site.analytics.zoneChanges = [{ zone: analytics.nextZone, since: at }];
    }
  }
}

const OF_ANALYTICS = ["activeUsers", "sessions", "screenPageViews", "eventCount"];

function placed(change: PlantedChange, madeAt: number): PlantedChange {
  const from = dayAt(madeAt, change.from);
  return change.to === undefined ? { ...change, from } : { ...change, from, to: dayAt(madeAt, change.to) };
}

/** What a site counts of a metric on a whole day, by the visitors it really had: those that analytics does not see as well. */
export function countedOn(
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
