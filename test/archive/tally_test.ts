/** The counts that a page of the archive is made of are those of its days. */

import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import {
  isTriedBefore,
  listTally,
  listTallyOf,
  type NewReport,
  recordReport,
} from "../../src/archive/manifest.ts";
import { ARCHIVE_OUTCOMES } from "../../src/archive/manifest_row.ts";
import type { Store, Tx } from "../../src/store/store.ts";
import { HARBOR_PAGES, reportOf } from "../support/archive.ts";
import { testStore } from "../support/database.ts";
import { differing, mend } from "../support/read_models.ts";

/** By hand: of each site's attempts at a report of a date the newest counts, over whichever connection it was. */
const COUNTED = `
  WITH newest AS (
    SELECT t.asset, t.provider, t.family, d.date, max(d.latest) AS latest
    FROM archive_day d JOIN archive_target t ON t.id = d.target GROUP BY 1, 2, 3, 4
  )
  SELECT n.date, n.provider, n.family, r.outcome, coalesce(r.category, -1) AS category, count(*) AS sites
  FROM newest n JOIN archive_report r ON r.id = n.latest GROUP BY 1, 2, 3, 4, 5 ORDER BY 1, 2, 3, 4, 5`;
const TALLY = "SELECT * FROM archive_tally WHERE sites <> 0 ORDER BY 1, 2, 3, 4, 5";

const step = fc.record({
  site: fc.nat(2),
  connection: fc.nat(1),
  family: fc.constantFrom("page", "query"),
  date: fc.nat(2),
  outcome: fc.constantFrom(...ARCHIVE_OUTCOMES),
  category: fc.constantFrom("access", "network"),
} as const);

const record = (store: Store, changes: Partial<NewReport>) =>
  recordReport(store.main as Tx, reportOf(changes));

describe("counts of the archive", () => {
  test("each site's report of a date counts once, by its newest attempt, after any attempts", () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
        const store = testStore();
        for (const [at, { site, connection, family, date, outcome, category }] of steps.entries()) {
          const target = {
            ...HARBOR_PAGES,
            asset: `site-${site}`,
            family,
            connectionRevision: `${connection}`,
          };
          record(store, {
            target,
            date,
            attemptedAt: at,
            outcome,
            category: outcome === "failed" ? category : null,
          });
        }
        const counted = store.raw.query(COUNTED).all();
        expect(store.raw.query(TALLY).all()).toEqual(counted);
        expect(listTally(store.db, 0, 2)).toHaveLength(counted.length);
        expect(differing(store.db, "archive-counts")).toStrictEqual([]);
        store.close();
      }),
      { numRuns: 60 },
    );
  });

  test("days that were damaged on the disk leave counts that are found and put right, once the days are", () => {
    const store = testStore();
    for (const asset of ["harbor.example", "orchard.example"]) {
      const target = { ...HARBOR_PAGES, asset };
      record(store, { target, outcome: "failed", category: "access", attemptedAt: 1 });
      record(store, { target, attemptedAt: 2 });
    }
    const before = store.raw.query(TALLY).all();
    store.raw.run("UPDATE archive_day SET latest = 1 WHERE target = 1");
    store.raw.run("UPDATE archive_tally SET sites = sites + 1");
    const tx = store.main as Tx;
    mend(tx, "archive");
    expect(differing(store.db, "archive-counts")).not.toStrictEqual([]);
    mend(tx, "archive-counts");
    expect(differing(store.db)).toStrictEqual([]);
    expect(store.raw.query(TALLY).all()).toEqual(before);
  });

  test("whether there are earlier dates is asked of one provider, of one site or of all", () => {
    const store = testStore();
    record(store, {});
    const { asset, provider } = HARBOR_PAGES;
    for (const [of, site, day, isTried] of [
      [provider, null, 20_771, true],
      [provider, asset, 20_771, true],
      [provider, null, 20_770, false],
      [provider, asset, 20_770, false],
      ["analytics", null, 20_771, false],
      ["analytics", asset, 20_771, false],
      [provider, "inn.example", 20_771, false],
    ] as const) {
      expect([of, site, day, isTriedBefore(store.db, of, site, day)]).toEqual([of, site, day, isTried]);
    }
  });

  test("a site that failed over an account and was stored over the next one has not failed", () => {
    const store = testStore();
    record(store, { outcome: "failed", category: "access", attemptedAt: 1 });
    record(store, { target: { ...HARBOR_PAGES, connectionRevision: "second" }, attemptedAt: 2 });
    expect(store.raw.query(TALLY).all()).toEqual([
      { date: 20_770, provider: "search-console", family: "page", outcome: 0, category: -1, sites: 1 },
    ]);
    expect(listTallyOf(store.db, HARBOR_PAGES.asset, 20_770, 20_770)).toMatchSnapshot();
  });
});
