/** Nothing that a site sends stops the rules (decided: a metric that cannot be judged). */

import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { StorageUnavailable } from "../../src/base/storage_fault.ts";
import { addDays, type UtcDay } from "../../src/base/time.ts";
import { listFlags } from "../../src/flags/queries.ts";
import { retireFlags } from "../../src/flags/site_flags.ts";
import { listMonitoringFailures } from "../../src/health/monitoring.ts";
import { findBacklog } from "../../src/reports/pulse.ts";
import { FlowFollower } from "../../src/rules/rules.ts";
import { listVerdicts, sumTallies } from "../../src/rules/verdicts.ts";
import { changeAsset } from "../../src/sites/site_changes.ts";
import { instant } from "../support/clock.ts";
import { type TestGround, testGround, writerWith } from "../support/deps.ts";
import { accept, followerOn, listDaily, placeAll, sendNights } from "../support/nightly.ts";
import { differing, mend } from "../support/read_models.ts";
import { damageDays } from "../support/series.ts";
import { DEFAULT_FLOW_THRESHOLDS } from "../support/thresholds.ts";
import { until } from "../support/until.ts";

const LAST = "2026-02-28" as UtcDay;
const HUGE = Number.MAX_SAFE_INTEGER;

let ground: TestGround;
let follower: FlowFollower;
beforeEach(async () => {
  ground = await testGround();
  follower = followerOn(ground);
});
afterEach(async () => {
  await follower.stop();
  ground.store.close();
});

const following = (change: Partial<ConstructorParameters<typeof FlowFollower>[0]>) =>
  new FlowFollower({
    ...ground,
    thresholdsOf: () => DEFAULT_FLOW_THRESHOLDS,
    isJudgedElsewhere: () => false,
    ...change,
  });
const failures = () =>
  listMonitoringFailures(ground.store.db).map(({ kind, asset, source, subject, reason }) => ({
    of: `${kind} ${asset} ${source} ${subject}`,
    reason,
  }));
const outcomes = (asset: string) =>
  Object.fromEntries(
    listVerdicts(ground.store.db, asset).map(({ metric, verdict: { flow } }) => [
      metric,
      flow.outcome === "tested" ? "tested" : flow.reason,
    ]),
  );
const night = (asset: string, after: number, metrics: Record<string, number>) => {
  const generatedAt = `${addDays(LAST, after)}T03:00:00Z`;
  if (instant(generatedAt) > ground.clock.now()) ground.clock.at(generatedAt);
  return accept(ground, {
    asset,
    generatedAt,
    metrics: Object.fromEntries(Object.entries(metrics).map(([name, last24h]) => [name, { last24h }])),
  });
};

/** Forty days of both sites; one metric of harbor needs several days to be tested, and the last ones hold the largest count there is. */
async function history(): Promise<void> {
  for (const asset of ["harbor", "orchard"]) {
    await sendNights(ground, asset, { last: LAST, days: 40 }, (back) => ({
      metrics: {
        bomb: { last24h: asset === "orchard" ? 20 : back < 3 ? HUGE : 1 },
        signups: { last24h: 20 },
      },
    }));
  }
  await placeAll(ground);
}

describe("a metric that cannot be judged", () => {
  test("whose stored days are damaged says so, stops nothing else, is left out of a chart, and is judged again once they are made anew", async () => {
    await history();
    const { db } = ground.store;
    damageDays(ground.store, { asset: "orchard", source: "pulse", metric: "bomb" }, 5);
    await night("orchard", 1, { bomb: 20, signups: 0 });
    await follower.settle();
    await night("orchard", 2, { bomb: 20, signups: 0 });
    await follower.settle();
    expect(outcomes("orchard")).toEqual({ bomb: "failed", signups: "tested" });
    expect(failures()).toMatchSnapshot();
    expect(listDaily(db, "orchard", "bomb").filter(({ date }) => date > addDays(LAST, -9))).toStrictEqual([]);
    expect(differing(db, "readings").length).toBeGreaterThan(0);
    await ground.writer.write((tx) => mend(tx, "readings"));
    expect(differing(db, "readings")).toStrictEqual([]);
    await night("orchard", 5, { bomb: 20, signups: 0 });
    await follower.settle();
    expect(outcomes("orchard")).toEqual({ bomb: "tested", signups: "tested" });
    expect(failures()).toStrictEqual([]);
  });

  test("is not tested: failed; the report's other metrics, later reports and other sites are judged", async () => {
    await history();
    await night("harbor", 1, { bomb: HUGE, signups: 0 });
    await night("orchard", 1, { bomb: 20, signups: 0 });
    await night("harbor", 2, { bomb: HUGE, signups: 20 });
    await follower.settle();
    expect(outcomes("harbor")).toEqual({ bomb: "failed", signups: "tested" });
    expect(outcomes("orchard")).toEqual({ bomb: "tested", signups: "tested" });
    const flags = listFlags(ground.store.db, {}, 50).map(
      ({ asset, rule, metric }) => `${asset} ${rule} ${metric}`,
    );
    expect(flags.sort()).toEqual(["harbor flow-drop signups", "orchard flow-drop signups"]);
    expect(findBacklog(ground.store.db).reports).toBe(0);
    expect(failures().map(({ of }) => of)).toEqual(["rule harbor pulse bomb"]);
  });

  test("and that the site no longer sends is not waited for, while an older day says nothing of that", async () => {
    await history();
    await night("harbor", 1, { bomb: HUGE, signups: 20 });
    await night("harbor", -50, { signups: 20 });
    await follower.settle();
    expect(failures()).toHaveLength(1);
    await night("harbor", 2, { signups: 20 });
    await follower.settle();
    expect(failures()).toStrictEqual([]);
  });
});

describe("a report that cannot be judged", () => {
  /** A stored report that no program can read. */
  function corrupt(): void {
    ground.store.raw.run(
      `INSERT INTO pulse (asset, date, revision, received_at, generated_at) VALUES ('harbor', '${addDays(LAST, 1)}', 1, 0, 0)`,
    );
    ground.store.raw.run(
      `INSERT INTO pulse_body (id, asset, body) VALUES (last_insert_rowid(), 'harbor', '{"metrics":')`,
    );
    ground.store.raw.run("INSERT INTO pulse_waiting (pulse, asset) VALUES (last_insert_rowid(), 'harbor')");
  }

  test("is tried, left out and noted; the reports after it are judged, and the next one ends the failure", async () => {
    await history();
    corrupt();
    await night("orchard", 1, { signups: 20 });
    await follower.settle();
    expect(outcomes("orchard")["signups"]).toBe("tested");
    expect(failures()).toMatchSnapshot();
    expect(findBacklog(ground.store.db).reports).toBe(0);
    await night("harbor", 2, { signups: 20 });
    await follower.settle();
    expect(failures()).toStrictEqual([]);
  });

  test("is tried three times: one that can be judged by then is not left out", async () => {
    await history();
    await night("harbor", 1, { signups: 0 });
    for (const [failing, left] of [
      [2, []],
      [3, ["rule harbor pulse "]],
    ] as const) {
      let failed = 0;
      const write: typeof ground.writer.write = (job) =>
        failed++ < failing ? Promise.reject(new Error("cannot be judged")) : ground.writer.write(job);
      const flaky = following({ writer: writerWith(ground.writer, { write }) });
      await flaky.settle();
      await flaky.stop();
      expect(failures().map(({ of }) => of)).toEqual([...left]);
      expect(findBacklog(ground.store.db).reports).toBe(0);
      await night("harbor", 2, { signups: 0 });
    }
  });
});

test("storage that fails is waited for: nothing is left out, the wait ends with a stop, and the next start judges all", async () => {
  await history();
  await night("harbor", 1, { signups: 0 });
  const write = () => Promise.reject(new StorageUnavailable("the disk is full"));
  const full = following({ writer: writerWith(ground.writer, { write }) });
  full.kick();
  await until(
    async () => full.restingSince,
    (since) => since !== undefined,
  );
  expect(full.restingSince).toBe(ground.clock.now());
  expect(findBacklog(ground.store.db).reports).toBe(1);
  await full.stop();
  expect(failures()).toStrictEqual([]);
  await follower.settle();
  expect(listFlags(ground.store.db, { asset: "harbor" }, 5)).toHaveLength(1);
});

describe("a retired site", () => {
  beforeEach(async () => {
    await history();
    await night("harbor", 1, { bomb: HUGE, signups: 20 });
    await follower.settle();
    expect(failures()).toHaveLength(1);
  });

  test("is not judged: its readings are put in place, no flag is raised, and what failed before is no failure any more", async () => {
    const onRetired = () => undefined;
    await changeAsset(
      ground.writer,
      "harbor",
      { lifecycle: "retired" },
      { actor: "test", now: 0, onRetired },
    );
    await night("harbor", 2, { bomb: HUGE, signups: 0 });
    await follower.settle();
    expect(listFlags(ground.store.db, { asset: "harbor" }, 5)).toStrictEqual([]);
    expect(listVerdicts(ground.store.db, "harbor").map(({ date }) => date)).toEqual([
      addDays(LAST, 1),
      addDays(LAST, 1),
    ]);
    expect(listDaily(ground.store.db, "harbor", "signups").at(-1)?.date).toBe(addDays(LAST, 2));
    expect(differing(ground.store.db, "readings")).toStrictEqual([]);
    expect(failures()).toStrictEqual([]);
  });

  test("ends what could not be judged of it at once", async () => {
    await ground.writer.write((tx) =>
      retireFlags(tx, { asset: "harbor", serviceAsset: "tower", now: 0, actor: "test" }),
    );
    expect(failures()).toStrictEqual([]);
  });
});

describe("sites take turns", () => {
  test("one site's flood does not delay another's flags: its only report is judged in the first round", async () => {
    await sendNights(ground, "orchard", { last: LAST, days: 40 }, () => ({
      metrics: { signups: { last24h: 20 } },
    }));
    await placeAll(ground);
    for (let revision = 0; revision < 500; revision++) await night("harbor", 1, { noise: revision });
    await night("orchard", 1, { signups: 0 });
    const judgedAt: string[] = [];
    const watched = following({
      thresholdsOf: (asset) => {
        judgedAt.push(asset);
        return DEFAULT_FLOW_THRESHOLDS;
      },
    });
    await watched.settle();
    expect(judgedAt.indexOf("orchard")).toBeLessThan(2);
    expect(judgedAt).toHaveLength(501);
    expect(listFlags(ground.store.db, { asset: "orchard" }, 5)).toHaveLength(1);
    const { tests, notTested } = sumTallies(ground.store.db, "2020-01-01" as UtcDay);
    expect(tests + notTested).toBe(501);
  });

  test("a report that comes while a flood is worked off is judged in the next round", async () => {
    for (let revision = 0; revision < 30; revision++) await night("harbor", 1, { noise: revision });
    const judged: string[] = [];
    let late: Promise<unknown> | undefined;
    const watched = following({
      thresholdsOf: (asset) => {
        judged.push(asset);
        if (judged.length === 10) late = night("orchard", 1, { signups: 1 });
        return DEFAULT_FLOW_THRESHOLDS;
      },
    });
    await watched.settle();
    await late;
    expect(judged.indexOf("orchard")).toBeLessThanOrEqual(12);
  });
});
