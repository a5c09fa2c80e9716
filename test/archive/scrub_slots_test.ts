import { expect, test } from "bun:test";
import fc from "fast-check";
import { dueHours, hourOf, namesOf } from "../../src/archive/verify_events.ts";

const HOUR = 3_600_000;
const WEEK = 168;

test("the hours of a week take every name once", () => {
  const name = fc.stringMatching(/^[0-9a-f]{64}$/);
  fc.assert(
    fc.property(name, fc.nat(1_000_000), (sha256, first) => {
      const bytes = Buffer.from(sha256, "hex");
      const hours = Array.from({ length: WEEK }, (_, place) => first + place).filter((hour) => {
        const { from, to } = namesOf(hour);
        return (
          Buffer.compare(bytes, Buffer.from(from, "hex")) >= 0 &&
          Buffer.compare(bytes, Buffer.from(to, "hex")) < 0
        );
      });
      expect(hours).toHaveLength(1);
    }),
  );
  for (const sha256 of ["0".repeat(64), "f".repeat(64)]) {
    const bytes = Buffer.from(sha256, "hex");
    const at = (hour: number) => {
      const { from, to } = namesOf(hour);
      return (
        Buffer.compare(bytes, Buffer.from(from, "hex")) >= 0 &&
        Buffer.compare(bytes, Buffer.from(to, "hex")) < 0
      );
    };
    expect(Array.from({ length: WEEK }, (_, hour) => hour).filter(at)).toHaveLength(1);
  }
});

test("an hour that was missed is made up, the oldest first and a few at a time; none of the last week is left out", () => {
  fc.assert(
    fc.property(fc.integer({ min: 400_000, max: 600_000 }), fc.nat(400), (hour, rested) => {
      let last = hour - rested - 1;
      const read: number[] = [];
      let now = hour;
      do {
        const due = dueHours(last, now * HOUR + 1);
        expect(due.length).toBeLessThanOrEqual(4);
        expect(due[0]).toBe(Math.max(last + 1, now - WEEK + 1));
        read.push(...due);
        last = due.at(-1) ?? last;
      } while (last < now++);
      // Each slot of a week had its turn.
      const slots = new Set(read.map((one) => one % WEEK));
      expect(slots.size).toBe(Math.min(new Set(read).size, WEEK));
      if (rested >= WEEK) expect(slots.size).toBe(WEEK);
    }),
  );
});

test("a first run and a clock that was set back begin with the hour it is", () => {
  const now = 500_000 * HOUR;
  expect(dueHours(undefined, now)).toEqual([hourOf(now)]);
  expect(dueHours(hourOf(now) + 48, now)).toEqual([hourOf(now)]);
  expect(dueHours(hourOf(now), now)).toEqual([]);
  expect(dueHours(hourOf(now) - 1, now)).toEqual([hourOf(now)]);
});
