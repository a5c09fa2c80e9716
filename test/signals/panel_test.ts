/** The live panel over real HTTP: a simulated provider on loopback, the service's own pages, and what was asked of whom. */

import { beforeEach, describe, expect, test } from "bun:test";
import { startSimulators } from "../../src/demo/simulator/simulators.ts";
import type { World } from "../../src/demo/simulator/world.ts";
import { pause, resume } from "../../src/health/pauses.ts";
import { readCredentialFile } from "../../src/providers/given_file.ts";
import { attachProperty } from "../../src/signals/credential_changes.ts";
import { ensureAssets } from "../../src/sites/site_changes.ts";
import { FakeClock } from "../support/clock.ts";
import { storedCredential } from "../support/credentials.ts";
import { fresh, shared } from "../support/fresh.ts";
import { addressOf, ROUTES } from "../support/route_table.ts";
import { PROXY, testTower } from "../support/test_tower.ts";

const NOON = "2026-11-20T12:00:00Z";
const clock = new FakeClock(NOON);
const WORLD: World = {
  sites: [
    {
      name: "harbor",
      visitsPerDay: 20_000,
      firstDay: 20_000,
      analytics: { property: "1001", timeZone: "Europe/Paris" },
    },
  ],
};
const HARBOR = { asset: "harbor", provider: "analytics", property: "1001", replace: false } as const;

const simulators = shared(() => startSimulators({ now: () => clock.now(), seed: 7, world: WORLD }));

const tower = fresh(() => {
  clock.at(NOON);
  simulators.calm();
  return testTower({ settings: { ...simulators.settings, ...PROXY }, ground: { clock } });
});
let credential: string;
beforeEach(async () => {
  const { deps } = tower;
  await deps.writer.write(
    (tx): void => void ensureAssets(tx, ["harbor", "orchard"], { actor: "test", now: clock.now() }),
  );
  credential = (await storedCredential(deps, "analytics", await secret())).id;
  await attachProperty(deps, { ...HARBOR, credential }, { actor: "test", now: clock.now() });
  simulators.forget();
});

async function secret() {
  const read = await readCredentialFile(
    "analytics",
    simulators.serviceAccount(),
    tower.deps.config.providers,
  );
  if (!read.ok) throw new Error(read.faults.join());
  return read.secret;
}

/** What a page says at once, in words. */
async function said(path: string, headers: Readonly<Record<string, string>> = {}): Promise<string> {
  const response = await tower.ask(path, { headers: { accept: "text/html", ...headers } });
  return (await response.text()).replace(/<[^>]*>/g, " ").replace(/\s+/g, " ");
}

const PART = "/sites/harbor/live?part=live";
const part = () => said(PART, { "HX-Request": "true" });

/** Looks, waits for what that began, and looks again. */
async function seen(): Promise<string> {
  await part();
  await tower.deps.writer.settled();
  return part();
}

/** Questions that reached the provider. */
const asked = () => ({
  realtime: simulators.log.filter(({ operation }) => operation === "runRealtimeReport").length,
  hourly: simulators.log.filter(({ operation }) => operation === "runReport").length,
});

describe("the live panel", () => {
  test("says Checking traffic and waits for nobody; the next look has the counts and when they were seen", async () => {
    expect(await part()).toMatch(/Checking traffic .*Checking traffic/);
    await tower.deps.writer.settled();
    const text = await part();
    expect(text).toMatch(/\d+ active in the last 30 minutes, \d+ in the last 5/);
    expect(text).toContain("Updated 12:00:00 UTC (shared for 30 s).");
    expect(text).toContain("Hours in Europe/Paris; today is not final yet.");
    expect(text).not.toContain("Checking traffic");
    expect(asked()).toEqual({ realtime: 1, hourly: 1 });
  });

  test("what is paused is not asked, however long somebody looks: what was seen stays, and says so", async () => {
    const { writer } = tower.deps;
    const hourly = { capability: "analytics.hourly", asset: "" };
    const by = () => ({ actor: "operator:ada", now: clock.now() });
    await writer.write((tx) => pause(tx, { ...hourly, until: null }, by()));
    expect(await seen()).toMatch(/active in the last 30 minutes.*Paused: nobody is asked/);
    expect(asked()).toEqual({ realtime: 1, hourly: 0 });
    await writer.write((tx) => pause(tx, { capability: "", asset: "harbor", until: null }, by()));
    clock.advance(3_600_000);
    expect(await seen()).toContain("Updated 12:00:00 UTC. Paused: nobody is asked.");
    expect(await seen()).not.toContain("Checking traffic");
    expect(asked()).toEqual({ realtime: 1, hourly: 0 });
    await writer.write((tx) => {
      resume(tx, hourly, by());
      resume(tx, { capability: "", asset: "harbor" }, by());
    });
    await seen();
    expect(asked()).toEqual({ realtime: 2, hourly: 1 });
  });

  test("reading any other page, and the whole API, asks no provider", async () => {
    const values = { asset: "harbor", id: credential };
    const others = Object.keys(ROUTES)
      .filter((name) => name.startsWith("tower GET "))
      .map((name) => name.slice("tower GET ".length))
      .filter((path) => path !== "/sites/:asset");
    expect(others.length).toBeGreaterThan(30);
    for (const path of others) await said(addressOf(path, values));
    await tower.deps.writer.settled();
    expect(simulators.log).toStrictEqual([]);
  });

  test("has no page of its own: its address leads to the overview", async () => {
    const answer = await tower.ask("/sites/harbor/live");
    expect([answer.status, answer.headers.get("location")]).toEqual([303, "/sites/harbor#visitors-now"]);
  });
});
