/** Of an archive that grows for years nothing is put in order or read whole for the first few rows. */

import { expect, test } from "bun:test";
import { recordReport, reportsOfObject } from "../../src/archive/manifest.ts";
import { listManifest } from "../../src/archive/read_routes.ts";
import { siteInsights } from "../../src/archive/site_insights.ts";
import type { Db, Tx } from "../../src/store/store.ts";
import { HARBOR_PAGES, objectNumbered, reportOf } from "../support/archive.ts";
import { testStore } from "../support/database.ts";
import { plansIn } from "../support/plans.ts";

const object = objectNumbered(1).sha256;
const asset = HARBOR_PAGES.asset;

for (const [what, run] of [
  ["the attempts of an object", (db: Db) => reportsOfObject(db, object, 5)],
  ["the attempts of an object as a list", (db: Db) => listManifest(db, { object, limit: 5 })],
  ["the newest attempts", (db: Db) => listManifest(db, { limit: 5 })],
  ["the attempts of a site", (db: Db) => listManifest(db, { asset, limit: 5 })],
] as const) {
  test(`${what} are read in their order, from an index`, () => {
    using store = opened();
    const plan = plansIn(store, run);
    expect(
      plan.filter((step) => /TEMP B-TREE FOR ORDER BY|SCAN (?:r|archive_\w+)$/.test(step)),
    ).toStrictEqual([]);
  });
}

test("since when a report fails is looked for among the dates since its last usable one", () => {
  using store = opened();
  recordReport(
    store.main as Tx,
    reportOf({ date: 20_771, attemptedAt: 1_795_100_000_000, outcome: "failed", category: "access" }),
  );
  const plan = plansIn(store, (db) => siteInsights(db, asset, 1_795_200_000_000));
  expect(plan.filter((step) => step.endsWith("archive_report_of_target (target=?)"))).toStrictEqual([]);
});

function opened() {
  const store = testStore();
  recordReport(store.main as Tx, reportOf());
  return Object.assign(store, { [Symbol.dispose]: () => store.close() });
}
