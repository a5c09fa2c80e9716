import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import {
  afterFailure,
  afterSuccess,
  type ThrottleCount,
  type ThrottleKind,
  waitSeconds,
} from "../../src/operators/throttle.ts";

const MINUTE = 60_000;

function failures(kind: ThrottleKind, count: number, now: number): ThrottleCount | undefined {
  let state: ThrottleCount | undefined;
  for (let i = 0; i < count; i++) state = afterFailure(kind, state, now);
  return state;
}

describe("sign-in throttle (reliability 4.1)", () => {
  test("an account has 5 failures, then waits 1, 2, 4 … 900 seconds", () => {
    let now = 0;
    let state: ThrottleCount | undefined;
    const waits: number[] = [];
    for (let i = 0; i < 17; i++) {
      state = afterFailure("account", state, now);
      waits.push(waitSeconds(state, now));
      now = state.blockedUntil;
    }
    expect(waits).toEqual([0, 0, 0, 0, 1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 900, 900, 900]);
  });

  test("an account's wait ends to the second", () => {
    const state = failures("account", 8, 1_000_000);
    expect(waitSeconds(state, 1_000_000)).toBe(8);
    expect(waitSeconds(state, 1_007_999)).toBe(1);
    expect(waitSeconds(state, 1_008_000)).toBe(0);
  });

  test("an account's failures are forgotten after a day without one", () => {
    const state = failures("account", 12, 0);
    expect(waitSeconds(afterFailure("account", state, 24 * 60 * MINUTE), 24 * 60 * MINUTE)).toBe(0);
  });

  for (const [kind, limit] of [
    ["address", 20],
    ["global", 60],
  ] as const) {
    test(`${kind}: ${limit} a minute, and the next minute is free again`, () => {
      expect(waitSeconds(failures(kind, limit - 1, 500), 500)).toBe(0);
      const full = failures(kind, limit, 500);
      expect(waitSeconds(full, 500)).toBe(60);
      expect(waitSeconds(full, 500 + MINUTE)).toBe(0);
      expect(afterFailure(kind, full, 500 + MINUTE)).toMatchObject({ failures: 1 });
    });

    test(`${kind}: a success takes its own failure back and no other`, () => {
      const full = failures(kind, limit, 0);
      expect(full === undefined ? undefined : afterSuccess(kind, full)).toMatchObject({
        failures: limit - 1,
      });
      const over = failures(kind, limit + 1, 0);
      expect(waitSeconds(over === undefined ? undefined : afterSuccess(kind, over), 0)).toBe(60);
    });
  }

  test("a success forgets an account's failures", () => {
    const state = failures("account", 9, 0);
    expect(state === undefined ? "none" : afterSuccess("account", state)).toBeUndefined();
  });

  test("a clock that was set back locks nobody out", () => {
    expect(waitSeconds(failures("account", 15, 10_000_000), 0)).toBe(0);
  });

  test("never a permanent lock: no run of failures makes anyone wait above 900 seconds", () => {
    fc.assert(
      fc.property(
        fc.constantFrom<ThrottleKind>("account", "address", "global"),
        fc.array(fc.nat(1_000_000), { maxLength: 80 }),
        (kind, steps) => {
          let now = 0;
          let state: ThrottleCount | undefined;
          for (const step of steps) {
            now += step;
            state = afterFailure(kind, state, now);
            expect(waitSeconds(state, now)).toBeLessThanOrEqual(900);
          }
        },
      ),
    );
  });
});
