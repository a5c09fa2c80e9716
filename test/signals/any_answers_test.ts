/**
 * What answers make of the days of a site's figures: of every provider, with gaps, late values, another calendar, withheld days and clocks
 * that go back, in any order, recorded (`test/support/mixtures.ts`).
 */

import { test } from "bun:test";
import { PROVIDERS } from "../../src/providers/adapter.ts";
import { decide } from "../../src/signals/decide.ts";
import { recordEach, seeded } from "../support/mixtures.ts";
import { answerOf, dayOf, heldAfter, NOTHING_HELD, storedText } from "../support/signals.ts";

const HOUR = 3_600_000;
const FIRST = dayOf("2026-11-10");
const ZONES = ["America/Los_Angeles", "America/Los_Angeles", "Asia/Tokyo", "Pacific/Auckland"] as const;

test("of 400 series of answers", () => {
  recordEach(
    Array.from({ length: 400 }, (_, seed) => seed + 1),
    (seed) => {
      const next = seeded(seed);
      const below = (most: number) => Math.floor(next() * most);
      const one = <T>(...of: readonly T[]) => of[below(of.length)] as T;
      const provider = one(...PROVIDERS);
      let [held, at] = [NOTHING_HELD, (FIRST + 8) * 24 * HOUR];
      return Array.from({ length: 1 + below(5) }, () => {
        at += one(0, 1, 7, 20, 24, 49, 120, -30) * HOUR;
        const today = Math.floor(at / (24 * HOUR));
        const [from, to] = [today - below(9) - 2, today + one(0, 0, 0, -1, 1)];
        const days = Array.from({ length: to - from + 1 }, (_, place) => from + place).filter(
          () => next() < 0.75,
        );
        const told = days.map((day) => {
          const count = next() < 0.8 ? day - FIRST : below(9);
          const values =
            provider === "webmaster-tools" ? [count, 2] : [count, 2, next() < 0.1 ? null : 0.5, 7];
          return [new Date(day * 24 * HOUR).toISOString().slice(0, 10), values] as const;
        });
        const report = answerOf(provider, Object.fromEntries(told), {
          ...{ from, to, notes: next() < 0.1 ? ["thresholded"] : [] },
          ...(provider === "analytics" && { timeZone: one(...ZONES) }),
          ...(provider === "search-console" && next() < 0.7 && { firstIncomplete: to - below(4) }),
        });
        const decision = decide(report, held, at);
        held = heldAfter(held, report, decision, at);
        if (next() < 0.05) held = { ...held, isSameProperty: false, firstData: undefined, zone: undefined };
        return [decision, storedText(held), storedText(held, 3)];
      });
    },
  );
});
