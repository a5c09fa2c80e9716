import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { UtcDay } from "../../../src/base/time.ts";
import { pageOfLog } from "../../../src/tower/timeline/read_timeline.ts";

const DAYS = Array.from({ length: 9 }, (_, place) => `2026-11-0${place + 1}` as UtcDay);

interface Entry {
  readonly id: number;
  readonly day: UtcDay;
}

/** A log: how many entries and flag lines each day has. */
const logs = fc.array(
  fc.record({ day: fc.constantFrom(...DAYS), entries: fc.nat({ max: 7 }), flags: fc.nat({ max: 4 }) }),
  { maxLength: 9 },
);

describe("the pages of the Timeline's log", () => {
  test("together they hold every entry and every day's flags once, newest first, and each page moves on", () => {
    fc.assert(
      fc.property(logs, fc.integer({ min: 1, max: 6 }), (drawn, size) => {
        const byDay = new Map(drawn.map((day) => [day.day, day]));
        const days = [...byDay.values()].sort((one, other) => (one.day < other.day ? 1 : -1));
        let id = 0;
        const all: Entry[] = days.flatMap(({ day, entries }) =>
          Array.from({ length: entries }, () => ({ id: id++, day })),
        );
        const flags = new Map(days.filter((day) => day.flags > 0).map((day) => [day.day, day.flags]));
        const seen: number[] = [];
        const flagged: UtcDay[] = [];
        let [after, before] = [-1, undefined as UtcDay | undefined];
        for (let pages = 0; ; pages++) {
          expect(pages).toBeLessThan(200);
          const rest = all.filter(
            (entry) => entry.id > after && (before === undefined || entry.day < before),
          );
          const until = after === -1 ? before : all[after]?.day;
          const flagLines = new Map([...flags].filter(([day]) => until === undefined || day < until));
          const page = pageOfLog({ entries: rest.slice(0, size + 1), flagLines }, size, ({ day }) => day);
          for (const { day, entries } of page.days) {
            seen.push(...entries.map((entry) => entry.id));
            if (flagLines.has(day)) flagged.push(day);
          }
          if (page.next === null) break;
          expect(page.days.length).toBeGreaterThan(0);
          [after, before] = "day" in page.next ? [-1, page.next.day] : [page.next.entry.id, undefined];
        }
        expect(seen).toEqual(all.map((entry) => entry.id));
        expect(flagged).toEqual(days.filter((day) => day.flags > 0).map((day) => day.day));
      }),
    );
  });
});
