import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { HEALTH_STATES, type HealthState } from "../../../src/health/health.ts";
import { countFlags, needsAttention, tilesOf } from "../../../src/tower/sites/wall.tsx";
import { healthIn, wallSite } from "../../support/wall_facts.ts";

const NOW = Date.UTC(2026, 10, 20, 14);
const HOUR = 3_600_000;
const lineOf = (...site: Parameters<typeof wallSite>) => tilesOf([wallSite(...site)], NOW)[0]?.line;
const saying = (...health: Parameters<typeof healthIn>) =>
  lineOf("a", health[0], { health: healthIn(...health) });

describe("a tile of the Wall", () => {
  test("says its state, why, and for how long", () => {
    expect(saying("failing", { since: NOW - 50 * HOUR })).toBe("Failing: access, 2 d");
    expect(saying("failing", { category: "exhausted_budget", since: NOW - 1 })).toBe(
      "Failing: exhausted budget, 1 min",
    );
    expect(saying("stale", { since: NOW - 34 * HOUR })).toBe("Stale, 34 h: Search console, daily");
    expect(saying("unknown", { since: null })).toBe("Unknown: Search console, daily");
    expect(saying("disconnected", { since: NOW - 3 * HOUR })).toBe("Disconnected, 3 h");
    expect(saying("paused", { pausedUntil: Date.UTC(2027, 0, 4) })).toBe("Paused until 4 Jan 2027");
    expect(
      ["paused", "never_run", "unmonitored", "idle", "working"].map((state) => saying(state as "idle")),
    ).toEqual(["Paused", "Never run", "Unmonitored", "Idle", "Working"]);
  });

  test("a moment ahead of the clock is no age", () => {
    expect(saying("failing", { since: NOW + HOUR })).toBe("Failing: access");
  });

  test("silence is said whatever else is", () => {
    const silentSince = NOW - 60 * HOUR;
    expect(lineOf("a", "working", { silentSince })).toBe("Working, silent 2 d");
    const health = healthIn("stale", { label: "Nightly reports", since: NOW - HOUR });
    const { worst } = health;
    const nightly = { ...worst, capability: { ...worst.capability, capability: "ingest.nightly" } };
    expect(lineOf("a", "stale", { silentSince, health: { ...health, worst: nightly } })).toBe(
      "Stale: silent 2 d",
    );
  });

  test("says how all of its site stands", () => {
    const allOf = (state: HealthState, working: number, monitored: number) => {
      const health = healthIn(state);
      const counts = { ...health.counts, idle: 2 };
      return tilesOf([wallSite("a", state, { health: { ...health, counts, working, monitored } })], NOW)[0]
        ?.all;
    };
    expect(allOf("working", 5, 5)).toBe("5 of 5 working");
    expect(allOf("failing", 4, 5)).toBe("4 of 5 working");
    expect(allOf("stale", 0, 1)).toBe("0 of 1 working");
    expect(allOf("idle", 0, 0)).toBe("2 idle");
  });

  test("a site of which nothing could be read is unknown, and needs attention", () => {
    const [tile] = tilesOf([wallSite("a", "working", { health: undefined })], NOW);
    expect(tile).toMatchObject({ state: "unknown", line: "Unknown" });
    expect(tile && needsAttention(tile)).toBe(true);
  });

  test("flags are counted over all of them, by severity", () => {
    const flags = { error: 1, warn: 0, info: 4 };
    const sites = [
      wallSite("a", "idle", { flags }),
      wallSite("b", "working"),
      wallSite("c", "idle", { flags }),
    ];
    expect(countFlags(sites)).toEqual({ error: 2, warn: 0, info: 8 });
  });
});

test("places: the worst first, then by name, and neither ages nor flags nor the order of reading move a tile", () => {
  const site = fc.record({
    asset: fc.string({ minLength: 1, maxLength: 8 }),
    state: fc.constantFrom(...HEALTH_STATES),
    age: fc.nat(10 ** 9),
    flags: fc.record({ error: fc.nat(9), warn: fc.nat(9), info: fc.nat(9) }),
  });
  const portfolio = fc.uniqueArray(site, { selector: ({ asset }) => asset, maxLength: 40 });
  fc.assert(
    fc.property(portfolio, fc.nat(10 ** 9), (sites, later) => {
      const wall = sites.map(({ asset, state, age, flags }) =>
        wallSite(asset, state, { flags, health: healthIn(state, { since: NOW - age }) }),
      );
      const places = tilesOf(wall, NOW).map(({ asset }) => asset);
      const moved = sites.toReversed().map(({ asset, state }) => wallSite(asset, state));
      expect(tilesOf(moved, NOW + later).map(({ asset }) => asset)).toEqual(places);
      const ranks = tilesOf(wall, NOW).map(({ state }) => HEALTH_STATES.indexOf(state));
      expect(ranks).toEqual(ranks.toSorted((a, b) => a - b));
    }),
  );
});
