import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import {
  afterFailure,
  afterSuccess,
  sharedKinds,
  type ThrottleCount,
  type ThrottleKind,
  waitSeconds,
} from "../../src/access/throttle.ts";

const MINUTE = 60_000;

function failures(kind: ThrottleKind, count: number, now: number): ThrottleCount | undefined {
  let state: ThrottleCount | undefined;
  for (let i = 0; i < count; i++) state = afterFailure(kind, state, now);
  return state;
}

describe("sign-in throttle (reliability 4.1)", () => {
  for (const kind of ["device", "pair"] as const) {
    test(`${kind}: an account has 5 failures, then waits 1, 2, 4 … 900 seconds`, () => {
      let now = 0;
      let state: ThrottleCount | undefined;
      const waits: number[] = [];
      for (let i = 0; i < 17; i++) {
        state = afterFailure(kind, state, now);
        waits.push(waitSeconds(state, now));
        now = state.blocked_until;
      }
      expect(waits).toEqual([0, 0, 0, 0, 1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 900, 900, 900]);
    });

    test(`${kind}: a wait ends to the second`, () => {
      const state = failures(kind, 8, 1_000_000);
      expect(waitSeconds(state, 1_000_000)).toBe(8);
      expect(waitSeconds(state, 1_007_999)).toBe(1);
      expect(waitSeconds(state, 1_008_000)).toBe(0);
    });

    test(`${kind}: failures are forgotten after a day without one, and by a success`, () => {
      const state = failures(kind, 12, 0);
      expect(waitSeconds(afterFailure(kind, state, 24 * 60 * MINUTE), 24 * 60 * MINUTE)).toBe(0);
      expect(state === undefined ? "none" : afterSuccess(kind, state)).toBeUndefined();
    });
  }

  for (const [kind, limit, minutes] of [
    ["address", 20, 1],
    ["account", 100, 15],
    ["global", 300, 1],
  ] as const) {
    test(`${kind}: ${limit} in ${minutes} min, and then it is free again`, () => {
      expect(waitSeconds(failures(kind, limit - 1, 500), 500)).toBe(0);
      const full = failures(kind, limit, 500);
      expect(waitSeconds(full, 500)).toBe(60 * minutes);
      expect(waitSeconds(full, 500 + minutes * MINUTE)).toBe(0);
      expect(afterFailure(kind, full, 500 + minutes * MINUTE)).toMatchObject({ failures: 1 });
    });

    test(`${kind}: a success takes its own failure back and no other`, () => {
      const full = failures(kind, limit, 0);
      expect(full === undefined ? undefined : afterSuccess(kind, full)).toMatchObject({
        failures: limit - 1,
      });
      const over = failures(kind, limit + 1, 0);
      expect(waitSeconds(over === undefined ? undefined : afterSuccess(kind, over), 0)).toBe(60 * minutes);
    });
  }

  test("one address adds at most 5 to an account's shared count in a day, and 10 to everybody's in a minute", () => {
    const shared = (pair: number, address: number, now = 1_000) =>
      sharedKinds({ pair: failures("pair", pair, 1_000), address: failures("address", address, 1_000) }, now);
    expect(shared(0, 0)).toEqual(["account", "global"]);
    expect(shared(4, 9)).toEqual(["account", "global"]);
    expect(shared(5, 9)).toEqual(["global"]);
    expect(shared(4, 10)).toEqual(["account"]);
    expect(shared(5, 10, 1_000 + MINUTE)).toEqual(["global"]);
  });

  test("a window that begins ahead of now is forgotten", () => {
    expect(afterFailure("pair", failures("pair", 12, 10_000_000), 0)).toMatchObject({ failures: 1 });
    expect(afterFailure("address", failures("address", 20, 10_000_000), 0)).toMatchObject({ failures: 1 });
  });

  test("a clock that was set back locks nobody out", () => {
    expect(waitSeconds(failures("pair", 15, 10_000_000), 0)).toBe(0);
  });

  test("never a permanent lock: no run of failures makes anyone wait above 900 seconds", () => {
    fc.assert(
      fc.property(
        fc.constantFrom<ThrottleKind>("device", "pair", "address", "account", "global"),
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
