import { beforeEach, describe, expect, test } from "bun:test";
import { addDays, type UtcDay } from "../../src/base/time.ts";
import { listFirstNights, listNights } from "../../src/reports/nights.ts";
import { testGround } from "../support/deps.ts";
import { fresh } from "../support/fresh.ts";
import { placeAll, sendNights } from "../support/nightly.ts";

const ground = fresh(testGround);
const LAST = "2026-03-01" as UtcDay;

beforeEach(async () => {
  await sendNights(ground, "harbor", { last: LAST, days: 20 }, (back) =>
    back % 3 === 1 ? null : { metrics: { "b.two": { last24h: back }, 'a\'s "one"': { total: back } } },
  );
  await sendNights(ground, "orchard", { last: addDays(LAST, -30), days: 1 }, () => ({ metrics: { c: {} } }));
  await placeAll(ground);
});

describe("nights of several sites in one statement", () => {
  test("each site's days since a day; a site without one in that time is left out", () => {
    const found = listNights(ground.store.db, ["harbor", "orchard", "nowhere"], addDays(LAST, -4));
    expect([...found.keys()]).toEqual(["harbor"]);
    expect([...(found.get("harbor") ?? [])].sort()).toEqual([3, 2, 0].map((back) => addDays(LAST, -back)));
  });

  test("the first day of each", () => {
    const first = listFirstNights(ground.store.db, ["harbor", "orchard", "nowhere"]);
    expect([...first]).toEqual([
      ["harbor", addDays(LAST, -18)],
      ["orchard", addDays(LAST, -30)],
    ]);
  });
});
