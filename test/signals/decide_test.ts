/** What an answer makes of the days of a site's figures: each rule on its own. */

import { describe, expect, test } from "bun:test";
import { decide } from "../../src/signals/decide.ts";
import { answerOf, dayOf, heldOf, NOTHING_HELD, storedText } from "../support/signals.ts";

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

  test("the first day with data is the earliest that was ever told, not the first of this answer", () => {
    const first = analytics({ "2026-11-12": 3, ...WEEK });
    const later = analytics(WEEK, { from: dayOf("2026-11-13"), to: dayOf("2026-11-20") });
    const held = heldOf([
      [first, NOON],
      [later, NOON],
    ]);
    expect(storedText(held)).toMatchObject({ "2026-11-12": "final 3", "2026-11-13": "final 0 omitted" });
  });

  test("a day that is left out and not settled is missing, and today is never filled", () => {
    const held = heldOf([[analytics(without("2026-11-19", "2026-11-20")), NOON]]);
    expect(Object.keys(storedText(held)).at(-1)).toBe("2026-11-18");
  });

  test("what was told of a day that is not settled goes where a whole answer is without it", () => {
    const held = heldOf([
      [analytics(WEEK), NOON],
      [analytics(without("2026-11-19")), NOON],
    ]);
    expect(storedText(held)["2026-11-19"]).toBeUndefined();
    expect(storedText(held)["2026-11-20"]).toBe("provisional 5");
  });

  test("one figure of one day that is another is a change", () => {
    const held = heldOf([[analytics(WEEK), NOON]]);
    const other = analytics({ ...WEEK, "2026-11-15": [15, 15, 15, 16] });
    expect(decide(other, held, NOON)).toMatchObject({ outcome: "changed", changed: 1 });
  });

  test("a zero that was told by leaving the day out is told again where the provider changes its mind", () => {
    const held = heldOf([[analytics(without("2026-11-16")), NOON]]);
    const decision = decide(analytics(WEEK), held, NOON);
    expect(decision.figures).toHaveLength(4);
    expect(decision.figures[0]).toMatchObject({ to: { state: "final", basis: "reported", value: 16 } });
    expect(decision.isForRules).toBe(true);
  });

  test("a late value of a final day is a revision, and stays final", () => {
    const held = heldOf([[analytics(WEEK), NOON]]);
    const decision = decide(analytics({ ...WEEK, "2026-11-15": 151 }), held, NOON + 60_000);
    expect(decision).toMatchObject({ outcome: "changed", changed: 4, isForRules: true });
    expect(decision.figures.map(({ day, to }) => [day, to.state, to.value])).toEqual(
      [0, 1, 2, 3].map(() => [dayOf("2026-11-15"), "final", 151]),
    );
  });

  test("a day that a clock which was ahead made final is provisional when it comes", () => {
    const ahead = answerOf("analytics", WEEK, { from: WINDOW.from, to: dayOf("2026-11-25") });
    const held = heldOf([
      [analytics(WEEK), NOON],
      [ahead, NOON + 6 * 86_400_000],
    ]);
    expect(storedText(held)).toMatchObject({ "2026-11-20": "final 5", "2026-11-22": "final 0 omitted" });
    const { figures } = decide(analytics({ ...WEEK, "2026-11-20": 6 }), held, NOON);
    expect(figures.map(({ day, to }) => [day, to.state, to.value])).toEqual(
      [0, 1, 2, 3].map(() => [dayOf("2026-11-20"), "provisional", 6]),
    );
  });

  test("a value that settles unchanged is told, for the rules; one that is still provisional is not for them", () => {
    const held = heldOf([[analytics(WEEK), NOON]]);
    const next = NOON + 86_400_000;
    const settled = decide(analytics(WEEK, { from: WINDOW.from, to: dayOf("2026-11-21") }), held, next);
    expect(settled.isForRules).toBe(true);
    expect(settled.figures.map(({ to }) => to.state)).toEqual(["final", "final", "final", "final"]);
    expect(settled).toMatchObject({ outcome: "unchanged", changed: 0 });
    const today = decide(analytics({ ...WEEK, "2026-11-20": 6 }), held, NOON);
    expect(today).toMatchObject({ outcome: "changed", isForRules: false });
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

  test("an answer without days that were final makes no zero of any day; what it tells is taken", () => {
    const held = heldOf([
      [analytics(WEEK), NOON],
      [analytics({ "2026-11-20": 9 }, { from: WINDOW.from, to: dayOf("2026-11-22") }), NOON + 2 * 86_400_000],
    ]);
    expect(storedText(held)).toMatchObject({
      "2026-11-14": "final 14",
      "2026-11-18": "final 18",
      "2026-11-19": "provisional 19",
      "2026-11-20": "final 9",
    });
  });

  test.each(["14", "16", "18"])(
    "an answer that leaves out the %sth, which was final, makes no zero of another day",
    (lost) => {
      const known = { "2026-11-14": 14, "2026-11-16": 16, "2026-11-18": 18 };
      const to = { ...WINDOW, to: dayOf("2026-11-18") };
      const held = [analytics(known, { ...to, notes: ["thresholded"] }), NOON] as const;
      const left = Object.fromEntries(Object.entries(known).filter(([date]) => !date.endsWith(lost)));
      expect(storedText(heldOf([held, [analytics(known, to), NOON]]))).toMatchObject({
        "2026-11-17": "final 0 omitted",
      });
      expect(storedText(heldOf([held, [analytics(left, to), NOON]]))["2026-11-17"]).toBeUndefined();
    },
  );

  test("an answer that withholds small days says nothing by leaving one out", () => {
    const held = heldOf([[analytics(without("2026-11-16"), { ...WINDOW, notes: ["thresholded"] }), NOON]]);
    expect(storedText(held)["2026-11-16"]).toBeUndefined();
  });

  test("a property that never had data is empty, and has no zeros", () => {
    const decision = decide(analytics({}, WINDOW), NOTHING_HELD, NOON);
    expect(decision).toEqual({
      outcome: "empty",
      figures: [],
      changed: 0,
      firstData: undefined,
      isForRules: false,
      distorted: undefined,
      covered: undefined,
    });
  });

  test("a day ahead of the property's today is not taken", () => {
    const held = heldOf([
      [analytics({ ...WEEK, "2026-11-21": 1 }, { ...WINDOW, to: dayOf("2026-11-21") }), NOON],
    ]);
    expect(storedText(held)["2026-11-21"]).toBeUndefined();
  });

  test("another property's days are told anew by its own rules, from its own first day with data", () => {
    const held = {
      ...heldOf([[analytics(WEEK), NOON]]),
      isSameProperty: false,
      firstData: undefined,
      zone: undefined,
    };
    const other = analytics({ "2026-11-17": 7, "2026-11-19": 9 });
    const decision = decide(other, held, NOON);
    const first = decision.figures.filter(({ place }) => place === 0);
    expect(first.map(({ day, to }) => [day - dayOf("2026-11-14"), to.state, to.value])).toEqual([
      [3, "final", 7],
      [4, "final", 0],
      [5, "provisional", 9],
      // Today is left out by an answer that is whole: what the other property had of it is not this one's.
      [6, "missing", null],
    ]);
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

  test("excludes a day of which nothing is known yet", () => {
    const held = heldOf([
      [answerOf("analytics", WEEK, WINDOW), NOON],
      [inParis(without("2026-11-20")), NOON + 60_000],
    ]);
    expect(storedText(held)["2026-11-20"]).toBe("excluded 5");
    const quiet = heldOf([
      [answerOf("analytics", without("2026-11-20"), WINDOW), NOON],
      [inParis(without("2026-11-20")), NOON + 60_000],
    ]);
    expect(storedText(quiet)["2026-11-20"]).toBe("excluded");
  });

  test("that came at any time in days without an answer excludes all of them", () => {
    const decision = decide(
      inParis(WEEK),
      heldOf([[answerOf("analytics", WEEK, WINDOW), at("2026-11-17T20:00:00Z")]]),
      NOON,
    );
    expect(decision.distorted).toEqual({ from: dayOf("2026-11-16"), to: dayOf("2026-11-20") });
  });

  test("where the calendars disagree about today, excludes the days of both", () => {
    // 21 November in Tokyo, the 20th in California.
    const now = at("2026-11-20T18:00:00Z");
    const tokyo = answerOf("analytics", WEEK, { ...WINDOW, timeZone: "Asia/Tokyo" });
    const toWest = decide(answerOf("analytics", WEEK, WINDOW), heldOf([[tokyo, now]]), now);
    expect(toWest.distorted).toEqual({ from: dayOf("2026-11-19"), to: dayOf("2026-11-21") });
    const excluded = toWest.figures.flatMap(({ day, to }) => (to.state === "excluded" ? [day] : []));
    expect([...new Set(excluded)]).toEqual(["2026-11-19", "2026-11-20", "2026-11-21"].map(dayOf));
    const toEast = decide(tokyo, heldOf([[answerOf("analytics", WEEK, WINDOW), now]]), now);
    expect(toEast.distorted).toEqual({ from: dayOf("2026-11-20"), to: dayOf("2026-11-21") });
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

  test("what was provisional and is left out once it settles is a zero, and its position goes", () => {
    const row = [1, 2, 0.5, 9];
    const days = { "2026-11-14": row, "2026-11-17": row };
    const held = heldOf([
      [console(days, { firstIncomplete: dayOf("2026-11-16") }), NOON],
      [console({ "2026-11-14": row }, { firstIncomplete: dayOf("2026-11-19") }), NOON + 60_000],
    ]);
    expect(storedText(held, 0)["2026-11-17"]).toBe("final 0 omitted");
    expect(storedText(held, 3)["2026-11-17"]).toBeUndefined();
  });

  test("without a word of incomplete days, nothing after the newest day told is known", () => {
    const held = heldOf([[console({ "2026-11-14": 1, "2026-11-16": 2 }), NOON]]);
    expect(storedText(held)).toEqual({
      "2026-11-14": "final 1",
      "2026-11-15": "final 0 omitted",
      "2026-11-16": "final 2",
    });
  });

  test("what was final is not provisional again where the provider moves its word back", () => {
    const held = heldOf([
      [console(WEEK, { firstIncomplete: dayOf("2026-11-18") }), NOON],
      [console({ ...WEEK, "2026-11-17": 71 }, { firstIncomplete: dayOf("2026-11-16") }), NOON],
    ]);
    expect(storedText(held)).toMatchObject({ "2026-11-16": "final 16", "2026-11-17": "final 71" });
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
  test("lag once their newest settled day is five days back", () => {
    for (const [newest, outcome] of [
      ["2026-11-18", "unchanged"],
      ["2026-11-17", "source_lag"],
    ] as const) {
      const told = answerOf("webmaster-tools", { "2026-11-14": 1, "2026-11-15": 2, [newest]: 3 });
      const { outcome: then } = decide(told, heldOf([[told, NOON]]), NOON + 86_400_000);
      expect([newest, then]).toEqual([newest, outcome]);
    }
  });

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
