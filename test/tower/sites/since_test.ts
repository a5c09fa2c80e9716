import { expect, test } from "bun:test";
import fc from "fast-check";
import {
  findLook,
  type Look,
  lookedAgain,
  noteLook,
  noteSeen,
  VISIT_MS,
} from "../../../src/access/visits.ts";
import { Writer } from "../../../src/store/writer.ts";
import { sinceOf } from "../../../src/tower/sites/lines.ts";
import { instant } from "../../support/clock.ts";
import { testStore } from "../../support/database.ts";

const NOW = instant("2026-11-22T08:00:00Z");
const HOUR = 3_600_000;

/** The looks of an operator who opened the portfolio at these moments. */
const lookedAt = (...moments: readonly number[]) =>
  moments.reduce<Look | undefined>((look, now) => lookedAgain(look, now), undefined);

test("who never looked is told of the last 24 hours, for the whole of that visit", () => {
  expect(sinceOf(lookedAt(NOW)?.before, null, NOW)).toEqual({
    at: NOW - 24 * HOUR,
    by: "first",
    isCut: false,
  });
  const still = lookedAt(NOW - VISIT_MS, NOW);
  expect(sinceOf(still?.before, null, NOW).by).toBe("first");
});

test("what is new begins where the visit before ended, however often one looks in this one", () => {
  const evening = NOW - 14 * HOUR;
  const looks = lookedAt(evening - VISIT_MS, evening, NOW - VISIT_MS, NOW - 1, NOW);
  expect(sinceOf(looks?.before, null, NOW)).toEqual({ at: evening, by: "visit", isCut: false });
});

test("at most 14 days back, and never ahead of the clock", () => {
  const long = lookedAt(NOW - 400 * 24 * HOUR, NOW);
  expect(sinceOf(long?.before, null, NOW)).toEqual({ at: NOW - 14 * 24 * HOUR, by: "visit", isCut: true });
  const ahead = lookedAt(NOW + 9 * HOUR, NOW);
  expect(sinceOf(ahead?.before, null, NOW).at).toBe(NOW);
});

test("an address may ask for a day or a moment", () => {
  expect(sinceOf(NOW - HOUR, "2026-11-20", NOW)).toEqual({
    at: instant("2026-11-20T00:00:00Z"),
    by: "address",
    isCut: false,
  });
  expect(sinceOf(null, "2026-11-22T07:30:00Z", NOW).at).toBe(NOW - HOUR / 2);
  expect(sinceOf(null, "2024-01-01", NOW)).toMatchObject({ at: NOW - 14 * 24 * HOUR, isCut: true });
});

test("what is stored is what the rule says, look by look", async () => {
  const store = testStore();
  const writer = new Writer(store);
  const moments = fc.array(fc.integer({ min: -3 * VISIT_MS, max: 3 * VISIT_MS }), {
    minLength: 1,
    maxLength: 8,
  });
  await fc.assert(
    fc.asyncProperty(fc.uuid(), moments, async (operator, steps) => {
      let now = NOW;
      let expected: Look | undefined;
      for (const step of steps) {
        now += step;
        expected = lookedAgain(expected, now);
        await writer.write((tx) => noteLook(tx, operator, now));
      }
      expect(findLook(store.db, operator)).toEqual(expected);
    }),
    { numRuns: 40 },
  );
});

test("seen: what is new begins now", async () => {
  const store = testStore();
  const writer = new Writer(store);
  await writer.write((tx) => noteLook(tx, "ada", NOW - HOUR));
  await writer.write((tx) => noteSeen(tx, "ada", NOW));
  expect(sinceOf(lookedAgain(findLook(store.db, "ada"), NOW + 1)?.before, null, NOW + 1).at).toBe(NOW);
});
