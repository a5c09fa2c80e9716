/** What is paused is not asked: counted where the questions arrive. */

import { beforeEach, describe, expect, test } from "bun:test";
import { type PauseKey, pause, resume } from "../../src/health/pauses.ts";
import { listRuns } from "../../src/store/job_runs.ts";
import type { Tx } from "../../src/store/store.ts";
import { fresh } from "../support/fresh.ts";
import { pulledTower, pulledWorld } from "../support/pulled.ts";

const SITES = ["harbor.example", "orchard.example"];
const QUARTER = 900_000;
const DAY = 86_400_000;

const pulled = fresh(() => pulledTower({ world: pulledWorld(SITES) }));

const by = () => ({ actor: "operator:ada", now: pulled.clock.now() });
const pauseNow = (capability: string, asset: string, until: number | null = null) =>
  pulled.tower.deps.writer.write((tx) => pause(tx, { capability, asset, until }, by()));
/** An answer as ever, before which an operator paused something: it is written down before the answer is read. */
const pauses = (capability: string, asset: string) => ({
  kind: "bent" as const,
  bend: (told: object) => {
    pause(pulled.tower.deps.store.main as Tx, { capability, asset, until: null }, by());
    return told;
  },
});
const resumeNow = (key: PauseKey) => pulled.tower.deps.writer.write((tx) => resume(tx, key, by()));

/** Requests that arrived at each provider since this was asked last; exchanges of a token are none. */
let seen = 0;
function arrived(): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { server } of pulled.simulators.log.slice(seen)) {
    if (server !== "token") counts[server] = (counts[server] ?? 0) + 1;
  }
  seen = pulled.simulators.log.length;
  return counts;
}
beforeEach(() => {
  seen = 0;
});

async function run(job: "sense" | "webmaster-tools", later = QUARTER) {
  pulled.clock.advance(later);
  const { outcome, reports } = await pulled.run(job);
  return { outcome, paused: reports["paused"] ?? 0, arrived: arrived() };
}

describe("sense", () => {
  test("a capability of every site: none of it is asked until it is resumed, and the rest is as ever", async () => {
    expect(await run("sense")).toMatchObject({ outcome: "done", paused: 0, arrived: { analyticsData: 2 } });
    await pauseNow("analytics.daily", "");
    const paused = await run("sense");
    expect(paused).toMatchObject({ outcome: "done", paused: 2 });
    expect(paused.arrived).toEqual({ searchConsole: expect.any(Number) });
    await resumeNow({ capability: "analytics.daily", asset: "" });
    expect((await run("sense")).arrived["analyticsData"]).toBe(2);
  });

  test("all of a site: the other one is asked alone", async () => {
    await pauseNow("", "harbor.example");
    expect(await run("sense")).toMatchObject({ outcome: "done", paused: 2, arrived: { analyticsData: 1 } });
    const asked = pulled.attempts().map(({ asset }) => asset);
    expect(new Set(asked)).toEqual(new Set(["orchard.example"]));
  });

  test("with everything paused a run is done and has asked nobody; its row says so", async () => {
    for (const site of SITES) await pauseNow("", site);
    expect(await run("sense")).toEqual({ outcome: "done", paused: 4, arrived: {} });
    expect(pulled.attempts()).toStrictEqual([]);
    expect(listRuns(pulled.tower.deps.store.db, "sense", 1)).toMatchObject([
      { end: { outcome: "done", reports: { paused: 4 } } },
    ]);
  });

  test("until a moment: it is asked again from then on, with nobody's act", async () => {
    await pauseNow("analytics.daily", "", pulled.clock.now() + 3 * QUARTER);
    expect((await run("sense")).paused).toBe(2);
    expect((await run("sense")).paused).toBe(2);
    expect(await run("sense")).toMatchObject({ paused: 0, arrived: { analyticsData: 2 } });
  });

  test("a pause that comes while a question is under way: its answer is kept, the next is not asked", async () => {
    pulled.simulators.script(pauses("search-console.daily", ""), { server: "searchConsole", times: 1 });
    const { paused } = await run("sense");
    // One lane, one question at a time.
    expect(paused).toBe(1);
    const told = pulled.attempts().filter(({ provider }) => provider === "search-console");
    expect(told).toMatchObject([{ outcome: "changed" }]);
    expect(pulled.stored("search-console", told[0]?.asset).length).toBeGreaterThan(0);
  });
});

describe("webmaster tools", () => {
  interface Flag {
    readonly status: string;
    readonly resolution: string | null;
    readonly rule_inputs: Readonly<Record<string, unknown>>;
  }
  const flags = () => pulled.list<Flag>("/api/flags?rule=asset-pull-failed");
  const night = () => run("webmaster-tools", DAY);
  const fails = (name: string) =>
    pulled.simulators.script(
      { kind: "error", error: "2" },
      {
        server: "webmasterTools",
        operation: "GetRankAndTrafficStats",
        property: `https://${name}/`,
        times: 9,
      },
    );

  test("paused on every site, not even the list of sites is asked for; resumed, all of it is", async () => {
    expect((await night()).arrived).toEqual({ webmasterTools: 3 });
    await pauseNow("webmaster-tools.daily", "");
    expect(await night()).toEqual({ outcome: "done", paused: 2, arrived: {} });
    await resumeNow({ capability: "webmaster-tools.daily", asset: "" });
    expect((await night()).arrived).toEqual({ webmasterTools: 3 });
  });

  test("a paused site is in no night that failed: not asked, and left out where it failed before", async () => {
    fails("harbor.example");
    await night();
    expect(await flags()).toMatchObject([{ status: "open", rule_inputs: { failed: 1, sites: 2 } }]);
    await pauseNow("", "harbor.example");
    expect(await night()).toMatchObject({ outcome: "done", paused: 1, arrived: { webmasterTools: 2 } });
    expect(await flags()).toMatchObject([{ status: "resolved", resolution: "paused" }]);
  });

  test("a site that failed and was paused while the night went on raises no flag", async () => {
    fails("harbor.example");
    const where = { operation: "GetRankAndTrafficStats", property: "https://orchard.example/" };
    pulled.simulators.script(pauses("", "harbor.example"), { server: "webmasterTools", ...where });
    await night();
    expect(await flags()).toStrictEqual([]);
  });
});
