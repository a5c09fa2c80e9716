/**
 * What late, short and drifting days of analytics come to, over real HTTP from simulated properties to the flags: series flagged where
 * nothing but the source was late, and rows of flags where figures drift after they were judged. A fresh seed is printed each time.
 *
 * `bun run bench late_days [--seed=<whole number>] [--sites=6]`
 */
import { listFlags } from "../../src/flags/mod.ts";
import { dayNumber } from "../../src/lib/day_number.ts";
import type { UtcDay } from "../../src/lib/utc_day.ts";
import { SIGNAL_METRICS } from "../../src/provider/contract.ts";
import type { PlantedChange } from "../../src/simulator/mod.ts";
import { PULLED_AT, type Pulled, pulledTower } from "../support/pulled.ts";

const given = new Map(
  Bun.argv.slice(2).map((option) => option.replace(/^--/, "").split("=") as [string, string]),
);
const SEED = Number(given.get("seed") ?? Date.now() % 1_000_000);
const SITES = Number(given.get("sites") ?? 6);
const QUARTER_MS = 900_000;
const DAY_MS = 86_400_000;
const FIRST = Date.parse(PULLED_AT);
const TODAY = dayNumber(PULLED_AT.slice(0, 10) as UtcDay);

interface Case {
  readonly name: string;
  readonly sites?: number;
  readonly visits?: readonly number[];
  /** What is told of a day as it ends, and within how many hours the rest comes. */
  readonly told?: { readonly atOnce: number; readonly restHours: number };
  /** How many sites lack the days, and until how many days after the first run. */
  readonly lacks?: { readonly sites: number; readonly until: number };
  /** What is left of the visitors of the first half of the sites. */
  readonly falls?: number;
  readonly days: number;
  /** Runs in a row at the beginning of each of the day's four quarters; all of them where it is absent. */
  readonly burst?: number;
  readonly goal: string;
  readonly isMet: (counted: Counted) => boolean;
}

interface Counted {
  /** Series with a drop of a day that was late (without any count), short or fell, and all that could have one. */
  readonly flagged: number;
  readonly series: number;
  readonly rows: number;
  /** Figures and days with a flow flag. */
  readonly conditions: number;
  readonly bytes: number;
  readonly silent: number;
}

const VISITS = [100, 500, 2_000];

const CASES: readonly Case[] = [
  {
    name: "the whole account lacks its newest days for three days",
    lacks: { sites: SITES, until: 4 },
    days: 6,
    burst: 2,
    goal: "none flagged, one source-silent",
    isMet: ({ flagged, silent }) => flagged === 0 && silent === 1,
  },
  {
    name: "half of a day comes after it settled",
    told: { atOnce: 0.2, restHours: 60 },
    days: 5,
    // Chance alone flags one in a hundred, on each of four days.
    goal: "one in eight flagged at most",
    isMet: ({ flagged, series }) => flagged * 8 <= series,
  },
  {
    name: "one property of several lacks its newest days",
    lacks: { sites: 1, until: 4 },
    days: 3,
    burst: 2,
    goal: "all of its four flagged, no source-silent",
    isMet: ({ flagged, silent }) => flagged === 4 && silent === 0,
  },
  {
    name: "the only property lacks its newest days",
    sites: 1,
    lacks: { sites: 1, until: 4 },
    days: 3,
    burst: 2,
    goal: "all of its four flagged, no source-silent",
    isMet: ({ flagged, silent }) => flagged === 4 && silent === 0,
  },
  {
    name: "days drift for five days, half of the sites fell",
    told: { atOnce: 0.9, restHours: 120 },
    falls: 0.3,
    days: 8,
    goal: "one row for each figure and day",
    isMet: ({ rows, conditions }) => rows === conditions,
  },
];

async function carriedOut(one: Case): Promise<Counted> {
  const { sites = SITES, visits = VISITS, told, lacks, falls } = one;
  const names = Array.from({ length: sites }, (_, place) => `site-${SEED}-${place}.example`);
  const isHit = (place: number) =>
    lacks === undefined ? falls === undefined || place < sites / 2 : place < lacks.sites;
  const world = {
    sites: names.map((name, place) => ({
      name,
      visitsPerDay: visits[place % visits.length] ?? 100,
      dispersion: 1,
      firstDay: TODAY - 90,
      analytics: { property: String(1_001 + place), timeZone: "America/Los_Angeles" },
      changes: [] as PlantedChange[],
    })),
    toldAtOnce: told?.atOnce ?? 0.92,
    settleMs: (told?.restHours ?? 24) * 3_600_000,
  };
  const pulled = await pulledTower({ world });
  try {
    await tick(pulled, 2);
    for (let day = 0; day < one.days; day++) {
      for (const [place, site] of world.sites.entries()) {
        const isLate = lacks !== undefined && isHit(place) && day < lacks.until;
        if (isLate) site.changes = [{ from: TODAY - 1, factor: 0 }];
        else if (falls !== undefined && isHit(place)) site.changes = [{ from: TODAY - 1, factor: falls }];
        else site.changes = [];
      }
      for (let quarter = 0; quarter < 4; quarter++) {
        pulled.clock.at(
          new Date(FIRST + day * DAY_MS + quarter * 24 * QUARTER_MS + QUARTER_MS).toISOString(),
        );
        await tick(pulled, one.burst ?? 24);
      }
    }
    return counted(
      pulled,
      lacks !== undefined,
      names.filter((_, place) => isHit(place)),
    );
  } finally {
    await pulled.close();
  }
}

async function tick(pulled: Pulled, times: number): Promise<void> {
  for (let at = 0; at < times; at++) {
    await pulled.run("sense");
    await pulled.tower.deps.follower.settle();
    pulled.clock.advance(QUARTER_MS);
  }
}

function counted(pulled: Pulled, isLate: boolean, hit: readonly string[]): Counted {
  const { store } = pulled.tower.deps;
  const all = listFlags(store.db, {}, 100_000);
  const flows = all.filter(
    ({ source, rule_inputs }) => source === "analytics" && rule_inputs?.["day"] !== undefined,
  );
  const drops = flows.filter(
    ({ asset, rule, rule_inputs }) =>
      hit.includes(asset) &&
      rule !== "flow-rise" &&
      dayNumber(rule_inputs?.["day"] as UtcDay) >= TODAY - 1 &&
      (!isLate || (rule_inputs?.["observed"] as { readonly count: number } | undefined)?.count === 0),
  );
  const bytes = store.raw
    .query<{ n: number }, []>(
      `SELECT (SELECT sum(length(message) + length(coalesce(rule_inputs, '')) + 300) FROM flag)
         + (SELECT sum(length(data) + 80) FROM flag_record) AS n`,
    )
    .get();
  return {
    flagged: new Set(drops.map(({ asset, metric }) => `${asset} ${metric}`)).size,
    series: hit.length * SIGNAL_METRICS.analytics.length,
    rows: flows.length,
    conditions: new Set(
      flows.map(({ asset, metric, rule_inputs }) => `${asset} ${metric} ${rule_inputs?.["day"]}`),
    ).size,
    bytes: bytes?.n ?? 0,
    silent: all.filter(({ rule }) => rule === "source-silent").length,
  };
}

process.stdout.write(`seed ${SEED}, ${SITES} sites\n`);
for (const one of CASES) {
  const result = await carriedOut(one);
  const { flagged, series, rows, conditions, bytes, silent } = result;
  process.stdout.write(
    `${one.isMet(result) ? "met    " : "NOT MET"}  ${one.name}: ${flagged} of ${series} series flagged; ${rows} rows of flags for ${conditions} figures and days, ${Math.round(bytes / 1_024)} KiB with their records; ${silent} source-silent (goal: ${one.goal})\n`,
  );
}
