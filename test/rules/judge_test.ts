import { beforeEach, describe, expect, test } from "bun:test";
import { formatInstant } from "../../src/base/time.ts";
import { findFlag, listFlags } from "../../src/flags/queries.ts";
import { readHistory } from "../../src/flags/store.ts";
import { flushRefusals, loadRefusals } from "../../src/health/refusals.ts";
import { findLatestPulse } from "../../src/reports/pulse.ts";
import { beat, judgeSites, sendOwnPulse } from "../../src/rules/freshness.ts";
import { addAsset, changeAsset, ensureAssets } from "../../src/sites/site_changes.ts";
import { testGround } from "../support/deps.ts";
import { fresh } from "../support/fresh.ts";
import { accept } from "../support/nightly.ts";
import { setLifecycle } from "../support/sites.ts";

const HOUR = 3_600_000;

const ground = fresh(testGround);
beforeEach(async () => {
  await ground.writer.write((tx) => ensureAssets(tx, ["tower"], { actor: "test", now: 0 }));
});

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

  test.each([
    [26, "for 26 hours, last on 1 Mar 12:00 UTC"],
    [1, "for 1 hour, last on 1 Mar 12:00 UTC"],
    [0.5, "since 1 Mar 12:00 UTC"],
    [71.9, "for 71 hours, last on 1 Mar 12:00 UTC"],
    [24 * 3_000, "for 3,000 days, last on 1 Mar 2026 12:00 UTC"],
  ])("a silence of %d hours is said as people write it", async (hours, words) => {
    await report();
    ground.clock.advance(hours * HOUR);
    await judge(() => Math.min(hours, 26));
    expect(stale()[0]?.message).toBe(`No report from harbor ${words}`);
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

  test("a gap of two minutes is one", async () => {
    await report();
    await beat(ground.store, ground.writer, ground.clock.now());
    ground.clock.advance(120_000);
    await beat(ground.store, ground.writer, ground.clock.now());
    ground.clock.advance(26 * HOUR);
    await judge();
    expect(stale()[0]?.message).toContain("Tower itself was down for less than an hour of that time");
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
  // The second one does not count the first.
  for (let times = 0; times < 2; times++) await sendOwnPulse({ ...ground, config });
  expect(findLatestPulse(ground.store.db, "tower", ground.clock.now())?.report.metrics).toEqual({
    "ingest.nightly_reports": { last24h: 1 },
    "ingest.sites_reporting": { last24h: 1 },
    "freshness.harbor": { last24h: 0 },
    "freshness.orchard": { last24h: 1 },
  });
});

describe("why a flag is over, and from when silence counts (decisions 5, Lifecycle)", () => {
  const resolution = () => stale("resolved").map((row) => row.resolution);
  const silentFor30Hours = async () => {
    await report();
    ground.clock.advance(30 * HOUR);
    await judge();
    expect(stale()).toHaveLength(1);
  };

  test.each([
    ["retired", "retired"],
    ["pre-launch", "not_live"],
  ] as const)(
    "a site that becomes %s does not report again and is not judged: %s",
    async (lifecycle, because) => {
      await silentFor30Hours();
      await setLifecycle(ground.writer, "harbor", lifecycle);
      await judge();
      await judge();
      expect([stale(), resolution()]).toEqual([[], [because]]);
    },
  );

  test("a site that was not live between two looks went live: no threshold was changed", async () => {
    await silentFor30Hours();
    await setLifecycle(ground.writer, "harbor", "pre-launch");
    await setLifecycle(ground.writer, "harbor", "live", ground.clock.now());
    await judge();
    expect(resolution()).toEqual(["went_live"]);
    ground.clock.advance(30 * HOUR);
    await judge();
    await judge(() => 48);
    expect(resolution()).toEqual(["threshold_changed", "went_live"]);
  });

  test("silence that was told under a clock that ran ahead is neither a report nor a threshold", async () => {
    await report();
    ground.clock.advance(400 * 24 * HOUR);
    await judge();
    expect(stale()).toHaveLength(1);
    ground.clock.advance(-399 * 24 * HOUR);
    await judge();
    expect(resolution()).toEqual(["clock_set_back"]);
  });

  test("a report under a longer silent_hours is a report", async () => {
    await silentFor30Hours();
    await report();
    await judge(() => 48);
    expect(resolution()).toEqual(["reporting_again"]);
  });

  test("a site that goes live is not silent for its test reports: it has its hours from then", async () => {
    await setLifecycle(ground.writer, "harbor", "pre-launch");
    await report();
    ground.clock.advance(90 * 24 * HOUR);
    await setLifecycle(ground.writer, "harbor", "live", ground.clock.now());
    await judge();
    ground.clock.advance(26 * HOUR - 1);
    await judge();
    expect(stale()).toEqual([]);
    ground.clock.advance(1);
    await judge();
    expect(stale()[0]).toMatchObject({
      message: "No report from harbor in 26 hours since it went live, last on 1 Mar 12:00 UTC",
      rule_inputs: { live_since: "2026-05-30T12:00:00.000Z", silent_hours: 26 },
    });
  });

  test("a report after going live counts from itself", async () => {
    await report();
    await setLifecycle(ground.writer, "harbor", "pre-launch");
    await setLifecycle(ground.writer, "harbor", "live", ground.clock.now());
    ground.clock.advance(HOUR);
    await report();
    ground.clock.advance(26 * HOUR - 1);
    await judge();
    expect(stale()).toEqual([]);
    ground.clock.advance(1);
    await judge();
    expect(stale()[0]?.rule_inputs).not.toHaveProperty("live_since");
  });

  test("changing something else of a live site does not begin its silence anew", async () => {
    await report();
    ground.clock.advance(20 * HOUR);
    const by = { actor: "operator:ada", now: ground.clock.now(), onRetired: () => undefined };
    await changeAsset(ground.writer, "harbor", { url: "https://harbor.example" }, by);
    await addAsset(ground.writer, { id: "harbor", url: null, lifecycle: "live", families: [] }, by);
    ground.clock.advance(6 * HOUR);
    await judge();
    expect(stale()).toHaveLength(1);
  });
});

describe("reports that were refused", () => {
  const refuse = (count: number, pointer = "/metrics/orders/last24h") => {
    const at = ground.clock.now();
    const faults = [{ pointer, rule: "count", message: "must be a whole number" }];
    const kind = {
      asset: "harbor",
      route: "/api/pulse",
      status: 422,
      code: "broken-contract",
      faults,
      more: 0,
    };
    const book = loadRefusals(ground.store.db);
    for (let i = 0; i < count; i++) book.note({ ...kind, at });
    return flushRefusals(ground.writer, book, "default");
  };
  const evidence = () =>
    readHistory(ground.store.db, stale()[0]?.id ?? "", 50).record.filter(({ type }) => type === "evidence")
      .length;

  test("are told by the flag: such a site does not merely look silent", async () => {
    await report();
    ground.clock.advance(26 * HOUR);
    await refuse(7);
    await judge();
    expect(stale()[0]).toMatchObject({
      message: expect.stringContaining("; 7 reports refused since"),
      rule_inputs: { refused: { count: 7, latest: "422 /metrics/orders/last24h" } },
    });
  });

  test("a flood of them adds one reading an hour, and another reason one at once", async () => {
    await report();
    ground.clock.advance(26 * HOUR);
    for (let minute = 0; minute < 5; minute++) {
      await refuse(1);
      await judge();
      ground.clock.advance(60_000);
    }
    expect(evidence()).toBe(1);
    await refuse(1, "/metrics/visits/last24h");
    await judge();
    expect(evidence()).toBe(2);
    ground.clock.advance(HOUR);
    await judge();
    expect(evidence()).toBe(3);
    expect(stale()[0]?.message).toContain("; 6 reports refused since");
  });
});

describe("while Tower runs", () => {
  test("a suspended computer is downtime: a gap between two beats counts like one before a start", async () => {
    await report();
    await beat(ground.store, ground.writer, ground.clock.now());
    ground.clock.advance(144 * HOUR);
    await beat(ground.store, ground.writer, ground.clock.now());
    ground.clock.advance(60_000);
    await beat(ground.store, ground.writer, ground.clock.now());
    ground.clock.advance(71 * HOUR);
    await beat(ground.store, ground.writer, ground.clock.now());
    await judge();
    expect(stale()[0]?.rule_inputs).toMatchObject({ silent_hours: 215, tower_down_hours: 215 });
  });
});
