/**
 * The day that a nightly count is shown on. A report made at night counts mostly the day before its date, and providers draw the same
 * events on that day. Its date stays what it is told, tested and kept by; only what is shown is moved. Pure.
 */

import { sql } from "drizzle-orm";
import { addDays, DAY_MS, parseUtcDay, type UtcDay } from "../base/time.ts";
import type { FlagRow } from "../flags/flags.ts";
import { SENT } from "../sites/rule_catalogue.ts";
import { type Db, statement } from "../store/store.ts";

/** Reports whose hours decide. */
const DECIDING_REPORTS = 28;

/** By how many days a site's counts are shown away from the dates of its reports: one for all of them, so that days never merge. */
export type DayOffset = 0 | -1;

/** -1 where the median hour of these reports lies before noon (UTC); of a tie, and where there is none, 0. */
export function dayOffset(reports: readonly { readonly generatedAt: number }[]): DayOffset {
  const early = reports.filter(({ generatedAt }) => generatedAt % DAY_MS < DAY_MS / 2).length;
  return early * 2 > reports.length ? -1 : 0;
}

// Queries of the pages about nightly reports: small reads over one site, or over the sites of one page of the portfolio.

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

const reportTimes = statement<{ generatedAt: number; revision: number }, [string, number]>(
  `SELECT date, max(revision) AS revision, generated_at AS generatedAt FROM pulse
   WHERE asset = ? GROUP BY date ORDER BY date DESC LIMIT ?`,
);

/** By how many days a site's counts are shown away from the dates of its reports: of each day the report that was sent last decides. */
export function dayOffsetOf(db: Db, asset: string): DayOffset {
  return dayOffset(reportTimes(db).all(asset, DECIDING_REPORTS));
}

// What a site sends is shown on the day it mostly counts, on pages and in notices, beside what providers tell of that day. Stored messages,
// rule inputs and the API keep the date of the report: that is what a flag can be worked out from again.

/** Data with every calendar day in it moved; a report that it names keeps its date. */
export function daysMoved<T>(data: T, by: DayOffset): T {
  return by === 0 ? data : (moved(data, by) as T);
}

function moved(data: unknown, by: DayOffset): unknown {
  if (typeof data === "string") {
    const day = parseUtcDay(data);
    return day === undefined ? data : addDays(day, by);
  }
  if (Array.isArray(data)) return data.map((item) => moved(item, by));
  if (typeof data !== "object" || data === null) return data;
  return Object.fromEntries(
    Object.entries(data).map(([key, value]) => [key, key === "report" ? value : moved(value, by)]),
  );
}

/** Moves the days of rules' flags on what sites sent to where these are shown; of each site its offset is read once, and not where it is `known`. */
export function flagsShown(db: Db, known?: { readonly asset: string; readonly offset: DayOffset }) {
  const offsets = new Map<string, DayOffset>(known && [[known.asset, known.offset]]);
  return <T extends Pick<FlagRow, "asset" | "rule" | "source" | "rule_inputs">>(flag: T): T => {
    if (flag.source !== SENT || flag.rule === null) return flag;
    const by = offsets.get(flag.asset) ?? dayOffsetOf(db, flag.asset);
    offsets.set(flag.asset, by);
    return { ...flag, rule_inputs: daysMoved(flag.rule_inputs, by) };
  };
}
