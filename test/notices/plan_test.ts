import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { SEVERITIES } from "../../src/flags/flags.ts";
import {
  type CauseNews,
  digestDue,
  type OpenChannel,
  planned,
  quietUntil,
  type Raised,
  severityRank,
} from "../../src/notices/plan.ts";
import { instant } from "../support/clock.ts";
import { RULES } from "./world.ts";

const SITES = ["a", "b", "c"];
const flag = fc.record({
  chain: fc.uuid(),
  since: fc.integer({ min: 0, max: 200 }),
  site: fc.constantFrom(...SITES),
  severity: fc.constantFrom(...SEVERITIES),
  isWorse: fc.boolean(),
  isTold: fc.boolean(),
}) satisfies fc.Arbitrary<Raised>;
const cause = fc.record({
  cause: fc.uuid(),
  isOver: fc.boolean(),
  assets: fc.subarray(SITES),
}) satisfies fc.Arbitrary<CauseNews>;
const channel = fc.record({
  id: fc.constantFrom("one", "two"),
  kind: fc.constant("mail" as const),
  since: fc.integer({ min: 0, max: 200 }),
  rules: fc.record({
    severity: fc.constantFrom(...SEVERITIES),
    sites: fc.option(fc.subarray(SITES)),
    group: fc.option(fc.constant("odd")),
    quiet: fc.constant(null),
    zone: fc.constant("UTC"),
    digest: fc.constant(null),
    resolved: fc.boolean(),
    heartbeat: fc.boolean(),
  }),
  hours: fc.record({
    quiet: fc.option(fc.constant({ from: "22:00", to: "07:00" })),
    zone: fc.constant("UTC"),
  }),
}) satisfies fc.Arbitrary<OpenChannel>;

test("whatever is raised: one message for a site, worst first, of what the rules let through; errors are never held", () => {
  fc.assert(
    fc.property(
      fc.array(flag),
      fc.array(cause),
      channel,
      fc.nat(86_400_000),
      fc.boolean(),
      fc.boolean(),
      (raised, causes, to, now, isTold, isDelivered) => {
        const last = () => (isTold ? ({ severity: "warn", isDelivered } as const) : undefined);
        const told = {
          last,
          ended: () => ["ended"],
          groupOf: (site: string) => (site === "a" ? "odd" : null),
        };
        const messages = planned({ raised, resolved: SITES, causes }, [to], told, now);
        const { rules, since, hours } = to;
        if (rules.heartbeat) return expect(messages).toStrictEqual([]);
        const isFor = (site: string) =>
          (rules.sites === null && rules.group === null) ||
          rules.sites?.includes(site) === true ||
          (rules.group === "odd" && site === "a");
        const ofFlags = messages.filter(({ type }) => type === "flags.raised");
        expect(new Set(ofFlags.map(({ asset }) => asset)).size).toBe(ofFlags.length);
        for (const { asset, items, heldUntil } of messages) {
          const ranks = items.map(({ severity }) => severityRank(severity));
          expect(ranks).toEqual(ranks.toSorted((a, b) => b - a));
          const isUrgent = items.some(({ severity }) => severity === "error");
          expect(heldUntil === undefined).toBe(isUrgent || quietUntil(hours, now) === undefined);
          if (asset !== null) expect(isFor(asset)).toBe(true);
        }
        const wanted = raised.filter(
          (one) =>
            isFor(one.site) &&
            one.isTold &&
            severityRank(one.severity) >= severityRank(rules.severity) &&
            (one.since >= since || one.isWorse) &&
            (!isTold || one.severity === "error"),
        );
        expect(ofFlags.flatMap(({ items }) => items.map(({ thing }) => thing)).sort()).toEqual(
          wanted.map(({ chain }) => chain).sort(),
        );
        expect(
          messages.some(({ type }) => type === "flags.resolved" || type === "integrations.recovered") &&
            !rules.resolved,
        ).toBe(false);
        // Whoever never heard of a failure hears of no recovery.
        if (!isTold || !isDelivered)
          expect(messages.some(({ type }) => type === "integrations.recovered")).toBe(false);
        if (rules.severity === "error")
          expect(messages.some(({ type }) => type.startsWith("integrations"))).toBe(false);
      },
    ),
  );
});

describe("quiet hours and the digest go by the clock of their zone", () => {
  const night = { quiet: { from: "22:00", to: "07:00" }, zone: "Europe/Berlin", digest: "08:00" };

  test.each([
    ["an ordinary night", "2026-11-20T21:30:00Z", "2026-11-21T06:00:00Z"],
    ["the night that is an hour shorter", "2026-03-28T22:30:00Z", "2026-03-29T05:00:00Z"],
    ["the night that is an hour longer", "2026-10-24T21:30:00Z", "2026-10-25T06:00:00Z"],
  ])("%s", (_, at, until) => {
    expect(quietUntil(night, instant(at))).toBe(instant(until));
    expect(quietUntil(night, instant(until))).toBeUndefined();
    expect(quietUntil(night, instant(until) - 1)).toBe(instant(until));
  });

  test.each([
    ["Europe/Berlin", "22:00", "02:30", "2026-03-29T00:45:00Z", "2026-03-29T01:00:00Z"],
    ["Africa/Cairo", "22:00", "00:30", "2026-04-23T20:30:00Z", "2026-04-23T22:00:00Z"],
    ["Antarctica/Troll", "22:00", "02:30", "2026-03-28T23:00:00Z", "2026-03-29T01:00:00Z"],
  ])(
    "in %s hours from %s to %s, which the clock skips that night, end as it does so",
    (zone, from, to, at, until) => {
      const hours = { quiet: { from, to }, zone };
      expect(quietUntil(hours, instant(at))).toBe(instant(until));
      expect(quietUntil(hours, instant(until))).toBeUndefined();
      expect(quietUntil(hours, instant(until) - 1)).toBe(instant(until));
    },
  );

  test("a digest is due from its hour on, each day once; one in a night's missing hour comes after it", () => {
    expect(digestDue(night, instant("2026-11-20T06:59:59Z"))).toBeUndefined();
    const due = { day: "2026-11-20", dueAt: instant("2026-11-20T07:00:00Z") };
    expect(digestDue(night, instant("2026-11-20T07:00:00Z"))).toEqual(due);
    expect(digestDue(night, instant("2026-11-20T20:00:31Z"))).toEqual(due);
    expect(digestDue({ ...night, digest: "02:30" }, instant("2026-03-29T01:00:00Z"))?.day).toBe("2026-03-29");
    expect(digestDue({ ...night, digest: null }, 0)).toBeUndefined();
  });

  test("hours of one day end on it, and none are none", () => {
    const noon = { quiet: { from: "12:00", to: "13:00" }, zone: "UTC" };
    expect(quietUntil(noon, instant("2026-11-20T12:30:00Z"))).toBe(instant("2026-11-20T13:00:00Z"));
    expect(quietUntil(noon, instant("2026-11-20T11:59:00Z"))).toBeUndefined();
    expect(quietUntil(RULES, 0)).toBeUndefined();
  });
});
