/** A long archive of a portfolio, written without asking anybody and without an attempt at a time: for benches. */

import type { Database } from "bun:sqlite";
import { dayNumber, utcDayOf } from "../../../src/base/time.ts";
import { REPORT_FAMILIES } from "../../../src/providers/report_families.ts";
import { propertyOf, revisionOf } from "../../support/health_portfolio.ts";

const DAY_MS = 86_400_000;

/** Of each site every family over so many dates that end yesterday, each got once; the weekly ones as often as that is. */
export function plantArchive(
  raw: Database,
  { sites, dates, now }: { readonly sites: readonly string[]; readonly dates: number; readonly now: number },
): void {
  const newest = dayNumber(utcDayOf(now)) - 1;
  const counting = raw
    .query<{ name: string; sql: string }, []>(
      "SELECT name, sql FROM sqlite_schema WHERE type = 'trigger' AND tbl_name IN ('archive_day', 'archive_report') AND sql NOT LIKE '%RAISE%'",
    )
    .all();
  const target = raw.prepare(
    "INSERT INTO archive_target (asset, provider, connection_revision, property, family) VALUES (?, ?, ?, ?, ?)",
  );
  raw.transaction(() => {
    // What counts each attempt would take longer than all the rest.
    for (const { name } of counting) raw.run(`DROP TRIGGER ${name}`);
    for (const asset of sites) {
      for (const { provider, name } of REPORT_FAMILIES) {
        target.run(asset, provider, revisionOf(provider), propertyOf(provider, asset), name);
      }
    }
    raw.run(
      `WITH RECURSIVE ago(n) AS (SELECT ?1 - 1 UNION ALL SELECT n - 1 FROM ago WHERE n > 0)
       INSERT INTO archive_report (run, target, date, attempted_at, took_ms, outcome, requests, complete, notes)
       SELECT 1, id, ?2 - n, ?3 - n * ${DAY_MS}, 300, 0, 1, 1, 0 FROM ago CROSS JOIN archive_target
       WHERE family NOT IN ('queries', 'pages') OR n % 7 = 0`,
      [dates, newest, now - 3_600_000],
    );
    raw.run(
      "INSERT INTO archive_day SELECT target, date, id, id, 0 FROM archive_report ORDER BY target, date",
    );
    raw.run(
      `INSERT INTO archive_standing SELECT target, count(*), 0, max(date), max(latest), max(latest) FROM archive_day GROUP BY target`,
    );
    for (const { sql } of counting) raw.run(sql);
  })();
}
