import { describe, expect, test } from "bun:test";
import { addDays, type UtcDay } from "../../../src/base/time.ts";
import {
  changeOf,
  changeText,
  compared,
  comparisonWords,
  type FigureDay,
  figureDays,
} from "../../../src/tower/site/day_words.ts";

const LAST = "2026-11-20" as UtcDay;
const NOW = Date.UTC(2026, 10, 20, 12);
const back = (days: number): UtcDay => addDays(LAST, -days);

/** Days up to the last one: a letter each, f(inal) of 10, p(rovisional), m(issing), x excluded, - none. */
const days = (letters: string): FigureDay[] =>
  [...letters].map((letter, place) => {
    const state = ({ f: "final", p: "provisional", m: "missing", x: "excluded" } as const)[letter] ?? "none";
    const value = state === "missing" || state === "none" ? null : 10;
    return { day: back(letters.length - 1 - place), state: state as FigureDay["state"], basis: null, value };
  });
const words = (letters: string, count: number) =>
  comparisonWords(compared(days(letters), count), "count", NOW);

describe("two stretches of days are compared", () => {
  test("only where both are final and complete: they end with the newest final day", () => {
    expect(compared(days("ffffff"), 3)).toEqual({
      outcome: "compared",
      count: 3,
      to: LAST,
      now: 30,
      before: 30,
    });
    expect(compared(days("ffffffpp"), 3)).toMatchObject({ outcome: "compared", to: back(2) });
    expect(words("ffffffpp", 3)).toBe("30 in the 3 days to 18 Nov, 30 in the 3 before");
  });

  test.each([
    ["fffmff", "Not compared: 18 Nov is without data."],
    ["fxffff", "Not compared: 16 Nov is ignored by rules."],
    ["fpffff", "Not compared: 16 Nov is not final yet."],
    ["-fffff", "No earlier data to compare: 15 Nov and before."],
    ["fffff", "No earlier data to compare"],
    ["pppppp", "Not compared: no day is final yet."],
  ])("and else it says why: %s", (letters, said) => {
    expect(words(letters, 3)).toBe(said);
  });

  test("the change is said in percent only of 50 and more", () => {
    expect(changeOf({ now: 75, before: 50 })).toBe(50);
    expect(changeOf({ now: 75, before: 49 })).toBeUndefined();
    expect(
      comparisonWords({ outcome: "compared", count: 7, to: LAST, now: 45, before: 60 }, "count", NOW),
    ).toBe("45 in the 7 days to 20 Nov, 60 in the 7 before (-25%)");
  });
});

test.each([
  [29, 112, "−74%"],
  [108, 100, "+8%"],
  [77, 11, "7×"],
  [6, 7, "−1"],
  [3, 0, "+3"],
  [4.5, 4.5, "0"],
])("%p against %p is a change of %p", (now, before, said) => {
  expect(changeText({ now, before })).toBe(said);
});

describe("a day of which nothing was told", () => {
  test("is missing between the first day and the last that owes one, never 0; before and after nothing is due", () => {
    const all = days("ffffff").map(({ day }) => day);
    const told = new Map([
      [back(4), { state: "final", basis: "reported", value: 7 } as const],
      [back(2), { state: "final", basis: "reported", value: 0 } as const],
    ]);
    const states = figureDays(all, told, { first: back(4), last: back(1) });
    expect(states.map(({ state, value }) => value ?? state)).toEqual([
      "none",
      7,
      "missing",
      0,
      "missing",
      "none",
    ]);
  });
});
