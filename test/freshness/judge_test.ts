import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { ensureAssets } from "../../src/assets/mod.ts";
import { findFlag, listFlags, listRecords } from "../../src/flags/mod.ts";
import { beat, judgeSites, sendOwnPulse } from "../../src/freshness/mod.ts";
import { formatInstant } from "../../src/lib/instant.ts";
import { findLatestPulse } from "../../src/pulse/mod.ts";
import { type TestGround, testGround } from "../support/deps.ts";
import { accept } from "../support/nightly.ts";
import { setLifecycle } from "../support/sites.ts";

const HOUR = 3_600_000;

let ground: TestGround;
beforeEach(async () => {
  ground = await testGround();
  await ground.writer.write((tx) => ensureAssets(tx, ["tower"], { actor: "test", now: 0 }));
});
afterEach(() => ground.store.close());

const config = { serviceAsset: "tower" };
const judge = (silentHoursOf: (asset: string) => number = () => 26) =>
  judgeSites({ ...ground, config, silentHoursOf });
const report = (asset = "harbor") => {
  const now = ground.clock.now();
  return accept(ground, { asset, generatedAt: formatInstant(now), metrics: {} }, now);
};
const stale = (status: "open" | "resolved" = "open") =>
  listFlags(ground.store.db, { asset: "tower", rule: "stale-ingest", status }, 50);

describe("silence", () => {
  test("after 26 hours without a report one error flag stands on the service's own asset, and only one", async () => {
    await report();
    ground.clock.advance(26 * HOUR - 1);
    await judge();
    expect(stale()).toEqual([]);
    ground.clock.advance(1);
    await judge();
    await judge();
    ground.clock.advance(HOUR);
    await judge();
    expect(stale()).toHaveLength(1);
    expect(stale()[0]).toMatchObject({
      severity: "error",
      kind: "anomaly",
      subject: "harbor",
      origin: "rule",
      rule_inputs: { silent_hours: 27, thresholds: { silent_hours: 26 } },
    });
  });

  test("a report resolves the flag; silence anew raises another", async () => {
    await report();
    ground.clock.advance(30 * HOUR);
    await judge();
    const [first] = stale();
    await report();
    await judge();
    expect(findFlag(ground.store.db, first?.id ?? "")).toMatchObject({
      status: "resolved",
      resolution: "reporting_again",
    });
    ground.clock.advance(26 * HOUR);
    await judge();
    expect(stale()).toHaveLength(1);
    expect(stale()[0]?.id).not.toBe(first?.id);
  });

  test("the message and inputs follow the clock, and each full hour appends its own reading", async () => {
    await report();
    for (const hours of [26, 1, 1]) {
      ground.clock.advance(hours * HOUR);
      await judge();
      ground.clock.advance(60_000);
      await judge();
      ground.clock.advance(-60_000);
    }
    const [flag] = stale();
    expect(flag?.message).toContain("for 28 hours");
    const readings = listRecords(ground.store.db, flag?.id ?? "", 50).filter(
      ({ type }) => type === "evidence",
    );
    expect(readings).toHaveLength(3);
  });

  test("silence counts by Tower's own clock: a report made long ago but received now is heard now", async () => {
    await accept(
      ground,
      { asset: "harbor", generatedAt: "2026-01-01T03:00:00Z", metrics: {} },
      ground.clock.now(),
    );
    ground.clock.advance(HOUR);
    await judge();
    expect(stale()).toEqual([]);
  });

  test("each silent site has its own flag, by its own threshold", async () => {
    await report("harbor");
    await report("orchard");
    ground.clock.advance(5 * HOUR);
    await judge((asset) => (asset === "orchard" ? 4 : 26));
    expect(stale().map(({ subject }) => subject)).toEqual(["orchard"]);
    ground.clock.advance(21 * HOUR);
    await judge((asset) => (asset === "orchard" ? 4 : 26));
    expect(
      stale()
        .map(({ subject }) => subject)
        .sort(),
    ).toEqual(["harbor", "orchard"]);
  });
});

describe("what is never judged", () => {
  test("a site that has not reported before", async () => {
    ground.clock.advance(1_000 * HOUR);
    await judge();
    expect(stale()).toEqual([]);
  });

  test("the service's own asset", async () => {
    await report("tower");
    ground.clock.advance(100 * HOUR);
    await judge();
    expect(stale()).toEqual([]);
  });

  test.each(["pre-launch", "retired"] as const)(
    "a %s site; one that becomes it has its flag resolved",
    async (lifecycle) => {
      await report("harbor");
      await report("orchard");
      await setLifecycle(ground.writer, "orchard", lifecycle);
      ground.clock.advance(30 * HOUR);
      await judge();
      expect(stale().map(({ subject }) => subject)).toEqual(["harbor"]);
      await setLifecycle(ground.writer, "harbor", lifecycle);
      await judge();
      expect(stale()).toEqual([]);
      expect(stale("resolved")).toHaveLength(1);
    },
  );
});

describe("Tower's own downtime", () => {
  test("is told in the message and the inputs of a flag whose silence it overlaps", async () => {
    await report();
    ground.clock.advance(10 * HOUR);
    await beat(ground.store, ground.writer, ground.clock.now());
    ground.clock.advance(9 * HOUR);
    await beat(ground.store, ground.writer, ground.clock.now());
    ground.clock.advance(8 * HOUR);
    await judge();
    const [flag] = stale();
    expect(flag?.message).toContain("Tower itself was down for 9 h of that time");
    expect(flag?.rule_inputs).toMatchObject({ tower_down_hours: 9 });
  });

  test("an ordinary restart of less than two minutes is none", async () => {
    await report();
    await beat(ground.store, ground.writer, ground.clock.now());
    ground.clock.advance(119_000);
    await beat(ground.store, ground.writer, ground.clock.now());
    ground.clock.advance(26 * HOUR);
    await judge();
    expect(stale()[0]?.message).not.toContain("Tower itself");
  });

  test("downtime before the last report does not count", async () => {
    await beat(ground.store, ground.writer, ground.clock.now());
    ground.clock.advance(20 * HOUR);
    await beat(ground.store, ground.writer, ground.clock.now());
    await report();
    ground.clock.advance(26 * HOUR);
    await judge();
    expect(stale()[0]?.message).not.toContain("Tower itself");
  });
});

test("the service's own nightly report holds the freshness of every other site as a metric", async () => {
  await report("harbor");
  await report("harbor");
  ground.clock.advance(30 * HOUR);
  await report("orchard");
  await sendOwnPulse({ ...ground, config });
  expect(findLatestPulse(ground.store.db, "tower", ground.clock.now())?.report.metrics).toEqual({
    "ingest.nightly_reports": { last24h: 1 },
    "ingest.sites_reporting": { last24h: 1 },
    "freshness.harbor": { last24h: 0 },
    "freshness.orchard": { last24h: 1 },
  });
});
