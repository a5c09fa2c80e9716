import { describe, expect, test } from "bun:test";
import { addDays, startOfDay, type UtcDay } from "../../src/base/time.ts";
import {
  isNearMidnight,
  missedNights,
  missingFamilies,
  nightlySummary,
  nightStrip,
  recentDays,
} from "../../src/reports/nights.ts";
import { instant } from "../support/clock.ts";
import { fullPulse, pulse } from "../support/make/pulse.ts";

const TODAY = "2026-11-20" as UtcDay;
const NOW = startOfDay(TODAY) + 14 * 3_600_000;
const before = (back: number): UtcDay => addDays(TODAY, -back);
const nights = (backs: readonly number[]) => new Set(backs.map(before));

describe("nights", () => {
  const strip = (backs: readonly number[], first: number | undefined, live = true) =>
    nightStrip(
      { received: nights(backs), first: first === undefined ? undefined : before(first), live },
      recentDays(NOW, 4),
    ).map(({ state }) => state);

  test("a night counts once it is over or received: this morning's report is not missed before midnight", () => {
    expect(strip([1, 2, 3, 4], 99)).toEqual(["received", "received", "received", "received"]);
    expect(strip([0, 2, 3], 99)).toEqual(["received", "received", "missed", "received"]);
  });

  test("none is missed before the first report, nor on a site that is not live", () => {
    expect(strip([1, 3], 3)).toEqual(["outside", "received", "missed", "received"]);
    expect(strip([], undefined)).toEqual(["outside", "outside", "outside", "outside"]);
    expect(strip([1], 9, false)).toEqual(["outside", "outside", "outside", "received"]);
  });

  test("missed 4 of the last 7 nights", () => {
    const all = nightStrip(
      { received: nights([1, 4, 7, 9]), first: before(99), live: true },
      recentDays(NOW, 14),
    );
    expect(missedNights(all, 7)).toEqual({ missed: 4, of: 7 });
  });

  test("a young site is held against its own nights only", () => {
    const all = nightStrip({ received: nights([1, 3]), first: before(3), live: true }, recentDays(NOW, 14));
    expect(missedNights(all, 7)).toEqual({ missed: 1, of: 3 });
  });
});

test("close to midnight is within 30 minutes of 00:00 UTC on either side", () => {
  const near = (clock: string) => isNearMidnight(instant(`2026-11-20T${clock}Z`));
  expect(["23:30:00", "23:59:59", "00:00:00", "00:30:00"].map(near)).toEqual([true, true, true, true]);
  expect(["23:29:59", "00:30:01", "12:00:00"].map(near)).toEqual([false, false, false]);
});

describe("declared families", () => {
  const missing = (settings: string[], capabilities: string[] | undefined, names: string[]) => {
    const metrics = Object.fromEntries(names.map((name) => [name, {}]));
    return missingFamilies(settings, capabilities === undefined ? { metrics } : { capabilities, metrics });
  };

  test("by the settings or the report itself are missing where it has no metric of them", () => {
    expect(missing(["signups", "uploads"], ["errors"], ["signups"])).toEqual(["errors", "uploads"]);
    expect(missing([], undefined, ["signups"])).toEqual([]);
  });

  test("a metric belongs to the family of its name, or of the part before its first dot (decisions, Metric families)", () => {
    expect(missing(["errors", "a.b", "a"], undefined, ["errors.5xx.api", "a.b"])).toEqual(["a"]);
    expect(missing(["a.b", "a"], undefined, ["a.c"])).toEqual(["a.b"]);
  });

  test("no report at all is not the same as a report without the family", () => {
    const none = {
      received: new Set<UtcDay>(),
      first: undefined,
      live: true,
      families: ["signups"],
      now: NOW,
    };
    expect(nightlySummary({ ...none, latest: undefined })).toMatchObject({
      missing: [],
      awaited: ["signups"],
    });
    const latest = { date: TODAY, revision: 1, receivedAt: NOW, generatedAt: NOW, report: pulse() };
    expect(nightlySummary({ ...none, latest })).toMatchObject({
      missing: ["signups"],
      awaited: [],
    });
  });
});

describe("the latest report", () => {
  const latest = {
    date: TODAY,
    revision: 2,
    receivedAt: NOW,
    generatedAt: NOW - 60_000,
    report: fullPulse(),
  };
  const sum = (report = fullPulse()) =>
    nightlySummary({
      received: nights([0]),
      first: TODAY,
      live: true,
      families: [],
      now: NOW,
      latest: { ...latest, report },
    });

  test("negative events come highest first; a report that names none leaves them unmeasured, an empty list does not", () => {
    expect(sum().negative?.map(({ count }) => count)).toEqual([31, 12]);
    expect(sum(pulse()).negative).toBeUndefined();
    expect(sum(pulse({ negativeByPage: [] })).negative).toEqual([]);
  });
});
