import { describe, expect, test } from "bun:test";
import {
  afterFailure,
  afterSuccess,
  sharedKinds,
  type ThrottleCount,
  type ThrottleKind,
  waitSeconds,
} from "../../src/access/throttle.ts";
import { recordEach } from "../support/mixtures.ts";

const MINUTE = 60_000;

function failures(kind: ThrottleKind, count: number, now: number): ThrottleCount | undefined {
  let state: ThrottleCount | undefined;
  for (let i = 0; i < count; i++) state = afterFailure(kind, state, now);
  return state;
}

describe("sign-in throttle (reliability 4.1)", () => {
  test("each count: how many failures are free, how long each wait is, and what a success takes back: recorded", () => {
    recordEach(["device", "pair", "address", "account", "global"] as const, (kind) => {
      let [state, now, free]: [ThrottleCount | undefined, number, number] = [undefined, 500, 0];
      const waits: string[] = [];
      for (let at = 0; at < 4_000 && waits.length < 13; at++) {
        state = afterFailure(kind, state, now);
        const [seconds, end] = [waitSeconds(state, now), state.blocked_until];
        free++;
        if (seconds === 0) {
          now += 100;
          continue;
        }
        // What is left of it a millisecond before its end, and at its end.
        const left = [end - 1, end].map((at) => waitSeconds(state, at));
        waits.push(`${free}: ${seconds} s, ${left.join(", ")}`);
        [now, free] = [end, 0];
      }
      const after = (ms: number) => afterFailure(kind, failures(kind, 12, 0), ms).failures;
      const left = [1, 2, 12].map((of) => afterSuccess(kind, failures(kind, of, 0) as ThrottleCount));
      return [
        ...new Set(waits),
        `a success leaves ${left.map((count) => count?.failures ?? "none").join(", ")} of 1, 2, 12`,
        `in a minute ${after(MINUTE)}, in a quarter ${after(15 * MINUTE)}, in a day ${after(24 * 60 * MINUTE)}`,
      ];
    });
  });

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
});
