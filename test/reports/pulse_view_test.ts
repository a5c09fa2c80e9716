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
import { recordEach } from "../support/mixtures.ts";

const TODAY = "2026-11-20" as UtcDay;
const NOW = startOfDay(TODAY) + 14 * 3_600_000;
const before = (back: number): UtcDay => addDays(TODAY, -back);
const nights = (backs: readonly number[]) => new Set(backs.map(before));

test("a night is missed once it is over, after the first report, on a live site; recorded", () => {
  const sites: readonly (readonly [received: readonly number[], first?: number, live?: boolean])[] = [
    [[1, 2, 3, 4], 99],
    [[0, 2, 3], 99],
    [[1, 3], 3],
    [[]],
    [[1], 9, false],
    [[1, 4, 7, 9], 99],
  ];
  recordEach(sites, ([received, first, live = true]) => {
    const known = {
      received: nights(received),
      first: first === undefined ? undefined : before(first),
      live,
    };
    const strip = nightStrip(known, recentDays(NOW, 14));
    return [
      strip
        .slice(-4)
        .map(({ state }) => state)
        .join(" "),
      missedNights(strip, 7),
    ];
  });
});

test("close to midnight is within 30 minutes of 00:00 UTC on either side; recorded", () => {
  const clocks = ["23:29:59", "23:30:00", "23:59:59", "00:00:00", "00:30:00", "00:30:01", "12:00:00"];
  recordEach(clocks, (clock) => isNearMidnight(instant(`2026-11-20T${clock}Z`)));
});

test("declared families are missing where a report has no metric of their name or before its first dot; recorded", () => {
  const reports: readonly (readonly [
    settings: string[],
    capabilities: string[] | undefined,
    names: string[],
  ])[] = [
    [["signups", "uploads"], ["errors"], ["signups"]],
    [[], undefined, ["signups"]],
    [["errors", "a.b", "a"], undefined, ["errors.5xx.api", "a.b"]],
    [["a.b", "a"], undefined, ["a.c"]],
  ];
  recordEach(reports, ([settings, capabilities, names]) => {
    const metrics = Object.fromEntries(names.map((name) => [name, {}]));
    return missingFamilies(settings, capabilities === undefined ? { metrics } : { capabilities, metrics });
  });
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
    expect(sum(pulse({ negativeByPage: [] })).negative).toStrictEqual([]);
  });
});
