import { expect, test } from "bun:test";
import { type Insight, listInsights, MOST_KEPT_DATES, putInsight } from "../../src/archive/insights.ts";
import { dayNumber, dayOfNumber, parseUtcDay, startOfDay } from "../../src/base/time.ts";
import { testGround } from "../support/deps.ts";

const FIRST = dayNumber(parseUtcDay("2026-11-01") ?? dayOfNumber(0));

const insight = (over: Partial<Insight> = {}): Insight => ({
  asset: "harbor",
  provider: "search-console",
  family: "page",
  date: "2026-11-18",
  report: 7,
  observedAt: 1_795_000_000_000,
  rows: 2,
  sums: { clicks: 5, impressions: 50 },
  top: [
    { keys: ["https://x/<b>"], values: [4, 40, 0.1, 3.5] },
    { keys: ["https://x/\u0000"], values: [1, 10, 0.1, null] },
  ],
  notes: ["top_rows"],
  ...over,
});

test("an insight comes back as it was put", async () => {
  const { store, writer } = await testGround();
  await writer.write((tx) => putInsight(tx, insight(), 3));
  expect(listInsights(store.db, { asset: "harbor" })).toEqual([insight()]);
});

test("another report of the same date takes the place of the one before", async () => {
  const { store, writer } = await testGround();
  await writer.write((tx) => {
    putInsight(tx, insight(), 3);
    putInsight(tx, insight({ report: 9, rows: 0, top: [] }), 3);
  });
  expect(listInsights(store.db, { asset: "harbor" }).map(({ report, rows }) => [report, rows])).toEqual([
    [9, 0],
  ]);
});

test("the newest 16 dates of a family stay, whichever property they are of; other families and sites are left alone", async () => {
  const { store, writer } = await testGround();
  const observedAt = startOfDay(dayOfNumber(FIRST + 40));
  await writer.write((tx) => {
    putInsight(tx, insight({ family: "query" }), 4);
    putInsight(tx, insight({ asset: "other" }), 5);
    for (let day = 0; day < 40; day++) {
      putInsight(tx, insight({ date: dayOfNumber(FIRST + day), report: day, observedAt }), day < 30 ? 1 : 2);
    }
    // A date that comes late is older than all that are kept.
    putInsight(tx, insight({ date: dayOfNumber(FIRST), observedAt }), 2);
  });
  const kept = listInsights(store.db, { asset: "harbor", provider: "search-console", families: ["page"] });
  expect(kept.map(({ date }) => date)).toEqual(
    Array.from({ length: MOST_KEPT_DATES }, (_, back) => dayOfNumber(FIRST + 39 - back)),
  );
  expect(listInsights(store.db, { asset: "harbor", families: ["query"] })).toHaveLength(1);
  expect(listInsights(store.db, { asset: "other" })).toHaveLength(1);
  expect(listInsights(store.db, { asset: "harbor", families: ["page"], from: FIRST + 38 })).toHaveLength(2);
});

test("dates that a clock ran ahead to take the place of none that have come", async () => {
  const { store, writer } = await testGround();
  const put = (day: number) =>
    writer.write((tx) =>
      putInsight(tx, insight({ date: dayOfNumber(day), observedAt: startOfDay(dayOfNumber(day + 1)) }), 1),
    );
  for (let day = 0; day < MOST_KEPT_DATES; day++) await put(FIRST + 400 + day);
  await put(FIRST);
  expect(listInsights(store.db, { asset: "harbor" })).toHaveLength(MOST_KEPT_DATES + 1);
});
