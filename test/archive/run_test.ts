/** The job `analysis` over real HTTP, from simulated providers into a directory of the test's own. */
import { afterEach, beforeEach, expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { verifyArchive } from "../../src/archive/mod.ts";
import { type Archived, archivedTower } from "../support/archive_run.ts";

let archived: Archived;
beforeEach(async () => {
  archived = await archivedTower();
});
afterEach(() => archived.close());

const HOUR = 3_600_000;

test("the previous four dates of every family, what is not final yet said so, and a property that is not set up left out", async () => {
  await archived.run("webmaster-tools");
  const report = await archived.run("analysis");
  expect([report.outcome, report.fault]).toEqual(["done", undefined]);
  const rows = archived.rows();
  const outcomes = Map.groupBy(rows, ({ report: name }) => name.split(" ")[0] ?? "");
  const told = Object.fromEntries(
    [...outcomes].map(([family, of]) => [family, of.map(({ outcome }) => outcome)]),
  );
  // It is Friday noon in California: of search console the day before yesterday is final.
  expect(told["page-query"]).toEqual(["source_lag", "source_lag", "stored", "stored"]);
  expect(told["pages-screens"]).toEqual(["stored", "stored", "stored", "stored"]);
  expect(told["events-28d"]).toEqual(["stored"]);
  expect(told["js-errors"]).toBeUndefined();
  expect(told["queries"]).toEqual(["stored"]);
  expect(report.reports).toMatchObject({ skipped: 4, source_lag: 20 });
  expect(rows.filter(({ fault }) => fault !== "")).toEqual([]);
  const [page] = rows.filter(({ report: name }) => name === "page 2026-11-17");
  expect(JSON.parse(archived.object(page?.object ?? "")).rows.length).toBe(page?.rows ?? -1);
  expect(readdirSync(join(archived.folder, "archive-spool"))).toEqual([]);
});

test("what is fetched again and says the same points at the object that is there; what came late is another", async () => {
  await archived.run("analysis");
  const first = new Map(archived.rows().map((row) => [row.report, row]));
  archived.clock.advance(24 * HOUR);
  const report = await archived.run("analysis");
  const again = archived.rows().filter(({ report: name }) => first.has(name));
  expect(report.reports["unchanged"]).toBeGreaterThan(0);
  for (const row of again) {
    if (row.outcome === "unchanged") expect(row.object).toBe(first.get(row.report)?.object ?? "");
    if (row.outcome === "stored") expect(row.object).not.toBe(first.get(row.report)?.object ?? "");
  }
  // A weekly report is not due again the next day.
  expect(again.map(({ report: name }) => name).filter((name) => /^(?:queries|pages) /.test(name))).toEqual(
    [],
  );
});

test("an object that another report brings again has the row of how it lies, whatever the newest row says of it", async () => {
  const { clock, run, rows, tower } = archived;
  const { store, objects } = tower.deps;
  await run("analysis");
  const before = new Set(rows().map(({ object }) => object));
  // The newest row of each says that it was packed into as many other bytes, which are not what lies there.
  store.raw.run(
    `INSERT INTO archive_object (sha256, bytes, stored_bytes, stored_sha256, content, rows, stored_at)
     SELECT sha256, bytes, stored_bytes, zeroblob(32), content, rows, stored_at FROM archive_object`,
  );
  // By then all of the latest four dates are others.
  clock.advance(5 * 24 * HOUR);
  await run("analysis");
  const shared = rows().filter(({ object }) => object !== null && before.has(object));
  const { wrong } = await verifyArchive(store.db, objects);
  const damaged = new Set(wrong.map(({ sha256 }) => sha256));
  expect(shared.length).toBeGreaterThan(0);
  expect(shared.filter(({ object }) => object !== null && damaged.has(object))).toEqual([]);
});
