/** Queries of the pages about nightly reports: small reads over one site, or over the sites of one page of the portfolio. */
import { sql } from "drizzle-orm";
import type { Db } from "../db/mod.ts";
import type { UtcDay } from "../lib/utc_day.ts";

/** The days since `from` on which each of these sites has a report; a site without one is left out. */
export function listNights(
  db: Db,
  assets: readonly string[],
  from: UtcDay,
): Map<string, ReadonlySet<UtcDay>> {
  const rows = db.all<{ asset: string; days: string | null }>(sql`
    SELECT site.value AS asset,
      (SELECT group_concat(DISTINCT p.date) FROM pulse p WHERE p.asset = site.value AND p.date >= ${from}) AS days
    FROM json_each(${JSON.stringify(assets)}) site`);
  return new Map(
    rows.flatMap(({ asset, days }) =>
      days === null ? [] : [[asset, new Set(days.split(",") as UtcDay[])] as const],
    ),
  );
}

/** The days between two, both included, on which a site's report was revised, newest first. */
export function listRevisedDays(
  db: Db,
  asset: string,
  days: { readonly from: UtcDay; readonly to: UtcDay },
  limit: number,
): UtcDay[] {
  return db
    .all<{ date: UtcDay }>(
      sql`SELECT DISTINCT date FROM pulse
          WHERE asset = ${asset} AND date BETWEEN ${days.from} AND ${days.to} AND revision > 1
          ORDER BY date DESC LIMIT ${limit}`,
    )
    .map(({ date }) => date);
}

/** The first day on which each of these sites has a report. */
export function listFirstNights(db: Db, assets: readonly string[]): Map<string, UtcDay> {
  const rows = db.all<{ asset: string; first: string | null }>(sql`
    SELECT site.value AS asset, (SELECT min(p.date) FROM pulse p WHERE p.asset = site.value) AS first
    FROM json_each(${JSON.stringify(assets)}) site`);
  return new Map(
    rows.flatMap(({ asset, first }) => (first === null ? [] : [[asset, first as UtcDay] as const])),
  );
}
