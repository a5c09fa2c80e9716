/** Queries of the pages about nightly reports: small reads over one site, or over the sites of one page of the portfolio. */
import { sql } from "drizzle-orm";
import { type Db, statement } from "../db/mod.ts";
import type { UtcDay } from "../lib/utc_day.ts";
import { type DayOffset, DECIDING_REPORTS, dayOffset, type ReportTime } from "./shown_day.ts";

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

const reportTimes = statement<ReportTime & { readonly revision: number }, [string, string, number]>(
  `SELECT date, max(revision) AS revision, generated_at AS generatedAt FROM pulse
   WHERE asset = ? AND date <= ? GROUP BY date ORDER BY date DESC LIMIT ?`,
);

/** When the last reports up to a day were made, each day's as it was sent last; oldest first. */
export function listReportTimes(db: Db, asset: string, to: UtcDay, limit: number): ReportTime[] {
  return reportTimes(db).all(asset, to, limit).reverse();
}

const LAST_DAY = "9999-12-31" as UtcDay;

/** By how many days a site's counts are shown away from the dates of its reports. */
export function dayOffsetOf(db: Db, asset: string): DayOffset {
  return dayOffset(listReportTimes(db, asset, LAST_DAY, DECIDING_REPORTS));
}
