import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { FAILURE_CATEGORIES } from "../../../src/providers/faults.ts";
import { linesOf } from "../../../src/tower/sites/lines.ts";
import { type Change, type FlagChange, urgencyOf } from "../../../src/tower/sites/morning_change.ts";

const DAY_MS = 86_400_000;
const TODAY = 20_780;

const flag = (id: string, of: Partial<FlagChange> = {}): FlagChange => ({
  of: "flag",
  id,
  asset: "shop",
  severity: "warn",
  turn: "begun",
  isWithinChance: false,
  about: "down",
  days: { from: TODAY, to: TODAY },
  at: TODAY * DAY_MS,
  ...of,
});
const events = (changes: readonly Change[]) =>
  linesOf(changes).map(({ changes: of }) => of.map((one) => (one.of === "flag" ? one.id : one.asset)).sort());

describe("one event is one line", () => {
  test("an outage that moves four figures of a site, told by three sources with windows of their own", () => {
    const outage = [
      flag("signups"),
      flag("orders", { days: { from: TODAY - 3, to: TODAY } }),
      flag("visitors", { days: { from: TODAY - 2, to: TODAY - 2 }, at: (TODAY + 1) * DAY_MS }),
      flag("clicks", { days: { from: TODAY - 4, to: TODAY - 3 }, at: (TODAY + 2) * DAY_MS }),
    ];
    expect(events(outage)).toEqual([["clicks", "orders", "signups", "visitors"]]);
  });

  test("what went the other way, what was days apart and what another site tells are other events", () => {
    const changes = [
      flag("a"),
      flag("up", { about: "up" }),
      flag("before", { days: { from: TODAY - 1, to: TODAY - 1 } }),
      flag("other", { asset: "blog" }),
    ];
    expect(events(changes).flat().sort()).toEqual(["a", "before", "other", "up"]);
    expect(events(changes).length).toBe(4);
  });

  test("an account's outage that concerns 200 sites", () => {
    const changes = Array.from({ length: 200 }, (_, index) => ({
      of: "integration" as const,
      capability: "search-console.daily",
      label: "Search console",
      asset: index === 0 ? "" : `site-${index}`,
      target: "",
      turn: "begun" as const,
      category: "access" as const,
      at: TODAY * DAY_MS + index,
    }));
    const [line, ...others] = linesOf(changes);
    expect(others).toEqual([]);
    expect(line).toMatchObject({ from: TODAY * DAY_MS, to: TODAY * DAY_MS + 199 });
    expect(line?.sites.length).toBe(199);
  });

  test("all that fails of one cause for one site, and all that fails for an account alone", () => {
    const failing = (capability: string, asset: string): Change => ({
      of: "integration",
      capability,
      label: capability,
      asset,
      target: capability,
      turn: "begun",
      category: "access",
      at: TODAY * DAY_MS,
    });
    const changes = [
      failing("analytics.daily", "shop"),
      failing("search-console.daily", "shop"),
      failing("webmaster-tools.daily", "shop"),
      failing("webmaster-tools.daily", "blog"),
      failing("analytics.site-discovery", ""),
      failing("search-console.site-discovery", ""),
    ];
    expect(events(changes).map(String).sort()).toEqual([",", "blog,shop", "shop,shop"]);
    // The account that is asked for this one site alone.
    const accounts = [failing("analytics.daily", ""), failing("search-console.daily", "")];
    expect(
      events([...changes, ...accounts])
        .map(String)
        .sort(),
    ).toEqual([",", ",,shop,shop", "blog,shop"]);
  });

  test("what fails of one cause for nearly the same sites, whichever of it began first; a site that joins makes no other line", () => {
    const failing = (capability: string, sites: number): readonly Change[] =>
      Array.from({ length: sites }, (_, site) => ({
        of: "integration" as const,
        capability,
        label: capability,
        asset: `site-${site}`,
        target: "",
        turn: "begun" as const,
        category: "network" as const,
        at: TODAY * DAY_MS + site,
      }));
    const [line, ...others] = linesOf([
      ...failing("analytics.daily", 30),
      ...failing("search-console.daily", 28),
    ]);
    expect(others).toEqual([]);
    expect(line?.sites.length).toBe(30);
    const [more] = linesOf([...failing("analytics.daily", 31), ...failing("search-console.daily", 31)]);
    expect(more?.key).toBe(line?.key ?? "");
  });

  test("sites that fell silent on one day", () => {
    const silent = (asset: string, at: number): Change => ({
      of: "silence",
      id: asset,
      asset,
      turn: "begun",
      reports: false,
      at,
    });
    const at = TODAY * DAY_MS;
    expect(events([silent("a", at), silent("b", at + 5), silent("c", at - 1)])).toEqual([["a", "b"], ["c"]]);
  });
});

const at = fc.integer({ min: (TODAY - 14) * DAY_MS, max: TODAY * DAY_MS });
const asset = fc.constantFrom("a", "b", "c");
const turn = fc.constantFrom("begun" as const, "passed" as const, "over" as const);
const change: fc.Arbitrary<Change> = fc.oneof(
  fc.record({
    of: fc.constant("flag" as const),
    id: fc.uuid(),
    asset,
    severity: fc.constantFrom("error" as const, "warn" as const, "info" as const),
    turn,
    isWithinChance: fc.boolean(),
    about: fc.constantFrom("down" as const, "up" as const, "codebase" as const, "sent" as const),
    days: fc.option(
      fc
        .tuple(fc.integer({ min: TODAY - 14, max: TODAY }), fc.nat(6))
        .map(([from, more]) => ({ from, to: from + more })),
    ),
    at,
  }),
  fc.record({
    of: fc.constant("silence" as const),
    id: fc.uuid(),
    asset,
    turn,
    reports: fc.boolean(),
    at,
  }),
  fc.record({
    of: fc.constant("integration" as const),
    capability: fc.constantFrom("analytics.daily", "search-console.daily"),
    label: fc.constant("Daily"),
    asset: fc.constantFrom("", "a", "b"),
    target: fc.uuid(),
    turn,
    category: fc.constantFrom(...FAILURE_CATEGORIES),
    at,
  }),
);
const changes = fc.uniqueArray(change, {
  maxLength: 40,
  selector: (one) => (one.of === "integration" ? one.target : "id" in one ? one.id : one.asset),
});

test("every change stands in exactly one line", () => {
  fc.assert(
    fc.property(changes, (all) => {
      const told = linesOf(all).flatMap((line) => line.changes);
      expect(told.length).toBe(all.length);
      expect(new Set(told)).toEqual(new Set(all));
    }),
  );
});

test("the most urgent line comes first, and the same changes in another order make the same lines", () => {
  fc.assert(
    fc.property(changes, fc.array(fc.nat()), (all, order) => {
      const lines = linesOf(all);
      const urgency = lines.map((line) => Math.min(...line.changes.map(urgencyOf)));
      expect(urgency).toEqual(urgency.toSorted((one, other) => one - other));
      const shuffled = all
        .map((one, place) => ({ one, by: order[place % Math.max(1, order.length)] ?? 0 }))
        .sort((a, b) => a.by - b.by)
        .map(({ one }) => one);
      expect(linesOf(shuffled)).toEqual(lines);
    }),
  );
});

test("a line is known by the same name, and none shares it", () => {
  fc.assert(
    fc.property(changes, (all) => {
      const keys = linesOf(all).map(({ key }) => key);
      expect(new Set(keys).size).toBe(keys.length);
    }),
  );
});
