import { afterEach, beforeEach, expect, test } from "bun:test";
import { migrateStore, type Store } from "../../src/db/mod.ts";
import {
  calibrationOf,
  countOutcomes,
  countSpreads,
  listSpreads,
  listVerdicts,
  sumTallies,
} from "../../src/flow/mod.ts";
import { addDays, type UtcDay } from "../../src/lib/utc_day.ts";
import { findBacklog, listMetricNames, readingDifferences } from "../../src/pulse/mod.ts";
import { judgedUpTo } from "../../src/pulse/waiting_store.ts";
import { testGround } from "../support/deps.ts";
import { landedDatabase } from "../support/landed.ts";
import { followerOn } from "../support/nightly.ts";

const LAST = "2026-02-28" as UtcDay;
/** Reports that the first release had judged, of those below. */
const JUDGED = 40;

const DISPERSION = { phi: 2.5, basis: "measured", ratio: 2.5, days: 40, leftOut: [] };
const QUIET = {
  outcome: "not_tested",
  reason: "too_few_events",
  dispersion: { ...DISPERSION, phi: 1, basis: "steady" },
};

let store: Store;
beforeEach(() => {
  store = landedDatabase();
  const run = (text: string, ...values: (string | number | null)[]) =>
    void store.raw.query(text).run(...values);
  for (const asset of ["harbor", "orchard"]) {
    run("INSERT INTO asset (id, lifecycle, added_at, added_by) VALUES (?, 'live', 0, 'test')", asset);
  }
  for (let id = 1; id <= JUDGED + 3; id++) {
    const asset = id > JUDGED + 1 ? "orchard" : "harbor";
    const date = asset === "harbor" ? addDays(LAST, id - JUDGED) : addDays(LAST, id - JUDGED - 3);
    const metrics = { signups: { last24h: id > JUDGED ? 0 : 20, total: id }, [`new.${id > JUDGED}`]: {} };
    const body = JSON.stringify({ asset, generatedAt: `${date}T03:00:00Z`, metrics });
    run(
      "INSERT INTO pulse (id, asset, date, revision, received_at, generated_at, body) VALUES (?, ?, ?, 1, ?, ?, ?)",
      id,
      asset,
      date,
      id,
      Date.parse(`${date}T03:00:00Z`),
      body,
    );
    if (id > JUDGED) continue;
    for (const [metric, { last24h = null, total = null }] of Object.entries<{
      last24h?: number;
      total?: number;
    }>(metrics)) {
      run(
        "INSERT INTO pulse_reading (asset, metric, date, pulse, last24h, avg7d, total) VALUES (?, ?, ?, ?, ?, NULL, ?)",
        asset,
        metric,
        date,
        id,
        last24h,
        total,
      );
    }
  }
  run("INSERT INTO service_state VALUES ('flow.judged_pulse', ?, 0), ('other', 'stays', 0)", String(JUDGED));
  run(`INSERT INTO flow_tally VALUES ('2026-02-27', 'harbor', 5, 1, 2, 0.1), ('2026-02-28', 'harbor', 6, 0, 1, 0.125),
    ('2026-02-28', 'orchard', 1, 3, 0, 0.03125)`);
  // Tested as the first release did it: its ratio held the noise of a mean of four, which today's does not.
  const tested = { outcome: "tested", negativeBinomial: {}, dispersion: DISPERSION };
  for (const [metric, flow] of [
    ["signups", tested],
    ["refunds", QUIET],
  ] as const) {
    const verdict = JSON.stringify({ flow, percentDrop: {} });
    run(
      "INSERT INTO flow_verdict (asset, metric, judged_at, date, verdict) VALUES ('harbor', ?, 7, ?, ?)",
      metric,
      LAST,
      verdict,
    );
  }
});
afterEach(() => store.close());

test("a filled database of the first release goes on at the report it had reached, and keeps what it counted", async () => {
  migrateStore(store);
  const { db } = store;
  expect(findBacklog(db)).toEqual({ reports: 3, since: JUDGED + 1 });
  expect(findBacklog(db, "orchard").reports).toBe(2);
  expect([judgedUpTo(db, "harbor"), judgedUpTo(db, "orchard")]).toEqual([JUDGED, JUDGED + 1]);
  expect(store.raw.query("SELECT name FROM service_state").all()).toEqual([{ name: "other" }]);
  expect([...readingDifferences(db)].filter((one) => one !== undefined)).toEqual([]);

  expect(sumTallies(db, "2026-02-28" as UtcDay)).toEqual({
    tests: 7,
    notTested: 3,
    raised: 1,
    expected: 0.15625,
  });
  expect(sumTallies(db, "2020-01-01" as UtcDay, "harbor")).toMatchObject({
    tests: 11,
    notTested: 1,
    raised: 3,
  });
  expect(calibrationOf(db, "2026-03-01" as UtcDay).noisiest).toMatchObject([{ asset: "harbor", raised: 3 }]);
  expect(countOutcomes(db, { except: "tower" })).toEqual({ tested: 1, notTested: 1 });
  expect(countSpreads(db, "")).toBe(2);
  expect(listSpreads(db, { q: "", limit: 9, offset: 0 })).toMatchObject([
    { metric: "signups", notTested: null, phi: 2, basis: "measured", days: 40 },
    { metric: "refunds", notTested: "too_few_events", phi: 1, basis: "steady", days: 40 },
  ]);
  expect(listVerdicts(db, "harbor")).toMatchObject([
    { source: "pulse", metric: "refunds", judgedAt: 7, verdict: { flow: QUIET } },
    { source: "pulse", metric: "signups", judgedAt: 7 },
  ]);
  expect(listMetricNames(db, "harbor")).toEqual(["new.false", "new.true", "signups"]);
  expect(listMetricNames(db, "orchard")).toEqual(["new.true", "signups"]);

  const ground = await testGround(store);
  const follower = followerOn(ground);
  await follower.settle();
  expect(follower.followed).toBe(3);
  expect(store.raw.query("SELECT asset, status FROM flag WHERE rule = 'flow-drop'").all()).toEqual([
    { asset: "harbor", status: "open" },
  ]);
  expect(
    store.raw.query("SELECT report FROM flow_tally WHERE report IS NOT NULL ORDER BY report").all(),
  ).toEqual([JUDGED + 1, JUDGED + 2, JUDGED + 3].map((report) => ({ report })));
});

test("a first release that had judged nothing begins with its first report", () => {
  store.raw.run("DELETE FROM service_state WHERE name = 'flow.judged_pulse'");
  migrateStore(store);
  expect(findBacklog(store.db).reports).toBe(JUDGED + 3);
});
