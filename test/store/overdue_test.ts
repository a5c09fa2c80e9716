/** A job that does not do what its timetable says is found, and no clock, sleep or long run makes one of a job that does. */

import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { JOBS } from "../../src/app/schedule.ts";
import {
  firstWatched,
  LONGEST_STEP_MS,
  type Patience,
  type Seen,
  troubleOf,
  watched,
} from "../../src/store/job_watch.ts";
import { firstPlace, look, type Pattern, patternOf } from "../../src/store/timetable.ts";
import { instant } from "../support/clock.ts";

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const PATIENCE: Patience = { lateMs: 30 * MINUTE, longestMs: HOUR };
const START = instant("2026-03-01T10:01:00Z");

/** The ticks of a job, reckoned from two of them: in UTC every one of the service's is as far from the next. */
function ticksOf(at: string): Pattern {
  const cron = patternOf(at);
  const first = cron.next(START);
  const period = cron.next(first) - first;
  const newest = (upTo: number) => first + Math.floor((upTo - first) / period) * period;
  return { newest, next: (after) => newest(after) + period };
}

/** A schedule that is looked at every ten seconds and watched once a minute, as the service does it, under a clock that a test sets. */
function service(at: string, patience = PATIENCE) {
  const pattern = ticksOf(at);
  let [now, place, state] = [
    START,
    firstPlace(pattern, START),
    firstWatched(pattern, { now: START, missed: false }),
  ];
  let [begun, begunAt, ends, looks]: [number, number | undefined, number | undefined, number] = [
    0,
    undefined,
    undefined,
    0,
  ];
  /** What it does where it is told to: nothing begins, or nothing ends. */
  const set = { begins: true, takesMs: 0, excused: false };
  let uptime = 0;
  const turn = (afterMs: number) => {
    now += afterMs;
    uptime += 10 * SECOND;
    if (ends !== undefined && uptime >= ends) ends = undefined;
    const looked = look(pattern, place, now);
    place = looked.place;
    if (looked.isDue && set.begins && ends === undefined) {
      begun++;
      begunAt = now;
      if (set.takesMs > 0) ends = uptime + set.takesMs;
    }
    if (looks++ % 6 !== 0) return undefined;
    const seen: Seen = {
      now,
      begun,
      begunAt,
      run: ends === undefined ? undefined : `run ${begun}`,
      isExcused: set.excused,
    };
    state = watched(pattern, state, seen);
    return troubleOf(state, patience);
  };
  return {
    set,
    /** The clock goes on for so long; what was found, in the order it was found. */
    go: (ms: number) => {
      const found: string[] = [];
      for (let gone = 0; gone < ms; gone += 10 * SECOND) {
        const trouble = turn(10 * SECOND);
        if (trouble !== undefined && found.at(-1) !== trouble) found.push(trouble);
      }
      return found;
    },
    /** The clock is set, or the machine slept. */
    jump: (ms: number) => turn(ms),
  };
}

describe("a job that does its work is never in trouble", () => {
  const jump = fc.oneof(
    fc.integer({ min: -3 * DAY, max: 3 * DAY }),
    fc.integer({ min: -20 * MINUTE, max: 20 * MINUTE }),
    fc.constantFrom(-400 * DAY, 400 * DAY, -15 * MINUTE, -DAY, DAY),
  );
  const moves = fc.array(
    fc.record({
      jump,
      goMs: fc.integer({ min: 0, max: 3 * HOUR }),
      takesMs: fc.constantFrom(0, 0, 25_000, 40 * MINUTE),
    }),
    { maxLength: 6 },
  );

  test.each(JOBS.filter(({ at }) => !at.startsWith("*/10 *")).map((job) => [job.name, job] as const))(
    "however its clock is set, however long a run takes within its patience: %s",
    (_, { at, patience }) => {
      fc.assert(
        fc.property(moves, (list) => {
          const one = service(at, patience);
          for (const { jump: ms, goMs, takesMs } of list) {
            one.set.takesMs = Math.min(takesMs, patience.longestMs / 2);
            expect([one.jump(ms), ...one.go(goMs)].filter((found) => found !== undefined)).toEqual([]);
          }
        }),
        { numRuns: 30 },
      );
    },
  );

  test("nor is one whose clock is set back a day, and by a moment later", () => {
    const one = service("40 4 * * *", { lateMs: 15 * MINUTE, longestMs: 30 * MINUTE });
    one.set.takesMs = 15 * MINUTE;
    const found: (string | undefined)[] = [one.jump(400 * DAY)];
    one.set.takesMs = 0;
    found.push(one.jump(108_820_001), ...one.go(1), one.jump(-DAY), ...one.go(1_500_001));
    found.push(one.jump(-1), one.jump(39_060_000), ...one.go(4_970_001));
    expect(found.filter((trouble) => trouble !== undefined)).toEqual([]);
  });

  test("nor is one that sleeps with its machine, every few minutes for days", () => {
    const one = service("*/15 * * * *");
    for (let nap = 0; nap < 200; nap++) {
      expect(one.jump(17 * MINUTE)).toBeUndefined();
      expect(one.go(2 * MINUTE)).toEqual([]);
    }
  });
});

describe("a job that does not begin", () => {
  test("is late once what it was due for has been owed for its patience, and no more when it begins", () => {
    const one = service("*/15 * * * *");
    expect(one.go(HOUR)).toEqual([]);
    one.set.begins = false;
    // It was due within a quarter of an hour, and is waited for half an hour.
    expect(one.go(28 * MINUTE)).toEqual([]);
    expect(one.go(20 * MINUTE)).toEqual(["late"]);
    one.set.begins = true;
    one.go(17 * MINUTE);
    expect(one.go(HOUR)).toEqual([]);
  });

  test("is found after any jump of the clock, too, within two of its periods and its patience", () => {
    fc.assert(
      fc.property(fc.integer({ min: -3 * DAY, max: 3 * DAY }), (ms) => {
        const one = service("*/15 * * * *");
        one.go(HOUR);
        one.set.begins = false;
        one.jump(ms);
        expect(one.go(75 * MINUTE)).toEqual(["late"]);
      }),
      { numRuns: 60 },
    );
  });

  test("that was missed before the start and is not made up is late; without patience for what was before, it is not owed", () => {
    const nightly = ticksOf("30 2 * * *");
    const lateAfter = (missed: boolean) => {
      let state = firstWatched(nightly, { now: START, missed });
      for (let minute = 1; minute <= 60; minute++) {
        const now = START + minute * MINUTE;
        state = watched(nightly, state, {
          now,
          begun: 0,
          begunAt: undefined,
          run: undefined,
          isExcused: false,
        });
      }
      return troubleOf(state, PATIENCE);
    };
    expect([lateAfter(true), lateAfter(false)]).toEqual(["late", undefined]);
  });

  test("with nobody to ask, or at rest, is not waited for", () => {
    const one = service("*/15 * * * *");
    Object.assign(one.set, { begins: false, excused: true });
    expect(one.go(6 * HOUR)).toEqual([]);
    one.set.excused = false;
    expect(one.go(2 * HOUR)).toEqual(["late"]);
  });
});

describe("a run that does not end", () => {
  test("hangs after its patience, not because the clock was set", () => {
    const one = service("*/15 * * * *");
    one.set.takesMs = 400 * DAY;
    expect(one.go(15 * MINUTE)).toEqual([]);
    expect(one.jump(30 * DAY)).toBeUndefined();
    expect(one.go(30 * MINUTE)).toEqual([]);
    expect(one.go(40 * MINUTE)).toEqual(["hangs"]);
  });

  test("hangs, and one that is owed is late, from the very end of its patience on", () => {
    const at = firstWatched(patternOf("*/15 * * * *"), { now: START, missed: false });
    expect(troubleOf({ ...at, runsMs: HOUR }, PATIENCE)).toBe("hangs");
    expect(troubleOf({ ...at, lateMs: 30 * MINUTE, runsMs: HOUR - 1 }, PATIENCE)).toBe("late");
    expect(troubleOf({ ...at, lateMs: 30 * MINUTE - 1 }, PATIENCE)).toBeUndefined();
  });

  test("and that gets on does not hang, however long it takes", () => {
    const pattern = ticksOf("*/15 * * * *");
    let state = firstWatched(pattern, { now: START, missed: false });
    for (let minute = 1; minute <= 600; minute++) {
      const run = `one ${Math.floor(minute / 50)}`;
      const now = START + minute * MINUTE;
      state = watched(pattern, state, { now, begun: 1, begunAt: START, run, isExcused: false });
      expect(troubleOf(state, PATIENCE)).toBeUndefined();
    }
  });
});

test("every job of the service is waited for longer than one and a half of its periods, or longer than a look may count", () => {
  for (const { at, patience } of JOBS) {
    const pattern = patternOf(at);
    const period = pattern.next(pattern.next(START)) - pattern.next(START);
    expect(patience.lateMs).toBeGreaterThan(LONGEST_STEP_MS);
    if (period < HOUR) expect(patience.lateMs).toBeGreaterThan(1.5 * period);
    expect(patience.longestMs).toBeGreaterThan(2 * LONGEST_STEP_MS);
  }
});
