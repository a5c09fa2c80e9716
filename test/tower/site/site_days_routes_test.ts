import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { dayNumber, type UtcDay } from "../../../src/base/time.ts";
import { addSeries, putDays } from "../../../src/reports/series.ts";
import { ensureAssets } from "../../../src/sites/site_changes.ts";
import { changesOf } from "../../../src/tower/site/metric_page.tsx";
import { type TestGround, testGround } from "../../support/deps.ts";
import { attribute, rowsOf, tagged } from "../../support/html.ts";
import { pulse } from "../../support/make/pulse.ts";
import { accept, judgeAll, sendNights } from "../../support/nightly.ts";
import { type World, world } from "../../support/world.ts";

let ground: TestGround;
let site: World;

beforeAll(async () => {
  ground = await testGround();
  await ground.writer.write((tx) => ensureAssets(tx, ["ghost"], { actor: "test", now: 0 }));
  await sendNights(ground, "harbor", { last: "2026-02-28" as UtcDay, days: 60 }, () => ({
    metrics: { signups: { last24h: 10 }, "=cmd": { last24h: 2 } },
  }));
  for (const [minute, last24h] of [
    ["30", 112],
    ["45", 131],
  ] as const)
    await accept(
      ground,
      pulse({ generatedAt: `2026-03-01T02:${minute}:00Z`, metrics: { signups: { last24h } } }),
    );
  await judgeAll(ground);
  await ground.writer.write((tx) => {
    const day = dayNumber("2026-02-27" as UtcDay);
    const series = addSeries(tx, { asset: "harbor", source: "analytics", metric: "sessions" }, day);
    putDays(tx, series, [{ day, to: { state: "provisional", basis: "reported", value: 41, total: null } }]);
    const views = addSeries(tx, { asset: "harbor", source: "analytics", metric: "page_views" }, day);
    putDays(tx, views, [{ day, to: { state: "excluded", basis: "reported", value: 97, total: null } }]);
  });
  site = await world({ ground });
});
afterAll(async () => {
  await site.stop();
  ground.store.close();
});

test("a latest value that is not final says so in the table", async () => {
  const tree = await site.open("/sites/harbor");
  const latest = (name: string) =>
    rowsOf(tree, "Metrics of the site").find(([head]) => head?.startsWith(name))?.[1];
  expect(latest("Sessions")).toBe("4127 Feb, not final yet");
  expect(latest("Page views")).toBe("9727 Feb, ignored by rules");
});

describe("/sites/{asset}/days/{date}", () => {
  test("leads to the overview of that day", async () => {
    const answer = await site.ask("/sites/harbor/days/2026-02-27");
    expect([answer.status, answer.headers.get("location")]).toEqual([
      303,
      "/sites/harbor?from=2026-02-27&to=2026-02-27",
    ]);
  });

  test.each(["2026-02-30", "today", "2026-3-1"])("%s is 404", async (date) => {
    expect((await site.ask(`/sites/harbor/days/${date}`)).status).toBe(404);
  });
});

describe("/sites/{asset}/days.csv", () => {
  test("holds the charts of the same address, and a name that a spreadsheet would take for a formula is text", async () => {
    const response = await site.ask("/sites/harbor/days.csv?range=7");
    expect(response.headers.get("content-type")).toBe("text/csv; charset=utf-8; header=present");
    expect(response.headers.get("content-disposition")).toBe(
      'attachment; filename="harbor-2026-02-23-2026-03-01.csv"',
    );
    const lines = (await response.text()).split("\r\n");
    expect(lines.slice(-4)).toEqual([
      "2026-02-27,analytics,page_views,97,excluded,reported,",
      "2026-02-28,pulse,signups,131,final,reported,2026-03-01",
      "2026-02-28,pulse,'=cmd,,missing,,2026-03-01",
      "",
    ]);
    expect(lines).toContain("2026-02-27,analytics,sessions,41,provisional,reported,");
    const one = await (
      await site.ask("/sites/harbor/days.csv?range=7&source=analytics&metric=sessions")
    ).text();
    expect(one.split("\r\n")).toHaveLength(3);
    const page = tagged(
      await site.open("/sites/harbor/metric?range=7&source=analytics&metric=sessions"),
      "a",
    );
    expect(page.map((link) => attribute(link, "href"))).toContain(
      "/sites/harbor/days.csv?range=7&source=analytics&metric=sessions",
    );
  });
});

test("a value that came back is told as often as it held", () => {
  const seen = (values: readonly (number | null)[]) => values.map((value, seenAt) => ({ value, seenAt }));
  expect(changesOf(seen([null, 5, 5, null, 5])).map(({ value }) => value)).toEqual([5, null, 5]);
});
