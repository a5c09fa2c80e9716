/** When the source of an account is late: what its properties lack together. */

import { describe, expect, test } from "bun:test";
import { isAwaited, latenessOf } from "../../src/signals/late_source.ts";
import { recordEach } from "../support/mixtures.ts";

/** A property collected on a day, with its newest day of figures and those days of the week before that it lacks. */
const property = (asset: string, collectedOn: number, newest: number, lacks: readonly number[] = []) => ({
  asset,
  collectedOn,
  days: Array.from({ length: 30 }, (_, place) => newest - 29 + place).filter((day) => !lacks.includes(day)),
});

describe("an account", () => {
  const behind = property("a", 105, 100);
  const ACCOUNTS: Readonly<Record<string, ReturnType<typeof property>[]>> = {
    "two properties lack the same settled days": [behind, property("b", 105, 100)],
    "another one has them": [behind, property("b", 105, 100), property("c", 105, 104)],
    "there is only one property": [behind],
    "no day is settled yet": [property("a", 102, 100), property("b", 102, 100)],
    "one lacks more than the others": [property("a", 105, 99), property("b", 105, 100)],
    "the other one was not asked since": [behind, property("b", 101, 100)],
    "the other one has no visitors on many days": [behind, property("b", 105, 98, [95])],
    "the other one ended long ago": [behind, property("b", 105, 40)],
    // Its day 101 is over, though not settled: it would have told of it.
    "the other one is west of it": [property("a", 103, 100), property("b", 102, 100)],
    "nothing was ever told": [],
  };
  test("is late or not, and with which days, recorded", () => {
    recordEach(Object.keys(ACCOUNTS), (what) => latenessOf(ACCOUNTS[what] ?? []));
  });

  test("has its days tested five days after they settled, and those before at once", () => {
    const late = { from: 101, to: 103, assets: [] };
    expect([100, 101, 102].map((day) => isAwaited(day, late, 107))).toEqual([false, true, true]);
    expect([101, 102].map((day) => isAwaited(day, late, 108))).toEqual([false, true]);
    expect(isAwaited(101, undefined, 103)).toBe(false);
  });
});
