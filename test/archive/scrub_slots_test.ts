import { expect, test } from "bun:test";
import fc from "fast-check";
import { listPacks, objectsNamed } from "../../src/archive/objects.ts";
import { dueHours, hourOf } from "../../src/archive/verify_events.ts";
import { testStore } from "../support/database.ts";

const HOUR = 3_600_000;
const WEEK = 168;

test("the hours of a week take every pack once that an object lies in", () => {
  const { db, raw } = testStore();
  for (const id of [1, 2, 168, 169, 400]) {
    raw.run("INSERT INTO archive_pack VALUES (?, ?, 1, 0, 0)", [id, `packs/${id}`]);
    // What has no object any more is nobody's.
    if (id !== 2) raw.run("INSERT INTO archive_place VALUES (?, ?, 0)", [id, id]);
  }
  const read = Array.from({ length: WEEK }, (_, from) => [...listPacks(db, { each: WEEK, from })]).flat();
  expect(read.map(({ id }) => id).toSorted((a, b) => a - b)).toEqual([1, 168, 169, 400]);
});

test("the hours of a week take every object once", () => {
  const { db, raw } = testStore();
  const ids = [1, 255, 256, 43_007, 43_008, 50_000];
  for (const id of ids) {
    raw.run("INSERT INTO archive_object VALUES (?, ?, 1, 1, x'00', x'00', 0, 0)", [id, Buffer.from(`${id}`)]);
  }
  const read = Array.from({ length: WEEK }, (_, from) => [...objectsNamed(db, { each: WEEK, from })]).flat();
  expect(read.map(({ id }) => id).toSorted((a, b) => a - b)).toEqual(ids);
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
  expect(dueHours(hourOf(now), now)).toStrictEqual([]);
  expect(dueHours(hourOf(now) - 1, now)).toEqual([hourOf(now)]);
});
