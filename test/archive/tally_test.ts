/** The counts that a page of the archive is made of are those of its days, however these were written. */
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { ARCHIVE_OUTCOMES } from "../../src/archive/contract.ts";
import { archiveRows } from "../support/archive_rows.ts";
import { testStore } from "../support/database.ts";

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
  act: fc.constantFrom("attempt", "attempt", "attempt", "forget"),
} as const);

describe("counts of the archive", () => {
  test("each site's report of a date counts once, by its newest attempt, after any attempts and removals", () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
        const store = testStore();
        const rows = archiveRows(store);
        const targets = new Map<string, number>();
        for (const [at, { site, connection, family, date, outcome, category, act }] of steps.entries()) {
          const key = {
            asset: `site-${site}`,
            provider: "search-console",
            family,
            connectionRevision: `${connection}`,
          } as const;
          const name = JSON.stringify(key);
          const target = targets.get(name) ?? rows.target(key);
          targets.set(name, target);
          if (act === "forget")
            store.raw.run("DELETE FROM archive_day WHERE target = ? AND date = ?", [target, date]);
          else rows.attempt({ target, date, at, outcome, ...(outcome === "failed" && { category }) });
        }
        expect(store.raw.query(TALLY).all()).toEqual(store.raw.query(COUNTED).all());
        store.close();
      }),
      { numRuns: 60 },
    );
  });

  test("the negative: a site that failed over an account and was stored over the next one is no failure", () => {
    const store = testStore();
    const rows = archiveRows(store);
    const of = { asset: "harbor", provider: "analytics", family: "events" } as const;
    rows.attempt({ target: rows.target(of), date: 5, at: 1, outcome: "failed", category: "access" });
    const renewed = rows.target({ ...of, connectionRevision: "revision-2" });
    rows.attempt({ target: renewed, date: 5, at: 2, outcome: "stored", object: rows.object("a") });
    expect(store.raw.query(TALLY).all()).toEqual([
      { date: 5, provider: "analytics", family: "events", outcome: 0, category: -1, sites: 1 },
    ]);
  });

  test("what is held is added up once for each object; what came again was spared", () => {
    const store = testStore();
    const rows = archiveRows(store);
    const target = rows.target({ asset: "harbor", provider: "analytics", family: "events" });
    const first = rows.object("a", { bytes: 1_000, stored: 100 });
    rows.attempt({ target, date: 5, at: 1, outcome: "stored", object: first });
    rows.attempt({ target, date: 5, at: 2, outcome: "unchanged", object: first });
    rows.attempt({ target, date: 6, at: 3, outcome: "failed", category: "network" });
    rows.attempt({ target, date: 7, at: 4, outcome: "source_lag" });
    const second = rows.object("b", { bytes: 3_000, stored: 300 });
    rows.attempt({ target, date: 7, at: 5, outcome: "stored", object: second });
    // It was damaged and is stored anew: the same object has another row.
    rows.attempt({
      target,
      date: 7,
      at: 6,
      outcome: "stored",
      object: rows.object("b", { bytes: 3_000, stored: 300 }),
    });
    expect(store.raw.query("SELECT * FROM archive_total").all()).toEqual([
      {
        provider: "analytics",
        attempts: 6,
        objects: 2,
        bytes: 4_000,
        stored_bytes: 400,
        repeated: 2,
        spared_bytes: 4_000,
        spared_stored_bytes: 400,
      },
    ]);
  });
});
