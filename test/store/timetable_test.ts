/** T1 of schedules: years of ticks in one go, with every jump that a clock makes. */

import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { JOBS } from "../../src/app/schedule.ts";
import {
  firstPlace,
  isMissed,
  look,
  type PastRun,
  type Place,
  patternOf,
  restsUntil,
} from "../../src/store/timetable.ts";
import { instant } from "../support/clock.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const QUARTERLY = patternOf("*/15 * * * *");
const NIGHTLY = patternOf("30 2 * * *");

/** Looks at the clock at each of these moments, and tells at which of them the job was due. */
function dueAt(pattern: typeof NIGHTLY, moments: Iterable<number>): number[] {
  const due: number[] = [];
  let place: Place | undefined;
  for (const now of moments) {
    if (place === undefined) place = firstPlace(pattern, now);
    const looked = look(pattern, place, now);
    place = looked.place;
    if (looked.isDue) due.push(now);
  }
  return due;
}

function* every(stepMs: number, from: string, to: string): Generator<number> {
  const end = instant(to);
  for (let now = instant(from); now <= end; now += stepMs) yield now;
}

describe("five years of an orderly clock, with two leap days and forty changes of summer time", () => {
  test("the nightly job is due once on every date, at 02:30 UTC, also on those that have no 02:30 or two elsewhere", () => {
    const due = dueAt(NIGHTLY, every(10 * MINUTE, "2024-01-01T00:00:00Z", "2028-12-31T23:59:00Z"));
    const dates = due.map((at) => new Date(at).toISOString());
    expect(dates).toHaveLength(1827);
    expect(new Set(dates.map((date) => date.slice(11)))).toEqual(new Set(["02:30:00.000Z"]));
    expect(new Set(dates.map((date) => date.slice(0, 10))).size).toBe(1827);
    for (const leap of ["2024-02-29", "2028-02-29"]) expect(dates).toContain(`${leap}T02:30:00.000Z`);
  });

  test("the quarter-hourly job is due at every quarter of an hour, once", () => {
    for (const at of ["2024-02-28", "2025-03-29", "2026-10-24", "2028-02-28", "2028-12-30"]) {
      const from = instant(`${at}T00:00:00Z`);
      const due = dueAt(QUARTERLY, every(30_000, `${at}T00:00:00Z`, new Date(from + 3 * DAY).toISOString()));
      expect(due).toEqual(Array.from({ length: 3 * 96 }, (_, tick) => from + (tick + 1) * 15 * MINUTE));
    }
  });
});

describe("a clock that is set", () => {
  test("forward 400 days: what was jumped over is due once, at once, and then as ever", () => {
    const [from, landed] = [instant("2026-03-01T10:01:00Z"), instant("2026-03-01T10:01:00Z") + 400 * DAY];
    expect(dueAt(NIGHTLY, [from, from + 1_000, landed, landed + 1_000, landed + HOUR])).toEqual([landed]);
    expect(dueAt(QUARTERLY, [from, landed, landed + MINUTE, landed + 14 * MINUTE])).toEqual([
      landed,
      landed + 14 * MINUTE,
    ]);
  });

  test("back 2 days: nothing runs at that moment, and nothing waits until the time that was", () => {
    const at = instant("2026-03-05T10:01:00Z");
    const back = at - 2 * DAY;
    const moments = [at, back, ...Array.from({ length: 100 }, (_, step) => back + step * 10 * MINUTE)];
    expect(dueAt(NIGHTLY, moments)).toEqual([instant("2026-03-04T02:31:00Z")]);
    expect(dueAt(QUARTERLY, moments.slice(0, 8))).toEqual([
      instant("2026-03-03T10:21:00Z"),
      instant("2026-03-03T10:31:00Z"),
      instant("2026-03-03T10:51:00Z"),
    ]);
  });

  test("back over a tick that was just worked: it is not worked again", () => {
    const tick = instant("2026-03-05T02:30:00Z");
    const moments = [tick - 1_000, tick, tick - 5 * MINUTE, tick, tick + HOUR, tick + DAY];
    expect(dueAt(NIGHTLY, moments)).toEqual([tick, tick + DAY]);
    const backBy = (ms: number) => dueAt(NIGHTLY, [tick - 1_000, tick, tick - ms, tick, tick + DAY]);
    expect(backBy(12 * HOUR)).toEqual([tick, tick + DAY]);
    expect(backBy(12 * HOUR + 1)).toEqual([tick, tick, tick + DAY]);
    expect(dueAt(QUARTERLY, [tick - 1, tick, tick - 1, tick, tick + 1, tick + 15 * MINUTE])).toEqual([
      tick,
      tick + 15 * MINUTE,
    ]);
  });

  test("back by whatever it is, as often as it is: a job never rests for more than one and a half of its periods", () => {
    const steps = fc.array(
      fc.oneof(
        { weight: 20, arbitrary: fc.integer({ min: 1, max: 5 }).map((minutes) => minutes * MINUTE) },
        { weight: 1, arbitrary: fc.integer({ min: 1, max: 3_000 }).map((minutes) => -minutes * MINUTE) },
      ),
      { maxLength: 400 },
    );
    fc.assert(
      fc.property(steps, (moved) => {
        let now = instant("2026-03-01T00:00:00Z");
        let place = firstPlace(QUARTERLY, now);
        const move = (step: number) => {
          now += step;
          const looked = look(QUARTERLY, place, now);
          place = looked.place;
          return looked.isDue;
        };
        for (const step of moved) move(step);
        expect(place.next).toBeGreaterThan(now);
        // From here on the clock goes as it should.
        const minutes = Array.from({ length: 90 }, () => move(MINUTE));
        const first = minutes.indexOf(true);
        expect(first).toBeGreaterThanOrEqual(0);
        expect(first).toBeLessThanOrEqual(22);
        const apart = minutes
          .flatMap((isDue, minute) => (isDue ? [minute] : []))
          .map((minute) => (minute - first) % 15);
        expect(new Set(apart)).toEqual(new Set([0]));
      }),
      { numRuns: 60 },
    );
  });

  test("in whatever way, over every job of the service: each is due once for the ticks between two looks, and never before one", () => {
    const patterns = JOBS.map(({ at }) => patternOf(at));
    const steps = fc.array(fc.integer({ min: 1, max: 2 * DAY }), { minLength: 1, maxLength: 20 });
    fc.assert(
      fc.property(fc.constantFrom(...patterns), steps, (pattern, moved) => {
        let now = instant("2027-12-30T00:00:00Z");
        let place = firstPlace(pattern, now);
        for (const step of moved) {
          const hasTick = pattern.next(now) <= now + step;
          now += step;
          const looked = look(pattern, place, now);
          expect(looked.isDue).toBe(hasTick);
          place = looked.place;
        }
      }),
      { numRuns: 60 },
    );
  });
});

describe("a tick that was missed while the service was down (reliability T4)", () => {
  const now = instant("2026-03-05T10:20:00Z");
  const began = instant("2026-01-01T00:00:00Z");
  const whole = (at: string): PastRun => ({ startedAt: instant(at), fault: null });
  const missed = (runs: readonly PastRun[], from: number | undefined = began) =>
    isMissed(NIGHTLY, { began: from, runs, now });

  test.each([
    ["a minute", "2026-03-05T02:29:59Z"],
    ["ten days", "2026-02-23T02:30:00Z"],
  ])("is made up after %s, once it is over", (_, last) => {
    expect(missed([whole(last)])).toBe(true);
    // What is made up is a run like any other: the next start finds it.
    expect(missed([whole("2026-03-05T10:19:00Z"), whole(last)])).toBe(false);
  });

  test("is none where a run began at that very moment, nor where the service came after it", () => {
    expect(missed([whole("2026-03-05T02:30:00Z")])).toBe(false);
    expect(missed([], instant("2026-03-05T02:31:00Z"))).toBe(false);
    expect(missed([], instant("2026-03-05T02:29:00Z"))).toBe(true);
  });

  test("stays missed while its runs were cut off, stopped or thrown out of", () => {
    for (const fault of ["cut_off", "stopped", "error", undefined] as const) {
      expect(
        missed([{ startedAt: instant("2026-03-05T02:30:00Z"), fault }, whole("2026-03-04T02:30:00Z")]),
      ).toBe(true);
    }
  });

  test("is judged by no run and no beginning that lies ahead of the clock", () => {
    expect(missed([whole("2027-04-09T02:30:00Z"), whole("2026-03-05T02:30:00Z")])).toBe(true);
    expect(missed([], instant("2027-01-01T00:00:00Z"))).toBe(true);
    expect([
      missed([whole(new Date(now + 1).toISOString())]),
      missed([whole(new Date(now).toISOString())]),
    ]).toEqual([true, false]);
    expect(missed([whole("2026-03-05T10:00:00Z"), whole("2027-04-09T02:30:00Z")])).toBe(false);
  });
});

describe("a job whose runs break is left alone by the schedule", () => {
  const now = instant("2026-03-05T10:00:00Z");
  const broken = (runs: number, ago: number, fault: PastRun["fault"] = "cut_off"): PastRun[] =>
    Array.from({ length: runs }, (_, back) => ({ startedAt: now - ago - back * HOUR, fault }));
  const rest = (runs: readonly PastRun[]) => {
    const until = restsUntil(runs, now);
    return until === undefined ? 0 : (until - now) / MINUTE;
  };

  test("for a minute after the first, four times as long after each further one, never for more than an hour", () => {
    expect([1, 2, 3, 4, 9].map((runs) => rest(broken(runs, 0)))).toEqual([1, 4, 16, 60, 60]);
    expect(rest(broken(1, 0, "error"))).toBe(1);
    expect(rest(broken(1, MINUTE))).toBe(0);
  });

  test("a run that did all of its work, or was stopped, ends it", () => {
    for (const fault of [null, "stopped", undefined] as const) {
      expect(rest([{ startedAt: now, fault }, ...broken(3, 0)])).toBe(0);
    }
    expect(rest([])).toBe(0);
  });

  test("a run that lies ahead of the clock holds nothing", () => {
    expect(rest(broken(3, -HOUR))).toBe(0);
  });
});
