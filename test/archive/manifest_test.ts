/** The manifest and what is kept beside it. */

import { beforeEach, describe, expect, test } from "bun:test";
import fc from "fast-check";
import {
  findReport,
  latestOfTargets,
  type NewReport,
  recordReport,
  reportsOfObject,
  reportsOfRun,
} from "../../src/archive/manifest.ts";
import { ARCHIVE_NOTES, ARCHIVE_OUTCOMES, findDay, newestDate } from "../../src/archive/manifest_row.ts";
import { objectsNamed } from "../../src/archive/objects.ts";
import { knownFamily, listTargets } from "../../src/archive/plan.ts";
import { listManifest } from "../../src/archive/read_routes.ts";
import { endSkip, listSkips, noteSkip } from "../../src/archive/record_attempt.ts";
import { familiesOf } from "../../src/providers/report_families.ts";
import { HARBOR_PAGES, objectNumbered, reportOf } from "../support/archive.ts";
import { testGround } from "../support/deps.ts";
import { fresh } from "../support/fresh.ts";
import { differing, mend } from "../support/read_models.ts";

const ground = fresh(testGround);
beforeEach(async () => {
  for (let run = 1; run <= 3; run++) {
    ground.store.raw.run("INSERT INTO job_run (run, job, started_at) VALUES (?, 'analysis', 0)", [
      `run-${run}`,
    ]);
  }
});

const record = (changes: Partial<NewReport> = {}) =>
  ground.writer.write((tx) => recordReport(tx, reportOf(changes)));
const db = () => ground.store.db;
/** How the date that every report here is of stands, and how reports stand over all of their dates. */
const day = () => findDay(db(), 1, 20_770);
const standings = () => ground.store.raw.query("SELECT * FROM archive_standing").all();
const failed = { outcome: "failed", category: "access", failureCode: "property_denied" } as const;

describe("an attempt is one row", () => {
  test("it comes back as it went in", async () => {
    const report = reportOf({
      rangeFrom: 20_743,
      nextRetryAt: 1_795_000_300_000,
      notes: ["top_rows", "provisional"],
      requests: 7,
    });
    const { id } = await record(report);
    expect(findReport(db(), id)).toEqual({
      ...report,
      id,
      run: "run-1",
      target: expect.objectContaining(HARBOR_PAGES),
    } as never);
    expect(findReport(db(), id + 1)).toBeUndefined();
  });

  test("a write that is tried again makes no second row; another attempt, run or date does", async () => {
    const first = await record();
    expect(await record()).toEqual(first);
    await record({ attemptedAt: 1_795_000_000_001 });
    await record({ run: 2 });
    await record({ date: 20_771 });
    expect((await listManifest(db(), { limit: 9 })).rows.map(({ id }) => id)).toEqual([4, 3, 2, 1]);
    expect(reportsOfRun(db(), 1)).toEqual({ stored: 3 });
    expect(listTargets(db()).length).toBe(1);
  });

  test("an object has one row for as long as it lies as it lay, and the newest says how it lies now", async () => {
    await record();
    await record({ date: 20_771 });
    await record({ date: 20_772, object: objectNumbered(2) });
    const anew = objectNumbered(1, { storedBytes: 299 });
    await record({ date: 20_773, object: anew });
    expect([...objectsNamed(db())].map(({ id, storedBytes }) => [id, storedBytes])).toEqual([
      [2, 302],
      [3, 299],
    ]);
    expect(reportsOfObject(db(), anew.sha256).map(({ date }) => date)).toEqual([20_773, 20_771, 20_770]);
    const since = await listManifest(db(), { object: anew.sha256, from: 20_771, limit: 9 });
    expect(since.rows.map(({ date }) => date)).toEqual([20_773, 20_771]);
  });
});

describe("how a date stands", () => {
  test("a failure stands beside the report that is there, and a later report in its place", async () => {
    await record();
    await record({ ...failed, attemptedAt: 1_795_000_100_000 });
    expect(day()).toMatchObject({ latest: 2, good: 1, failing: 1 });
    expect([newestDate(db(), 1, 20_770), newestDate(db(), 1, 20_769)]).toEqual([20_770, undefined]);
    expect(standings()).toMatchObject([{ dates: 1, failing: 1, latest: 2, usable: 1 }]);
    await record({ outcome: "unchanged", attemptedAt: 1_795_000_200_000 });
    expect(day()).toMatchObject({ latest: 3, good: 3, failing: 0 });
    expect(standings()).toMatchObject([{ failing: 0, usable: 3 }]);
    expect(latestOfTargets(db(), "harbor.example")).toEqual(new Map([[1, 3]]));
    expect(latestOfTargets(db(), "kite.example")).toEqual(new Map());
  });

  test("a date that is not final yet has no report, and did not fail", async () => {
    await record({ outcome: "source_lag" });
    expect(day()).toMatchObject({ good: null, failing: 0 });
    expect(standings()).toMatchObject([{ failing: 0, usable: 1 }]);
  });

  test("dates of which nothing came are asked for anew, the newest first, whether they failed or are not final", async () => {
    await record({ ...failed, date: 20_760 });
    await record({ outcome: "source_lag", date: 20_769 });
    await record({ ...failed, date: 20_765 });
    const family = familiesOf("search-console").find(({ name }) => name === "page");
    const at = { today: 20_771, resumes: undefined };
    expect(family && knownFamily(db(), HARBOR_PAGES, family, at).unresolved).toEqual([
      20_769, 20_765, 20_760,
    ]);
  });

  test("a date that came over another connection of the property is asked for no more", async () => {
    for (const date of [20_760, 20_765]) await record({ ...failed, date });
    await record({ date: 20_765, target: { ...HARBOR_PAGES, connectionRevision: "another" } });
    const family = familiesOf("search-console").find(({ name }) => name === "page");
    const at = { today: 20_771, resumes: undefined };
    expect(family && knownFamily(db(), HARBOR_PAGES, family, at).unresolved).toEqual([20_760]);
  });

  test("the latest is what began last, however long it took; of two that began at once the failure stands", async () => {
    await record({ ...failed, attemptedAt: 1_795_000_100_000 });
    await record({ attemptedAt: 1_795_000_000_000, tookMs: 100_000 });
    expect(standings()).toMatchObject([{ dates: 1, failing: 1, latest: 1, usable: 2 }]);
    await record({ run: 2, attemptedAt: 1_795_000_100_000 });
    expect(day()).toMatchObject({ latest: 1, good: 3 });
    expect(standings()).toMatchObject([{ failing: 1, latest: 1, usable: 3 }]);
    await record({ attemptedAt: 1_795_000_100_001 });
    expect(standings()).toMatchObject([{ failing: 0, latest: 4, usable: 4 }]);
    await record({ run: 3, attemptedAt: 1_795_000_050_000, tookMs: 60_000 });
    expect(day()).toMatchObject({ latest: 4, good: 4 });
  });

  test("what began after a later row's attempt had ended is of a clock that ran ahead, and stands no more", async () => {
    await record({ attemptedAt: 1_795_000_000_000 });
    await record({ ...failed, attemptedAt: 1_795_000_300_000 });
    await record({ outcome: "unchanged", attemptedAt: 1_795_000_240_000 });
    expect(standings()).toMatchObject([{ dates: 1, failing: 0, latest: 3, usable: 3 }]);
    await record({ ...failed, attemptedAt: 1_795_000_250_000 });
    expect(standings()).toMatchObject([{ failing: 1, latest: 4, usable: 3 }]);
  });

  test("whatever was tried in whatever order, both read models are what the manifest says, and are made so again", async () => {
    const attempts = fc.array(
      fc.record({
        run: fc.integer({ min: 1, max: 3 }),
        date: fc.integer({ min: 20_770, max: 20_773 }),
        // A clock may be set back, by more than an attempt takes.
        attemptedAt: fc.integer({ min: 0, max: 10 }).map((step) => step * 300),
        outcome: fc.constantFrom(...ARCHIVE_OUTCOMES),
        notes: fc.subarray([...ARCHIVE_NOTES]),
        family: fc.constantFrom("page", "query"),
      }),
      { maxLength: 24 },
    );
    await fc.assert(
      fc.asyncProperty(attempts, fc.integer(), async (all, seed) => {
        const own = await testGround();
        await own.writer.write((tx) => {
          for (const { family, ...changes } of all) {
            recordReport(tx, reportOf({ ...changes, target: { ...HARBOR_PAGES, family } }));
          }
        });
        const differences = () => differing(own.store.db, "archive", "archive-standing");
        expect(differences()).toStrictEqual([]);
        const read = () => [
          own.store.raw.query("SELECT * FROM archive_day ORDER BY target, date").all(),
          own.store.raw.query("SELECT * FROM archive_standing ORDER BY target").all(),
        ];
        const before = read();
        const spoilt = ["latest = latest + 1", "good = NULL", "failing = 1 - failing"][Math.abs(seed) % 3];
        own.store.raw.run(`UPDATE archive_day SET ${spoilt} WHERE date % 2 = 0`);
        own.store.raw.run("DELETE FROM archive_day WHERE date % 5 = 0");
        own.store.raw.run("UPDATE archive_standing SET dates = dates + 1");
        own.store.raw.run("INSERT INTO archive_standing VALUES (99, 1, 0, 1, 1, NULL)");
        expect(differences().length).toBeGreaterThan(0);
        await own.writer.write((tx) => mend(tx, "archive", "archive-standing"));
        expect([differences(), read()]).toEqual([[], before]);
        own.store.close();
      }),
      { numRuns: 40 },
    );
  });
});

test("the manifest as a list: of a site with very many attempts each is found, however few the query takes", async () => {
  await record({ ...failed, object: null });
  await record({ run: 2, target: { ...HARBOR_PAGES, family: "query" } });
  const many = 20_000;
  ground.store.raw.run(
    `WITH RECURSIVE n(i) AS (SELECT 3 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
     INSERT INTO archive_report (run, target, date, attempted_at, took_ms, outcome, requests, complete, notes)
     SELECT 3, 1 + i % 2, 20000 + i * 7919 % 700, i, 1, 3, 1, 0, 0 FROM n`,
    [many],
  );
  const asset = "harbor.example";
  const { rows, next } = await listManifest(db(), { asset, limit: many });
  expect(rows.map(({ id }) => id)).toEqual(Array.from({ length: many }, (_, place) => many - place));
  expect(next === undefined || next === 1).toBe(true);
  const found = await listManifest(db(), { asset, outcome: "failed", limit: 9 });
  expect(found.rows.map(({ id }) => id)).toEqual([1]);
});

test("a report that is left out has no row of the manifest, and is told until it is asked for", async () => {
  const target = { ...HARBOR_PAGES, provider: "analytics", family: "js-errors" } as const;
  await ground.writer.write((tx) => noteSkip(tx, target, "parameter_unregistered", 5));
  await ground.writer.write((tx) => noteSkip(tx, target, "parameter_unregistered", 9));
  expect(listSkips(db())).toMatchObject([{ target, reason: "parameter_unregistered", seenAt: 9 }]);
  expect((await listManifest(db(), { limit: 9 })).rows).toStrictEqual([]);
  await ground.writer.write((tx) => endSkip(tx, target));
  expect(listSkips(db())).toStrictEqual([]);
});
