/**
 * What pages say of the reports that a site sent: families against the latest nightly report, the nights received or missed, the day that a
 * count is shown on, and the list of reports of both kinds.
 */

import { sql } from "drizzle-orm";
import { addDays, DAY_MS, MINUTE_MS, parseUtcDay, type UtcDay, utcDayOf } from "../base/time.ts";
import type { FlagRow } from "../flags/flags.ts";
import { SENT } from "../sites/rule_catalogue.ts";
import { type Db, statement } from "../store/store.ts";
import { CODEBASE } from "./codebase.ts";
import { PULSE, type Pulse, type StoredPulse } from "./pulse.ts";
import type { ReportRow } from "./reports.ts";

/** The family a metric belongs to: the declared one that bears its name, else the part before its first dot. */
function familyOf(metric: string, declared: ReadonlySet<string>): string {
  const dot = metric.indexOf(".");
  return declared.has(metric) || dot < 0 ? metric : metric.slice(0, dot);
}

/** Families that the settings or the report itself declare, and of which it has no metric. */
export function missingFamilies(
  settings: readonly string[],
  { capabilities = [], metrics }: Pick<Pulse, "capabilities" | "metrics">,
): string[] {
  const declared = new Set([...settings, ...capabilities]);
  const sent = new Set(Object.keys(metrics).map((metric) => familyOf(metric, declared)));
  return [...declared].filter((family) => !sent.has(family)).sort();
}

/** Whether a report was made within 30 minutes of 00:00 UTC, where a little jitter of its sender moves it to the neighbouring day. */
export function isNearMidnight(ms: number): boolean {
  const sinceMidnight = ms % DAY_MS;
  return Math.min(sinceMidnight, DAY_MS - sinceMidnight) <= 30 * MINUTE_MS;
}

// Nights of a site: on which UTC days a nightly report stands, and which nights went by without one. Pure.

/** `outside` is a night on which no report was expected: before the first one, or of a site that is not live. */
export type NightState = "received" | "missed" | "outside";

export interface Night {
  readonly day: UtcDay;
  readonly state: NightState;
}

/** What is known of a site's nights. */
interface NightsInput {
  /** Days with a report; days outside the strip are not read. */
  readonly received: ReadonlySet<UtcDay>;
  /** The first day with a report; undefined while there is none. */
  readonly first: UtcDay | undefined;
  /** Whether a missing report is a missed one: only a live site is expected to report. */
  readonly live: boolean;
}

/** The newest night that can be judged: today once its report is there, else the last day that is over. */
function lastNight(received: ReadonlySet<UtcDay>, now: number): UtcDay {
  const today = utcDayOf(now);
  return received.has(today) ? today : addDays(today, -1);
}

/** The days that a strip of `count` nights may need: today and the `count` days before it, oldest first. */
export function recentDays(now: number, count: number): UtcDay[] {
  const today = utcDayOf(now);
  return Array.from({ length: count + 1 }, (_, place) => addDays(today, place - count));
}

/** The nights up to the newest that can be judged, oldest first: one fewer than the recent days. */
export function nightStrip(input: NightsInput, recent: readonly UtcDay[]): Night[] {
  const today = recent.at(-1);
  const days = today !== undefined && input.received.has(today) ? recent.slice(1) : recent.slice(0, -1);
  return days.map((day) => ({ day, state: stateOf(input, day) }));
}

function stateOf({ received, first, live }: NightsInput, day: UtcDay): NightState {
  if (received.has(day)) return "received";
  return live && first !== undefined && day > first ? "missed" : "outside";
}

/** How many of the newest `count` nights were missed, of those on which a report was expected. */
export function missedNights(nights: readonly Night[], count: number) {
  const expected = nights.slice(-count).filter(({ state }) => state !== "outside");
  return { missed: expected.filter(({ state }) => state === "missed").length, of: expected.length };
}

/** Nights of the strip. */
export const STRIP_NIGHTS = 14;
/** Nights of the sentence "missed 4 of the last 7 nights". */
export const WEEK_NIGHTS = 7;

export type NightlySummary = ReturnType<typeof nightlySummary>;

/** Sums a site's nights and its latest report up. */
export function nightlySummary(
  input: NightsInput & {
    /** Undefined while the site has sent no nightly report. */
    readonly latest:
      | (Pick<StoredPulse, "date" | "revision" | "receivedAt"> & { readonly report: Pulse })
      | undefined;
    /** Families declared on the settings page. */
    readonly families: readonly string[];
    readonly now: number;
  },
) {
  const { latest, families, now } = input;
  const nights = nightStrip(input, recentDays(now, STRIP_NIGHTS));
  const report = latest?.report;
  return {
    latest,
    /** The last nights, oldest first. */
    nights,
    lastNight: lastNight(input.received, now),
    missed: missedNights(nights, WEEK_NIGHTS),
    /** Declared families of which the latest report has no metric. */
    missing: report === undefined ? [] : missingFamilies(families, report),
    /** Families declared while no report came at all: not the same as missing from a report. */
    awaited: report === undefined ? families : [],
    /** Negative events by page, most first; undefined where the report did not name any. */
    negative: report?.negativeByPage?.toSorted((one, other) => other.count - one.count),
  };
}

// The day that a nightly count is shown on. A report made at night counts mostly the day before its date, and providers draw the same
// events on that day. Its date stays what it is told, tested and kept by; only what is shown is moved. Pure.

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

/** Offsets of sites; each is read once, and not where it is `known`. */
export function dayOffsets(db: Db, known?: { readonly asset: string; readonly offset: DayOffset }) {
  const offsets = new Map<string, DayOffset>(known && [[known.asset, known.offset]]);
  return (asset: string) => offsets.getOrInsertComputed(asset, () => dayOffsetOf(db, asset));
}

/** Moves the days of rules' flags on what sites sent to where these are shown. */
export function flagsShown(db: Db, known?: { readonly asset: string; readonly offset: DayOffset }) {
  const offsetOf = dayOffsets(db, known);
  return <T extends Pick<FlagRow, "asset" | "rule" | "source" | "rule_inputs">>(flag: T): T => {
    if (flag.source !== SENT || flag.rule === null) return flag;
    return { ...flag, rule_inputs: daysMoved(flag.rule_inputs, offsetOf(flag.asset)) };
  };
}

// Every report a site sent, of both kinds, in the order received.

const KINDS = [
  ["nightly", PULSE],
  ["codebase", CODEBASE],
] as const;
export type ReportKindName = (typeof KINDS)[number][0];

/** One received report. */
export interface LoggedReport extends Pick<ReportRow, "date" | "revision" | "receivedAt" | "generatedAt"> {
  readonly kind: ReportKindName;
  /** Revisions of its day so far. */
  readonly revisions: number;
}

/** Most reports that are counted; beyond it the log says "at least". */
export const MOST_LOGGED = 5_000;

/** One statement over the tables of both kinds; a kind that is not asked for gives no rows. */
const both = (columns: string) =>
  KINDS.map(
    ([kind, { rows }]) =>
      `SELECT '${kind}' AS kind, ${columns} FROM ${rows} WHERE asset = ?1 AND coalesce(?2, '${kind}') = '${kind}'`,
  ).join(" UNION ALL ");
const revisions = KINDS.map(
  ([kind, { rows }]) =>
    `WHEN '${kind}' THEN (SELECT max(other.revision) FROM ${rows} AS other WHERE other.asset = ?1 AND other.date = log.date)`,
);
const counted = statement<{ reports: number }, [string, string | null, number]>(
  `SELECT count(*) AS reports FROM (SELECT 1 FROM (${both("1")}) LIMIT ?3)`,
);
const listed = statement<LoggedReport & { readonly id: number }, [string, string | null, number, number]>(
  `SELECT log.*, CASE log.kind ${revisions.join(" ")} END AS revisions
   FROM (${both("id, date, revision, received_at AS receivedAt, generated_at AS generatedAt")}
     ORDER BY receivedAt DESC, kind DESC, id DESC LIMIT ?3 OFFSET ?4) AS log
   ORDER BY log.receivedAt DESC, log.kind DESC, log.id DESC`,
);

/** How many reports of a kind, or of both, a site sent, up to `MOST_LOGGED`. */
export const countReceived = (db: Db, asset: string, kind: ReportKindName | null): number =>
  counted(db).first(asset, kind, MOST_LOGGED)?.reports ?? 0;

/** The reports, newest received first. */
export const listReceived = (
  db: Db,
  asset: string,
  kind: ReportKindName | null,
  limit: number,
  offset: number,
): LoggedReport[] => listed(db).all(asset, kind, limit, offset);
