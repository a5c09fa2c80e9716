/** The page of one metric over the real service: its days with what the rule says of each, its flag, its changes, its revisions. */

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { addDays, dayNumber, formatInstant, startOfDay, type UtcDay } from "../../../src/base/time.ts";
import { addSeries, putDays } from "../../../src/reports/series.ts";
import { appendAnnotation } from "../../../src/sites/annotations.ts";
import { type TestGround, testGround } from "../../support/deps.ts";
import { rowsOf, textOf } from "../../support/html.ts";
import { pulse } from "../../support/make/pulse.ts";
import { accept, followerOn, sendNights, wavering } from "../../support/nightly.ts";
import { type World, world } from "../../support/world.ts";

const LAST = "2026-03-01" as UtcDay;
/** A name that would be part of a path. */
const ODD = "a/../b?c";

let ground: TestGround;
let site: World;

beforeAll(async () => {
  ground = await testGround();
  await sendNights(ground, "harbor", { last: LAST, days: 60 }, (back) =>
    back === 9
      ? null
      : {
          metrics: {
            signups: { last24h: back === 0 ? 1 : wavering(20, back), total: 5_000, avg7d: 19.5 },
            clicks: { last24h: back === 0 ? 1 : wavering(20, back) },
            [ODD]: { last24h: 3 },
          },
        },
  );
  const follower = followerOn(ground);
  await follower.settle();
  await accept(
    ground,
    pulse({
      generatedAt: "2026-03-01T05:00:00Z",
      metrics: { signups: { last24h: 2, total: 5_001, avg7d: 19 }, clicks: { last24h: 1 } },
    }),
  );
  await follower.settle();
  await follower.stop();
  await ground.writer.write((tx) => {
    const day = dayNumber(LAST) - 1;
    for (const [metric, value] of [
      ["position", 8.4],
      ["clicks", 7],
    ] as const) {
      const series = addSeries(tx, { asset: "harbor", source: "search-console", metric }, day);
      putDays(tx, series, [{ day, to: { state: "provisional", basis: "reported", value, total: null } }]);
    }
    const at = formatInstant(startOfDay(addDays(LAST, -2)) + 58_800_000);
    const by = { name: "ci", now: ground.clock.now(), newId: ground.ids.uuid };
    appendAnnotation(tx, { asset: "harbor", at, kind: "deploy", ref: "v4.1.0" }, by);
  });
  site = await world({ ground });
});
afterAll(async () => {
  await site.stop();
  ground.store.close();
});

const metric = (search: string) => site.open(`/sites/harbor/metric?${search}`);
const days = async (search: string) => rowsOf(await metric(search), "By day, newest first").slice(1);

describe("the page of a metric", () => {
  test("shows the open flag, the changes around that date and what the sender said beside it", async () => {
    const text = textOf(await metric("metric=signups"));
    expect(text).toContain("Open flag");
    expect(text).toContain("Changes around that date");
    expect(text).toContain("Total 5,001. Sender's 7-day average 19 (diagnostic)");
    expect(text).toContain("28 Feb was 1 when first seen");
  });

  test("shows no flag of another source's metric of the same name", async () => {
    expect(textOf(await metric("metric=clicks"))).toContain("Open flag");
    expect(textOf(await metric("source=search-console&metric=clicks"))).not.toContain("Open flag");
  });

  test("opens for any name that a report may have; the address of before leads here", async () => {
    expect(await days(new URLSearchParams({ metric: ODD }).toString())).not.toEqual([]);
    const response = await site.ask("/sites/harbor?range=7&metric=signups");
    expect([response.status, response.headers.get("location")]).toEqual([
      303,
      "/sites/harbor/metric?range=7&metric=signups",
    ]);
    expect(textOf(await site.open("/sites/harbor/metric"))).toContain("The address names no metric.");
    expect(textOf(await metric("metric=__proto__"))).toContain("No metric of this name");
  });
});
