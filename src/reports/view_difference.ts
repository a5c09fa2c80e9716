/** What a nightly report says otherwise than the revision before it. Pure. */

import { sql } from "drizzle-orm";
import type { UtcDay } from "../base/time.ts";
import { type Db, statement } from "../store/store.ts";
import type { Pulse } from "./reading_store.ts";

/** One figure that differs; undefined where a side does not have it. */
export interface FigureChange {
  /** A metric's name with the figure, `signups last24h`, or another field of the report. */
  readonly name: string;
  readonly before: number | undefined;
  readonly after: number | undefined;
}

/** A list of names that differs. */
export interface NamesChange {
  readonly added: readonly string[];
  readonly removed: readonly string[];
}

export interface PulseDifference {
  readonly metrics: readonly FigureChange[];
  /** Negative events by page. */
  readonly pages: readonly FigureChange[];
  readonly capabilities: NamesChange;
  /** Flags sent along, as "severity kind metric: message". */
  readonly flags: NamesChange;
  /** Figures that are the same in both. */
  readonly unchanged: number;
}

/** Compares two reports of one day. A metric or figure that one of them does not have is absent there, not 0. */
export function pulseDifference(before: Pulse, after: Pulse): PulseDifference {
  const metrics = compared(figuresOf(before), figuresOf(after));
  const pages = compared(pagesOf(before), pagesOf(after));
  return {
    metrics: metrics.changed,
    pages: pages.changed,
    capabilities: namesChange(before.capabilities ?? [], after.capabilities ?? []),
    flags: namesChange(flagsOf(before), flagsOf(after)),
    unchanged: metrics.unchanged + pages.unchanged,
  };
}

/** Whether the two say the same. */
export function isSame(difference: PulseDifference): boolean {
  const { metrics, pages, capabilities, flags } = difference;
  const names = [capabilities, flags].flatMap(({ added, removed }) => [...added, ...removed]);
  return metrics.length + pages.length + names.length === 0;
}

function figuresOf(report: Pulse): Map<string, number> {
  const figures = new Map<string, number>();
  for (const [metric, { last24h, avg7d, total }] of Object.entries(report.metrics)) {
    if (last24h !== undefined) figures.set(`${metric} last24h`, last24h);
    if (avg7d !== undefined) figures.set(`${metric} avg7d`, avg7d);
    if (total !== undefined) figures.set(`${metric} total`, total);
  }
  return figures;
}

/** Counts by page; a page that is named twice counts together. */
function pagesOf(report: Pulse): Map<string, number> {
  const pages = new Map<string, number>();
  for (const { page, count } of report.negativeByPage ?? []) pages.set(page, (pages.get(page) ?? 0) + count);
  return pages;
}

function flagsOf(report: Pulse): string[] {
  return (report.flags ?? []).map(
    ({ severity, kind, metric, msg }) =>
      `${severity} ${kind}${metric === undefined ? "" : ` ${metric}`}: ${msg}`,
  );
}

function compared(
  before: ReadonlyMap<string, number>,
  after: ReadonlyMap<string, number>,
): { readonly changed: FigureChange[]; readonly unchanged: number } {
  const names = [...new Set([...before.keys(), ...after.keys()])].sort();
  const changed = names
    .map((name) => ({ name, before: before.get(name), after: after.get(name) }))
    .filter((figure) => figure.before !== figure.after);
  return { changed, unchanged: names.length - changed.length };
}

function namesChange(before: readonly string[], after: readonly string[]): NamesChange {
  const [was, is] = [new Set(before), new Set(after)];
  return { added: [...is.difference(was)], removed: [...was.difference(is)] };
}

/**
 * The day that a nightly count is shown on. A report made at night counts mostly the day before its date, and providers draw the same
 * events on that day. Its date stays what it is told, tested and kept by; only what is shown is moved. Pure.
 */

/** Reports whose hours decide. */
export const DECIDING_REPORTS = 28;

const DAY_MS = 86_400_000;

/** By how many days a site's counts are shown away from the dates of its reports: one for all of them, so that days never merge. */
export type DayOffset = 0 | -1;

/** When a report was made, with its date. */
export interface ReportTime {
  readonly date: UtcDay;
  /** Milliseconds since the epoch. */
  readonly generatedAt: number;
}

/** -1 where the median hour of these reports lies before noon (UTC); of a tie, and where there is none, 0. */
export function dayOffset(reports: readonly Pick<ReportTime, "generatedAt">[]): DayOffset {
  const early = reports.filter(({ generatedAt }) => generatedAt % DAY_MS < DAY_MS / 2).length;
  return early * 2 > reports.length ? -1 : 0;
}

/** The dates from which on reports are made at another time of the day, so that another offset held. Oldest report first. */
export function offsetChanges(reports: readonly ReportTime[]): ReadonlySet<UtcDay> {
  const changes = new Set<UtcDay>();
  let before: DayOffset | undefined;
  for (let end = DECIDING_REPORTS; end <= reports.length; end++) {
    const held = dayOffset(reports.slice(end - DECIDING_REPORTS, end));
    const date = reports[end - 1]?.date;
    if (before !== undefined && held !== before && date !== undefined) changes.add(date);
    before = held;
  }
  return changes;
}

/** Queries of the pages about nightly reports: small reads over one site, or over the sites of one page of the portfolio. */

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
