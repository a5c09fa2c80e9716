/** At most 1,000 names of metrics a site that had a reading in the last 400 days. */

import { describe, expect, test } from "bun:test";
import { Problem } from "../../src/base/problem.ts";
import { addDays, dayNumber, type UtcDay } from "../../src/base/time.ts";
import { acceptPulse, MAX_NAMES } from "../../src/reports/pulse_routes.ts";
import { addSeries, listAllSeries } from "../../src/reports/series.ts";
import { testGround } from "../support/deps.ts";
import { fresh } from "../support/fresh.ts";

const ground = fresh(testGround);

const TODAY = "2026-03-01" as UtcDay;
const names = (from: number, size: number) => Array.from({ length: size }, (_, at) => `m${from + at}`);

/** Accepts a report with these metrics under the bound; the refusal, if there is one. */
async function send(
  metrics: readonly string[],
  { date = TODAY, asset = "harbor", most = MAX_NAMES, figures = { last24h: 1 } as object } = {},
): Promise<Problem | undefined> {
  const report = {
    asset,
    generatedAt: `${date}T02:00:00Z`,
    metrics: Object.fromEntries(metrics.map((name) => [name, figures])),
  };
  const refusal = await ground.writer
    .write((tx) => {
      const receivedAt = ground.clock.now();
      acceptPulse(tx, {
        report,
        body: JSON.stringify(report),
        receivedAt,
        newId: ground.ids.uuid,
        mostNames: most,
      });
    })
    .catch((error: unknown) => error);
  if (refusal !== undefined && !(refusal instanceof Problem)) throw refusal;
  return refusal;
}

async function fill(size = MAX_NAMES, date = TODAY): Promise<void> {
  for (let from = 0; from < size; from += 200) {
    expect(await send(names(from, Math.min(200, size - from)), { date })).toBeUndefined();
  }
}

const stored = () => ground.store.raw.query<{ n: number }, []>("SELECT count(*) AS n FROM pulse").get()?.n;

describe("names of a site's metrics", () => {
  test("1,000 are held, whether their reports are judged yet or not; one more is refused, and nothing of its report stored", async () => {
    // What a provider tells under the name is none that the site sent.
    const told = { asset: "harbor", source: "search-console", metric: "one.more" } as const;
    await ground.writer.write((tx) => addSeries(tx, told, dayNumber(TODAY)));
    await fill();
    const before = stored();
    const refusal = await send(["one.more"]);
    expect(refusal).toMatchSnapshot();
    expect(stored()).toBe(before);
    expect(listAllSeries(ground.store.db, "harbor")).not.toContainEqual(
      expect.objectContaining({ source: "pulse", metric: "one.more" }),
    );
    expect(await send(["one.more"], { asset: "orchard" })).toBeUndefined();
  });

  test("a name without any value is none that is held", async () => {
    expect(await send(["hollow"], { figures: {} })).toBeUndefined();
    await fill();
    expect((await send(["valued"], { figures: { total: 0 } }))?.status).toBe(422);
  });

  test("names that are held may go on, also beside a name that is refused by itself", async () => {
    await fill();
    expect(await send(names(300, 200))).toBeUndefined();
    expect((await send([...names(0, 3), "one.more"]))?.status).toBe(422);
    expect(await send(names(0, 3), { date: addDays(TODAY, -30) })).toBeUndefined();
  });

  test("a name counts for 400 days after its last reading, and then no more", async () => {
    await fill();
    ground.clock.at(`${addDays(TODAY, 400)}T12:00:00Z`);
    expect((await send(["one.more", ...names(0, 2)], { date: addDays(TODAY, 400) }))?.errors).toMatchObject([
      { message: expect.stringContaining("with this report they are 1001") },
    ]);
    ground.clock.at(`${addDays(TODAY, 401)}T12:00:00Z`);
    expect(await send(["one.more"], { date: addDays(TODAY, 401) })).toBeUndefined();
    expect(await send(names(1, 200), { date: addDays(TODAY, 401) })).toBeUndefined();
  });

  test("a name that is still sent goes on counting", async () => {
    await fill();
    for (let after = 30; after <= 390; after += 30) {
      ground.clock.at(`${addDays(TODAY, after)}T12:00:00Z`);
      await fill(MAX_NAMES, addDays(TODAY, after));
    }
    ground.clock.at(`${addDays(TODAY, 500)}T12:00:00Z`);
    expect((await send(["one.more"], { date: addDays(TODAY, 500) }))?.status).toBe(422);
  });

  test("years that are sent in after the fact count on their own day", async () => {
    await fill(MAX_NAMES, addDays(TODAY, -401));
    expect(await send(["one.more"])).toBeUndefined();
    expect(await send(["long.ago"], { date: addDays(TODAY, -900) })).toBeUndefined();
  });

  test("the same names night after night cost one look, and a write a week", async () => {
    const changes = () =>
      ground.store.raw.query<{ n: number }, []>("SELECT total_changes() AS n").get()?.n ?? 0;
    const written: number[] = [];
    for (let after = 0; after < 16; after++) {
      ground.clock.at(`${addDays(TODAY, after)}T12:00:00Z`);
      const before = changes();
      await send(names(0, 50), { date: addDays(TODAY, after) });
      written.push(changes() - before);
    }
    expect(written.filter((rows) => rows >= 50)).toHaveLength(2);
  });
});
