import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { UtcDay } from "../../../src/base/time.ts";
import { sendOwnPulse } from "../../../src/rules/freshness.ts";
import { ensureAssets } from "../../../src/sites/site_changes.ts";
import { findAsset } from "../../../src/sites/sites.ts";
import { laneKey } from "../../../src/tower/site/lanes.ts";
import { readNightly } from "../../../src/tower/site/latest_nightly.tsx";
import type { Lane } from "../../../src/tower/site/site_days.tsx";
import { readTests } from "../../../src/tower/site/verdict.tsx";
import { type TestGround, testGround } from "../../support/deps.ts";
import { accept, declare, followerOn, sendNights } from "../../support/nightly.ts";

const LAST = "2026-03-01" as UtcDay;

let ground: TestGround;

beforeAll(async () => {
  ground = await testGround();
  await ground.writer.write((tx) => ensureAssets(tx, ["tower", "ghost"], { actor: "test", now: 0 }));
  await declare(ground.writer, "harbor", ["signups", "uploads"]);
  await sendNights(ground, "harbor", { last: LAST, days: 45 }, (back) =>
    back === 3
      ? null
      : {
          metrics: {
            ...Object.fromEntries(
              Array.from({ length: 12 }, (_, index) => [
                `many.${String(index).padStart(2, "0")}`,
                { last24h: 1 },
              ]),
            ),
            signups: { last24h: back === 0 ? 0 : 20, avg7d: 19.5, total: 5_000 },
            ...(back > 20 ? { retired: { last24h: 4 } } : {}),
          },
        },
  );
  const follower = followerOn(ground);
  await follower.settle();
  await accept(ground, { asset: "orchard", generatedAt: "2026-02-20T03:00:00Z", metrics: {} });
  await sendOwnPulse({ ...ground, config: { serviceAsset: "tower" } });
  await follower.settle();
  await follower.stop();
});
afterAll(() => ground.store.close());

const read = (asset = "harbor") => {
  const { db } = ground.store;
  const site = findAsset(db, asset);
  if (site === undefined) throw new Error("no such site");
  return readNightly(db, site, ground.clock.now());
};

describe("the summary", () => {
  test("names the missed night, and the family that was declared but is missing", () => {
    const { missed, missing, latest } = read().summary;
    expect(missed).toEqual({ missed: 1, of: 7 });
    expect(missing).toEqual(["uploads"]);
    expect(latest).toMatchObject({ date: LAST, revision: 1 });
  });

  test("a site without any report has none, and nothing is missing from it", () => {
    expect(read("ghost")).toMatchObject({ figures: {}, summary: { latest: undefined, missing: [] } });
  });
});

describe("the service's own asset", () => {
  test("says of each freshness metric that stale-ingest judges it", () => {
    const { figures } = read("tower");
    const lanes = Object.keys(figures)
      .filter((name) => name.startsWith("freshness."))
      .map((metric) => ({ key: laneKey("pulse", metric), half: "pulse", metric }) as Lane);
    const tests = readTests(
      ground.store.db,
      {
        asset: "tower",
        offset: 0,
        groups: [{ half: "pulse", lanes, finalTo: undefined, standing: undefined }],
      },
      { figures, isService: true },
    );
    expect([...tests.values()].map(({ words }) => words.words)).toEqual(
      Array(2).fill("Not tested: stale-ingest judges this metric."),
    );
  });
});
