import { describe, expect, test } from "bun:test";
import { addDays, type UtcDay } from "../../src/base/time.ts";
import { countReceived, listPulses } from "../../src/reports/pulse.ts";
import { keptIgnored, readIgnored } from "../../src/reports/reports.ts";
import { instant } from "../support/clock.ts";
import { testGround } from "../support/deps.ts";
import { fresh } from "../support/fresh.ts";
import { pulse } from "../support/make/pulse.ts";
import { accept, listDaily, placeAll } from "../support/nightly.ts";

const ground = fresh(testGround);

const DAY = "2026-03-01" as UtcDay;
/** After everything these tests send. */
const NOW = instant("2026-12-01T00:00:00Z");
const on = (day: UtcDay, metrics = {}) => accept(ground, pulse({ generatedAt: `${day}T02:30:00Z`, metrics }));

const daily = (metric: string) => listDaily(ground.store.db, "harbor", metric);

describe("readings", () => {
  test("an absent figure is null and an absent metric has no reading: never 0", async () => {
    await on(DAY, { signups: { total: 12 }, silent: {} });
    await placeAll(ground);
    expect(daily("signups")).toEqual([{ date: DAY, last24h: null, total: 12 }]);
    expect(daily("silent")).toEqual([{ date: DAY, last24h: null, total: null }]);
    expect(daily("nowhere")).toStrictEqual([]);
  });

  test("avg7d is kept as sent and is no part of the daily counts that rules read", async () => {
    await on(DAY, { signups: { last24h: 3, avg7d: -1e12 } });
    await placeAll(ground);
    expect(daily("signups")).toEqual([{ date: DAY, last24h: 3, total: null }]);
  });

  test("a metric that a later revision no longer sends is absent again", async () => {
    await on(DAY, { signups: { last24h: 3 }, refunds: { last24h: 1 } });
    await on(DAY, { signups: { last24h: 4 } });
    await placeAll(ground);
    expect(daily("signups").map(({ last24h }) => last24h)).toEqual([4]);
    expect(daily("refunds")).toStrictEqual([]);
  });
});

test("reports are listed newest first by day then revision, page by page without a gap or a repeat", async () => {
  for (const back of [0, 1, 1, 2, 0]) await on(addDays(DAY, -back));
  const seen: string[] = [];
  let after: { date: UtcDay; revision: number } | undefined;
  for (;;) {
    const page = listPulses(ground.store.db, { asset: "harbor", allRevisions: true, after }, 2);
    seen.push(...page.map(({ date, revision }) => `${date} ${revision}`));
    const last = page.at(-1);
    if (last === undefined) break;
    after = last;
  }
  expect(seen).toEqual(["2026-03-01 2", "2026-03-01 1", "2026-02-28 2", "2026-02-28 1", "2026-02-27 1"]);
});

test("reports received since an instant are counted by site", async () => {
  await accept(ground, pulse(), 1_000);
  await accept(ground, pulse(), 2_000);
  await accept(ground, pulse({ asset: "orchard" }), 999);
  expect([...countReceived(ground.store.db, 1_000, NOW)]).toEqual([["harbor", 2]]);
});

test("a clock that was set back by some hours hides no report that was received since, and old history is left unread", async () => {
  const hours = (count: number) => NOW - count * 3_600_000;
  await accept(ground, pulse({ asset: "meadow" }), hours(80));
  for (let n = 0; n < 1_001; n++) await accept(ground, pulse({ asset: "orchard" }), hours(3));
  await accept(ground, pulse(), hours(30));
  await accept(ground, pulse(), hours(1));
  expect([...countReceived(ground.store.db, hours(24), NOW)]).toEqual([
    ["harbor", 1],
    ["orchard", 1_001],
  ]);
});

test("of what a report holds beyond the contract the first 50 pointers are kept, each up to 200 characters, and the rest counted", () => {
  const pointers = Array.from({ length: 52 }, (_, place) => `/${place}`.padEnd(300, "x"));
  const kept = readIgnored(keptIgnored(pointers));
  expect([kept?.pointers.length, kept?.pointers[0]?.length, kept?.more]).toEqual([50, 200, 2]);
  expect(keptIgnored([])).toBeNull();
});
