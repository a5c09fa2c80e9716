/** What health is told of pulls, over real HTTP: of each site, of everything over a connection, and of a connection that is no more. */

import { afterEach, describe, expect, test } from "bun:test";
import type { Fault, Where } from "../../src/demo/simulator/script.ts";
import type { Evidence } from "../../src/health/health.ts";
import { findEvidence, listHealthStates } from "../../src/health/state_store.ts";
import { type Pulled, pulledTower, pulledWorld } from "../support/pulled.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const SITES = ["harbor.example", "orchard.example"];

let pulled: Pulled;
afterEach(() => pulled.close());

/** A quarter of an hour later, and what is due then. */
async function tick(wait = 15 * MINUTE): Promise<void> {
  pulled.clock.advance(wait);
  await pulled.run("sense");
}

const fails = (fault: Fault, where: Where) => pulled.simulators.script(fault, { times: 99, ...where });
const latest = (evidence: Evidence | undefined) => evidence?.latest.category ?? (evidence && "usable");

describe("a site's daily figures", () => {
  test("are told with the newest day that is settled by what the answer says", async () => {
    pulled = await pulledTower();
    await pulled.run("sense");
    await pulled.run("webmaster-tools");
    const covered = (["analytics", "search-console", "webmaster-tools"] as const).map(
      (provider) => pulled.health(provider)?.success?.coveredDate,
    );
    const final = (["analytics", "search-console", "webmaster-tools"] as const).map((provider) =>
      pulled
        .stored(provider)
        .filter((line) => line.includes(" final "))
        .map((line) => line.split(" ")[1] ?? "")
        .toSorted()
        .at(-1),
    );
    expect(covered).toEqual(final);
    expect(covered[0]).toBe("2026-11-18");
    // Where nothing new is settled, and where the provider lags, it is a usable result all the same.
    await tick();
    await tick(4 * 24 * HOUR);
    expect(pulled.events()).toStrictEqual([]);
    expect(pulled.health("analytics")?.success?.coveredDate).toBe("2026-11-22");
  });

  test("of a provider that lags are usable, and cover the day that it stopped at", async () => {
    pulled = await pulledTower();
    await pulled.run("sense");
    const before = pulled.health("search-console")?.success?.coveredDate ?? "";
    const isBefore = ({ keys }: { readonly keys: readonly string[] }) => (keys[0] ?? "") <= before;
    const bend = (told: { readonly rows: readonly { readonly keys: readonly string[] }[] }) => ({
      rows: told.rows.filter(isBefore),
    });
    fails({ kind: "bent", bend }, { server: "searchConsole", times: 999 });
    // The days that were not settled are told no more, which is a change; after that nothing is.
    await tick(3 * 24 * HOUR);
    pulled.attempts();
    await tick(24 * HOUR);
    const told = pulled.attempts().find(({ provider }) => provider === "search-console");
    expect(told?.outcome).toBe("source_lag");
    expect(pulled.health("search-console")).toMatchObject({
      latest: { category: null, startedAt: pulled.clock.now() },
      success: { coveredDate: before },
    });
    expect(pulled.events()).toStrictEqual([]);
  });

  test("of a property without any data are usable, and cover no day", async () => {
    const world = pulledWorld();
    for (const site of world.sites) site.firstDay = 99_999;
    pulled = await pulledTower({ world });
    await pulled.run("sense");
    expect(pulled.attempts().map(({ outcome }) => outcome)).toContain("empty");
    expect(pulled.health("analytics")?.success).toMatchObject({ coveredDate: null });
  });

  test("of a day without the provider are one first failure, one change for each category, and one recovery", async () => {
    pulled = await pulledTower();
    await pulled.run("sense");
    const begun = pulled.clock.now();
    const stages: readonly Fault[] = [
      { kind: "reset" },
      { kind: "error", error: "internal" },
      { kind: "cut-json" },
    ];
    for (const fault of stages) {
      fails(fault, { server: "analyticsData", times: 9_999 });
      for (let quarter = 0; quarter < 32; quarter++) await tick();
      pulled.simulators.calm();
    }
    const failing = pulled.health("analytics");
    expect(failing).toMatchObject({
      failingSince: begun + 15 * MINUTE,
      success: { startedAt: begun, coveredDate: "2026-11-18" },
    });
    await tick();
    expect(pulled.events()).toMatchSnapshot();
  });
});

describe("what fails for a whole connection", () => {
  const off: Fault = { kind: "error", error: "service-disabled" };

  test("is told of it and of the site that was asked; the others were not, and are told nothing", async () => {
    const sites = Array.from({ length: 9 }, (_, place) => `site-${place}.example`);
    pulled = await pulledTower({ world: pulledWorld(sites) });
    await pulled.run("sense");
    const known = new Map(sites.map((site) => [site, pulled.health("analytics", site)]));
    fails(off, { server: "analyticsData" });
    await tick();
    const isFailing = (site: string) => latest(pulled.health("analytics", site)) === "configuration";
    const others = sites.filter((site) => !isFailing(site));
    expect(others.length).toBeWithin(1, sites.length);
    for (const site of others) expect(pulled.health("analytics", site)).toEqual(known.get(site));
    expect(pulled.health("analytics", "")?.latest).toMatchObject({
      category: "configuration",
      code: "api_disabled",
    });
    expect(latest(pulled.health("search-console", ""))).toBeUndefined();
  });

  test("is over with the first good answer of any site, once", async () => {
    pulled = await pulledTower({ world: pulledWorld(SITES) });
    await pulled.run("sense");
    fails(off, { server: "analyticsData" });
    await tick();
    pulled.simulators.calm();
    pulled.events();
    await tick(6 * HOUR + MINUTE);
    await tick();
    expect(latest(pulled.health("analytics", ""))).toBe("usable");
    expect(pulled.events().filter((event) => event.startsWith("analytics.daily - "))).toEqual([
      "analytics.daily - recovery configuration",
    ]);
  });

  test("is not told of the next connection, nor is what was good before", async () => {
    pulled = await pulledTower();
    await pulled.run("sense");
    fails(off, { server: "analyticsData" });
    await tick();
    pulled.simulators.calm();
    replaceConnection();
    expect([pulled.health("analytics"), pulled.health("analytics", "")]).toEqual([undefined, undefined]);
    expect(pulled.events()).toHaveLength(2);
    await tick();
    expect(latest(pulled.health("analytics"))).toBe("usable");
    // What was seen before stays as it was: under the connection that is no more nothing recovers.
    expect(pulled.events()).toStrictEqual([]);
    const kept = listHealthStates(pulled.tower.deps.store.db)
      .filter(({ scope }) => scope.capability === "analytics.daily")
      .map(({ evidence }) => evidence !== "unreadable" && latest(evidence));
    expect(kept.toSorted()).toEqual(["configuration", "configuration", "usable"]);
  });

  test("leaves a good answer of before as it is where another connection was put in before it came", async () => {
    pulled = await pulledTower();
    await pulled.run("sense");
    const before = listHealthStates(pulled.tower.deps.store.db, { asset: "harbor.example" });
    pulled.clock.advance(15 * MINUTE);
    pulled.simulators.script(
      {
        kind: "bent",
        bend: (told: object) => {
          replaceConnection();
          return told;
        },
      },
      { server: "analyticsData" },
    );
    await pulled.run("sense");
    expect(pulled.health("analytics")).toBeUndefined();
    const of = before.find(({ scope }) => scope.capability === "analytics.daily")?.scope;
    if (of === undefined) throw new Error("nothing was told");
    expect(findEvidence(pulled.tower.deps.store.db, of)).toMatchObject({
      latest: { category: "monitoring_failure", code: "connection_changed" },
      success: { coveredDate: "2026-11-18" },
    });
    await tick();
    expect(latest(pulled.health("analytics"))).toBe("usable");
    expect(findEvidence(pulled.tower.deps.store.db, of)?.latest.code).toBe("connection_changed");
  });

  /** As when its secret is replaced by another one: what is asked over it is another connection from now on. */
  function replaceConnection(): void {
    const { store } = pulled.tower.deps;
    store.raw.run("UPDATE credential SET connection_revision = 'another' WHERE id = ?", [
      pulled.credentials.google,
    ]);
  }
});

describe("the nightly list of webmaster tools", () => {
  const night = async () => {
    pulled.clock.advance(24 * HOUR);
    await pulled.run("webmaster-tools");
  };

  test("is told of the account; one that fails is told of no site", async () => {
    pulled = await pulledTower();
    await pulled.run("webmaster-tools");
    expect([latest(pulled.health("webmaster-tools", "")), latest(pulled.health("webmaster-tools"))]).toEqual([
      "usable",
      "usable",
    ]);
    const before = pulled.health("webmaster-tools");
    fails({ kind: "html", status: 503 }, { server: "webmasterTools", operation: "GetUserSites" });
    await night();
    expect(latest(pulled.health("webmaster-tools", ""))).toBe("provider_error");
    expect(pulled.health("webmaster-tools")).toEqual(before);
    pulled.simulators.calm();
    await night();
    expect(pulled.events()).toEqual([
      "webmaster-tools.daily - first_failure provider_error",
      "webmaster-tools.daily - recovery provider_error",
    ]);
  });

  test("without a site that was found by it says that the site is not to be seen", async () => {
    pulled = await pulledTower();
    await pulled.run("webmaster-tools");
    for (const site of pulled.world.sites) {
      if (site.webmasterTools !== undefined)
        site.webmasterTools = { ...site.webmasterTools, verified: false };
    }
    await night();
    expect(pulled.health("webmaster-tools")?.latest).toMatchObject({
      category: "access",
      code: "property_denied",
    });
    expect(latest(pulled.health("webmaster-tools", ""))).toBe("usable");
  });
});
