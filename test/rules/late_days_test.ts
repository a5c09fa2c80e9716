/** Late and unfinished days of analytics, end to end: simulated properties over real HTTP, the jobs and the rules of the service. */

import { afterEach, describe, expect, test } from "bun:test";
import { dayNumber, dayOfNumber, type UtcDay } from "../../src/base/time.ts";
import type { SimulatedSite } from "../../src/demo/simulator/world.ts";
import { listFlags } from "../../src/flags/queries.ts";
import { listVerdicts, sumTallies } from "../../src/rules/verdicts.ts";
import { disconnect } from "../../src/signals/credential_changes.ts";
import { changeAsset } from "../../src/sites/site_changes.ts";
import { followerOn } from "../support/nightly.ts";
import { type Pulled, pulledTower } from "../support/pulled.ts";

/** In California, where midnight is at 08:00 UTC. */
const TODAY = dayNumber("2026-11-20" as UtcDay);
const day = (after: number): UtcDay => dayOfNumber(TODAY + after);

let pulled: Pulled;
afterEach(() => pulled.close());

/** Sites whose figures vary by chance alone, each with a property of one account. */
async function sites(names: readonly string[]): Promise<SimulatedSite[]> {
  const world = {
    sites: names.map((name, place) => ({
      name,
      visitsPerDay: 2_000,
      dispersion: 1,
      firstDay: TODAY - 90,
      analytics: { property: String(1_001 + place), timeZone: "America/Los_Angeles" },
    })),
    toldAtOnce: 1,
    intradayLagMs: 0,
  };
  pulled = await pulledTower({ world });
  return world.sites;
}

/** Two runs a quarter of an hour apart, from so many days after the first on. */
async function collect(after: number, times = 2): Promise<void> {
  pulled.clock.at(`${day(after)}T20:00:00Z`);
  for (let run = 0; run < times; run++) {
    await pulled.run("sense");
    await pulled.tower.deps.follower.settle();
    pulled.clock.advance(900_000);
  }
}

const flags = (filter = {}) => listFlags(pulled.tower.deps.store.db, filter, 500);
/** What was raised of the days since the one before the first. */
const drops = (asset?: string) =>
  flags({ ...(asset !== undefined && { asset }), rule: "flow-drop" })
    .filter(({ rule_inputs }) => String(rule_inputs?.["day"]) >= day(-1))
    .map(({ asset: of, metric, rule_inputs }) => `${of} ${metric} ${rule_inputs?.["day"]}`);
const judged = (asset: string) =>
  [
    ...new Set(
      listVerdicts(pulled.tower.deps.store.db, asset, { source: "analytics" }).map(({ date }) => date),
    ),
  ].join();
const silent = (status: "open" | "resolved") => flags({ rule: "source-silent", status });

describe("days that a source leaves out at the newest end", () => {
  const lacking = (site: SimulatedSite | undefined, from: number, to?: number) => {
    if (site !== undefined)
      site.changes = [{ from: TODAY + from, ...(to !== undefined && { to: TODAY + to }), factor: 0 }];
  };

  test("of every property of an account are tested by nobody for five days: one flag tells it until the data arrives", async () => {
    const all = await sites(["anchor.example", "beacon.example"]);
    await collect(0);
    expect(judged("anchor.example")).toBe(day(-2));
    for (const site of all) lacking(site, -1);
    for (let after = 1; after <= 4; after++) await collect(after);
    expect(drops()).toStrictEqual([]);
    expect(judged("anchor.example")).toBe(day(-2));
    expect(pulled.stored("analytics").filter((line) => line.startsWith(`event_count ${day(-1)}`))).toEqual([
      `event_count ${day(-1)} final 0 omitted`,
    ]);
    expect(silent("open")).toMatchSnapshot();
    expect(silent("open")[0]?.message).toStartWith(
      "Analytics is late: no data since 19 Nov for 2 properties of ",
    );
    const { tests } = sumTallies(pulled.tower.deps.store.db, "2020-01-01" as UtcDay);
    for (const site of all) site.changes = [];
    await collect(5);
    expect(silent("open")).toStrictEqual([]);
    expect(silent("resolved")).toMatchObject([{ resolution: "cleared" }]);
    expect(judged("anchor.example")).toBe(day(3));
    expect(drops()).toStrictEqual([]);
    // Each of the days that waited is one test of each figure, and so is the day that settled since.
    expect(sumTallies(pulled.tower.deps.store.db, "2020-01-01" as UtcDay).tests - tests).toBe(2 * 4 * 5);
    await collect(5);
    expect(sumTallies(pulled.tower.deps.store.db, "2020-01-01" as UtcDay).tests - tests).toBe(2 * 4 * 5);
  });

  test("and for longer are tested then, as days without data", async () => {
    const all = await sites(["anchor.example", "beacon.example", "cove.example"]);
    await collect(0);
    for (const site of all) lacking(site, -1);
    for (let after = 1; after <= 5; after++) await collect(after);
    expect(drops()).toStrictEqual([]);
    await collect(6);
    expect(drops("anchor.example")).toContain(`anchor.example event_count ${day(-1)}`);
    expect(flags({ asset: "anchor.example", metric: "event_count" })[0]?.message).toMatch(
      /^Analytics event count: no data on 19 Nov \(normally about [\d,]+\)$/,
    );
    expect(silent("open")).toHaveLength(1);
    const { deps } = pulled.tower;
    const by = { actor: "test", now: 0, onRetired: () => undefined };
    await disconnect(deps, { asset: "anchor.example", provider: "analytics" }, by);
    for (const site of ["beacon.example", "cove.example"]) {
      await changeAsset(deps.writer, site, { lifecycle: "retired" }, by);
    }
    await deps.jobs.run("freshness", "schedule");
    expect(silent("resolved")).toMatchObject([{ resolution: "cleared" }]);
  });

  test("of one property are tested as they settle where another of the account reports", async () => {
    const [late] = await sites(["anchor.example", "beacon.example"]);
    await collect(0);
    lacking(late, -1);
    await collect(1);
    expect(drops()).toHaveLength(4);
    expect(silent("open")).toStrictEqual([]);
  });
});

describe("a day that is short when it settles", () => {
  const short = (site: SimulatedSite | undefined, left: number) => {
    if (site !== undefined) site.changes = [{ from: TODAY - 1, to: TODAY - 1, factor: left }];
  };

  test("is tested once two collections in a row agree on it, though no value changes then, and whoever was restarted", async () => {
    const [site] = await sites(["anchor.example"]);
    await collect(0);
    for (const [run, left] of [0.3, 0.5].entries()) {
      short(site, left);
      await collect(1 + run, 1);
      expect(judged("anchor.example")).toBe(day(-2));
    }
    if (site !== undefined) site.changes = [];
    await collect(3, 1);
    expect(judged("anchor.example")).toBe(day(-2));
    expect(drops()).toStrictEqual([]);
    await pulled.run("sense");
    await pulled.tower.deps.follower.settle();
    expect(judged("anchor.example")).toBe(day(1));
    expect(drops()).toStrictEqual([]);
  });

  test("and never ends to move is tested on the fifth day after it, also where Tower was down and nothing is collected any more", async () => {
    const [site] = await sites(["anchor.example"]);
    await collect(0);
    for (let after = 1; after <= 3; after++) {
      short(site, 0.1 * after);
      await collect(after, 1);
    }
    expect(judged("anchor.example")).toBe(day(-2));
    pulled.clock.at(`${day(4)}T09:00:00Z`);
    const restarted = followerOn(pulled.tower.deps);
    await restarted.settle();
    await restarted.stop();
    expect(judged("anchor.example")).toBe(day(1));
    expect(drops()).toContain(`anchor.example event_count ${day(-1)}`);
  });
});
