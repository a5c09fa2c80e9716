import { expect, test } from "bun:test";
import fc from "fast-check";
import { isSilent, SITE_STATES, siteState } from "../../src/rules/freshness.ts";
import { LIFECYCLES } from "../../src/sites/sites.ts";

const NOW = Date.UTC(2026, 10, 22, 9);
const HOUR = 3_600_000;
const LIVE = { lifecycle: "live", receivedAt: NOW - 5 * HOUR, silentHours: 26 } as const;

test("each state by the plainest case of it", () => {
  expect([
    siteState(LIVE, NOW),
    siteState({ ...LIVE, receivedAt: NOW - 26 * HOUR }, NOW),
    siteState({ ...LIVE, receivedAt: undefined }, NOW),
    siteState({ ...LIVE, lifecycle: "pre-launch" }, NOW),
    siteState({ ...LIVE, paused: { until: null } }, NOW),
    siteState({ ...LIVE, lifecycle: "retired" }, NOW),
  ]).toEqual(["reporting", "silent", "never_reported", "pre_launch", "paused", "retired"]);
});

test("a pause ends by itself; a retired site is retired whatever is paused", () => {
  const silent = { ...LIVE, receivedAt: NOW - 99 * HOUR };
  expect(siteState({ ...silent, paused: { until: NOW + 1 } }, NOW)).toBe("paused");
  expect(siteState({ ...silent, paused: { until: NOW } }, NOW)).toBe("silent");
  expect(siteState({ ...silent, lifecycle: "retired", paused: { until: null } }, NOW)).toBe("retired");
});

test("silence counts from going live, as the rule counts it", () => {
  const late = { ...LIVE, receivedAt: NOW - 99 * HOUR, wentLiveAt: NOW - HOUR };
  expect(siteState(late, NOW)).toBe("reporting");
  expect(siteState({ ...late, wentLiveAt: NOW - 30 * HOUR }, NOW)).toBe("silent");
});

test("a site is silent exactly where the rule says so of a live one that is not paused", () => {
  const site = fc.record({
    lifecycle: fc.constantFrom(...LIFECYCLES),
    receivedAt: fc.option(fc.integer({ min: NOW - 200 * HOUR, max: NOW }), { nil: undefined }),
    wentLiveAt: fc.option(fc.integer({ min: NOW - 200 * HOUR, max: NOW }), { nil: undefined }),
    silentHours: fc.integer({ min: 1, max: 100 }),
    paused: fc.option(fc.record({ until: fc.option(fc.integer({ min: NOW - HOUR, max: NOW + HOUR })) }), {
      nil: undefined,
    }),
  });
  fc.assert(
    fc.property(site, (of) => {
      const state = siteState(of, NOW);
      const { receivedAt, paused } = of;
      const rests = paused !== undefined && (paused.until === null || paused.until > NOW);
      const judged = of.lifecycle === "live" && !rests && receivedAt !== undefined;
      expect(SITE_STATES).toContain(state);
      expect(state === "silent").toBe(judged && isSilent({ ...of, receivedAt }, NOW));
    }),
  );
});
