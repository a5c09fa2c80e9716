import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { UtcDay } from "../../../src/base/time.ts";
import { pause, resume } from "../../../src/health/pauses.ts";
import { sendOwnPulse } from "../../../src/rules/freshness.ts";
import { ensureAssets } from "../../../src/sites/site_changes.ts";
import type { Tx } from "../../../src/store/store.ts";
import { type NightlyContext, readNightly } from "../../../src/tower/site/ingest.tsx";
import { laneKey } from "../../../src/tower/site/lanes.ts";
import type { Lane } from "../../../src/tower/site/site_days.tsx";
import { readTests } from "../../../src/tower/site/verdict.tsx";
import { type TestGround, testGround } from "../../support/deps.ts";
import { accept, declare, followerOn, sendNights } from "../../support/nightly.ts";

const LAST = "2026-03-01" as UtcDay;

let ground: TestGround;
let context: NightlyContext;

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
  context = {
    db: ground.store.db,
    now: ground.clock.now(),
    serviceAsset: "tower",
    silentHoursOf: () => 26,
  };
});
afterAll(() => ground.store.close());

const read = (asset = "harbor") => readNightly(context, asset);

describe("the summary", () => {
  test("names the missed night, and the family that was declared but is missing", () => {
    const { missed, families, latest } = read().summary;
    expect(missed).toEqual({ missed: 1, of: 7 });
    expect(families.filter(({ state }) => state === "missing").map(({ family }) => family)).toEqual([
      "uploads",
    ]);
    expect(latest).toMatchObject({ date: LAST, revision: 1 });
  });

  test("a site without any report has none, and nothing is missing from it", () => {
    expect(read("ghost")).toMatchObject({ figures: {}, summary: { latest: undefined, families: [] } });
  });
});

describe("the service's own asset", () => {
  test("shows the ingest freshness of every other site, the silent ones first", () => {
    const { service } = read("tower");
    expect(service?.sites.map(({ asset, state }) => [asset, state])).toEqual([
      ["orchard", "silent"],
      ["ghost", "never_reported"],
      ["harbor", "reporting"],
    ]);
    expect(read().service).toBeNull();
  });

  test("a site that is paused is not said to be silent there", () => {
    const { store, clock } = ground;
    const by = { actor: "operator:ada", now: clock.now() };
    const tx = store.main as Tx;
    pause(tx, { capability: "", asset: "orchard", until: null }, by);
    expect(read("tower").service).toMatchObject({ counts: { silent: 0, paused: 1, reporting: 1 } });
    resume(tx, { capability: "", asset: "orchard" }, by);
  });

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
