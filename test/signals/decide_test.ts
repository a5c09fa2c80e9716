/** What an answer makes of the days of a site's figures: each rule on its own. */

import { describe, expect, test } from "bun:test";
import { decide } from "../../src/signals/decide.ts";
import { answerOf, dayOf, heldOf, storedText } from "../support/signals.ts";

const at = (moment: string) => Date.parse(moment);
const NOON = at("2026-11-20T20:00:00Z");
/** The window of an answer on 20 November in California. */
const WINDOW = { from: dayOf("2026-11-10"), to: dayOf("2026-11-20") };

const WEEK = {
  "2026-11-14": 14,
  "2026-11-15": 15,
  "2026-11-16": 16,
  "2026-11-17": 17,
  "2026-11-18": 18,
  "2026-11-19": 19,
  "2026-11-20": 5,
};
const without = (...dates: string[]) =>
  Object.fromEntries(Object.entries(WEEK).filter(([date]) => !dates.includes(date)));

describe("analytics", () => {
  const analytics = (days: Parameters<typeof answerOf>[1], rest: Parameters<typeof answerOf>[2] = WINDOW) =>
    answerOf("analytics", days, rest);

  test("a day is provisional until it is collected two days later, in the property's own calendar", () => {
    // 20 November 07:00 UTC is still the 19th in California.
    expect(storedText(heldOf([[analytics(WEEK), at("2026-11-20T07:00:00Z")]]))).toEqual({
      "2026-11-14": "final 14",
      "2026-11-15": "final 15",
      "2026-11-16": "final 16",
      "2026-11-17": "final 17",
      "2026-11-18": "provisional 18",
      "2026-11-19": "provisional 19",
    });
    const settled = heldOf([[analytics(WEEK), NOON]]);
    expect(storedText(settled)["2026-11-18"]).toBe("final 18");
    expect(storedText(settled)["2026-11-19"]).toBe("provisional 19");
  });

  test("a settled day that is left out after the first day with data is a true zero; before it nothing is known", () => {
    const held = heldOf([[analytics(without("2026-11-16")), NOON]]);
    expect(storedText(held)["2026-11-16"]).toBe("final 0 omitted");
    expect(Object.keys(storedText(held))[0]).toBe("2026-11-14");
  });

  test("a late value of a final day is a revision, and stays final", () => {
    const held = heldOf([[analytics(WEEK), NOON]]);
    const decision = decide(analytics({ ...WEEK, "2026-11-15": 151 }), held, NOON + 60_000);
    expect(decision).toMatchObject({ outcome: "changed", changed: 4, isForRules: true });
    expect(decision.figures.map(({ day, to }) => [day, to.state, to.value])).toEqual(
      [0, 1, 2, 3].map(() => [dayOf("2026-11-15"), "final", 151]),
    );
  });

  test("an answer without any day takes nothing away and makes no zero, however long it goes on", () => {
    const answers = [[analytics(WEEK), NOON] as const];
    const before = storedText(heldOf(answers));
    for (let hours = 1; hours <= 96; hours++) {
      const now = NOON + hours * 3_600_000;
      const to = dayOf("2026-11-20") + Math.floor(hours / 24);
      const held = heldOf(answers);
      const decision = decide(analytics({}, { from: WINDOW.from, to }), held, now);
      expect(decision).toMatchObject({ outcome: "empty", figures: [] });
    }
    expect(storedText(heldOf(answers))).toEqual(before);
  });

  test("an answer that withholds small days says nothing by leaving one out", () => {
    const held = heldOf([[analytics(without("2026-11-16"), { ...WINDOW, notes: ["thresholded"] }), NOON]]);
    expect(storedText(held)["2026-11-16"]).toBeUndefined();
  });
});

describe("a change of the time zone", () => {
  const inParis = (days: Parameters<typeof answerOf>[1]) =>
    answerOf("analytics", days, { ...WINDOW, timeZone: "Europe/Paris" });

  test("excludes the day of the change and the day before for good, and keeps their values", () => {
    const before = answerOf("analytics", WEEK, WINDOW);
    const held = heldOf([
      [before, NOON],
      [inParis(WEEK), NOON + 60_000],
    ]);
    expect(storedText(held)).toMatchObject({
      "2026-11-18": "final 18",
      "2026-11-19": "excluded 19",
      "2026-11-20": "excluded 5",
    });
    const later = heldOf([
      [before, NOON],
      [inParis(WEEK), NOON + 60_000],
      [inParis({ ...WEEK, "2026-11-20": 44 }), NOON + 5 * 86_400_000],
    ]);
    expect(storedText(later)["2026-11-20"]).toBe("excluded 44");
    expect(storedText(later)["2026-11-19"]).toBe("excluded 19");
  });
});

describe("search console", () => {
  const console = (days: Parameters<typeof answerOf>[1], rest: Parameters<typeof answerOf>[2] = {}) =>
    answerOf("search-console", days, { ...WINDOW, ...rest });

  test("is provisional from the first day that its provider calls incomplete, and today always", () => {
    const held = heldOf([[console(WEEK, { firstIncomplete: dayOf("2026-11-18") }), NOON]]);
    expect(storedText(held)).toMatchObject({
      "2026-11-17": "final 17",
      "2026-11-18": "provisional 18",
      "2026-11-20": "provisional 5",
    });
    const unsaid = storedText(heldOf([[console(WEEK), NOON]]));
    expect(unsaid).toMatchObject({ "2026-11-19": "final 19", "2026-11-20": "provisional 5" });
  });

  test("a settled day without visits has zero clicks and no position", () => {
    const row = [3, 120, 0.025, 7.4];
    const days = { "2026-11-14": row, "2026-11-16": row };
    const held = heldOf([[console(days, { firstIncomplete: dayOf("2026-11-18") }), NOON]]);
    expect(storedText(held, 0)).toEqual({
      "2026-11-14": "final 3",
      "2026-11-15": "final 0 omitted",
      "2026-11-16": "final 3",
      "2026-11-17": "final 0 omitted",
    });
    expect(storedText(held, 3)).toEqual({ "2026-11-14": "final 7.4", "2026-11-16": "final 7.4" });
  });

  test("a source that lags is said so on the day after, not twice in a day", () => {
    const lagging = console(without("2026-11-20", "2026-11-19", "2026-11-18"));
    const held = heldOf([[lagging, NOON]]);
    expect(decide(lagging, held, NOON + 60_000).outcome).toBe("unchanged");
    expect(decide(lagging, held, NOON + 86_400_000).outcome).toBe("source_lag");
    const fresh = console(WEEK);
    expect(decide(fresh, heldOf([[fresh, NOON]]), NOON + 60_000).outcome).toBe("unchanged");
  });
});

describe("webmaster tools", () => {
  test("the newest returned day is provisional, nothing after it is said, and gaps before it are zeros", () => {
    const held = heldOf([
      [answerOf("webmaster-tools", { "2026-11-14": 1, "2026-11-16": 2, "2026-11-17": 3 }), NOON],
    ]);
    expect(storedText(held)).toEqual({
      "2026-11-14": "final 1",
      "2026-11-15": "final 0 omitted",
      "2026-11-16": "final 2",
      "2026-11-17": "provisional 3",
    });
    const older = answerOf("webmaster-tools", { "2026-11-14": 1, "2026-11-16": 2 });
    const after = decide(older, held, NOON);
    expect(after.figures).toEqual([]);
  });
});
