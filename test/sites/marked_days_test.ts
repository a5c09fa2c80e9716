/** Every marked day of a span, found by walking a calendar month by month and week by week. */

import { expect, test } from "bun:test";
import fc from "fast-check";
import { addDays, eachDay, startOfDay, type UtcDay } from "../../src/base/time.ts";
import { type MarkedDays, markOn, WEEKDAYS } from "../../src/sites/thresholds.ts";

function walked(mark: MarkedDays, from: UtcDay, to: UtcDay): UtcDay[] {
  const all = eachDay({ from, to });
  const found = new Set<UtcDay>();
  const months = Map.groupBy(eachDay({ from: addDays(from, -31), to: addDays(to, 31) }), (day) =>
    day.slice(0, 7),
  );
  for (const days of months.values()) {
    if (!days[0]?.endsWith("-01")) continue;
    for (const one of mark.month_days ?? []) {
      const day = one > 0 ? days[one - 1] : days.at(one);
      if (day !== undefined) found.add(day);
    }
    for (const one of mark.nth_weekdays ?? []) {
      const [nth, weekday] = one.split(" ");
      const same = days.filter((day) => weekdayOf(day) === weekday);
      const day = nth === "last" ? same.at(-1) : same[Number(nth) - 1];
      if (day !== undefined) found.add(day);
    }
  }
  for (const day of all)
    if (mark.dates?.some((date) => (date.length === 5 ? day.endsWith(`-${date}`) : day === date)))
      found.add(day);
  if (mark.every !== undefined) {
    let day = mark.every.from as UtcDay;
    while (weekdayOf(day) !== mark.every.weekday) day = addDays(day, 1);
    for (; day <= to; day = addDays(day, 7 * mark.every.weeks)) found.add(day);
  }
  return all.filter((day) => found.has(day));
}

const weekdayOf = (day: UtcDay) => WEEKDAYS[new Date(startOfDay(day)).getUTCDay()] ?? "";

const anyDay = fc.integer({ min: 0, max: 4_000 }).map((days) => addDays("2023-01-01" as UtcDay, days));
const anyWeekday = fc.constantFrom(...WEEKDAYS);
const nth = fc.constantFrom("1", "2", "3", "4", "5", "last");
const anyMark: fc.Arbitrary<MarkedDays> = fc.record({
  name: fc.constant("mark"),
  dates: fc.array(
    fc.oneof(
      anyDay,
      anyDay.map((day) => day.slice(5)),
      fc.constant("02-29"),
    ),
    { maxLength: 3 },
  ),
  month_days: fc.array(fc.oneof(fc.integer({ min: 1, max: 31 }), fc.integer({ min: -31, max: -1 })), {
    maxLength: 3,
  }),
  nth_weekdays: fc.array(
    fc.tuple(nth, anyWeekday).map((parts) => parts.join(" ")),
    { maxLength: 2 },
  ),
  every: fc.record({
    weekday: anyWeekday,
    weeks: fc.integer({ min: 1, max: 6 }),
    from: anyDay,
  }),
});

test("a mark names the same days as a calendar that is walked month by month and week by week", () => {
  fc.assert(
    fc.property(anyMark, anyDay, fc.integer({ min: 0, max: 500 }), (mark, from, days) => {
      const to = addDays(from, days);
      expect(eachDay({ from, to }).filter((day) => markOn([mark], day) !== undefined)).toEqual(
        walked(mark, from, to),
      );
    }),
    { numRuns: 300 },
  );
});

test.each([
  [{ dates: ["02-29"] }, ["2028-02-29"]],
  [{ month_days: [31] }, ["2028-01-31", "2028-03-31"]],
  [{ month_days: [-1] }, ["2028-01-31", "2028-02-29", "2028-03-31"]],
  [{ nth_weekdays: ["5 Mon"] }, ["2028-01-31"]],
  [{ nth_weekdays: ["last Fri"] }, ["2028-01-28", "2028-02-25", "2028-03-31"]],
  [{ every: { weekday: "Tue", weeks: 4, from: "2028-01-05" } }, ["2028-01-11", "2028-02-08", "2028-03-07"]],
] as const)("%j marks %j of the first quarter of 2028", (pattern, marked) => {
  const days = eachDay({
    from: "2028-01-01" as UtcDay,
    to: "2028-03-31" as UtcDay,
  });
  expect(days.filter((day) => markOn([{ name: "mark", ...pattern }], day) !== undefined)).toEqual([
    ...marked,
  ] as UtcDay[]);
});
