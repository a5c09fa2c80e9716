/** Codebase reports: their rows with the measures, the comparison report, and accepting one with its five rules. */

import { sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { addDays, dayNumber, newestDay, parseInstant, type UtcDay, utcDayOf } from "../base/time.ts";
import { reconcileFlags } from "../flags/reconcile.ts";
import type { ReportFilter } from "../sites/report_lists.ts";
import type { TakenReport } from "../sites/report_sender.ts";
import { isRetired } from "../sites/sites.ts";
import type { CodebaseThresholds } from "../sites/thresholds.ts";
import { type Db, statement, type Tx } from "../store/store.ts";
import { evaluateCodebase, type RuleReport } from "./codebase_rules.ts";
import {
  acceptedMeasures,
  type CodebaseReport,
  holdsUnit,
  MEASURE_UNITS,
  type MeasureKey,
  type MeasureNotes,
  type Measures,
} from "./measures.ts";
import { packable } from "./packing.ts";
import {
  bodyCheck,
  bodyTable,
  hasRowIn,
  type Ignored,
  keptIgnored,
  packTable,
  type ReportKind,
  type ReportRow,
  readIgnored,
  reportColumns,
  reportStore,
  type StoredRow,
} from "./reports.ts";

// What a codebase report keeps beside what every report does, as JSON.

interface CodebaseColumns {
  readonly measures: string;
  readonly tools: string | null;
  readonly notes: string | null;
}

/** How codebase reports are kept. */
export const CODEBASE: ReportKind = {
  called: "report",
  rows: "codebase_report",
  bodies: "codebase_body",
  packs: "codebase_pack",
  own: ["measures", "tools", "notes"],
};

export const PACKABLE_CODEBASE_REPORTS = packable(CODEBASE, () => Number.MAX_SAFE_INTEGER);

export const bodyFaults = bodyCheck(CODEBASE);

/**
 * Codebase reports, one row per accepted report. Append-only. The current view is the newest revision per site and day.
 * `measures`, `tools` and `notes` repeat a part of the body, so that charts and rules never read large bodies; reports from before
 * notes were taken in have none.
 */

export const codebaseReport = sqliteTable(
  "codebase_report",
  { ...reportColumns, measures: text("measures").notNull(), tools: text("tools"), notes: text("notes") },
  (t) => [uniqueIndex("codebase_report_revision").on(t.asset, t.date, t.revision)],
);

/** Their bodies, as they came and packed. */
export const codebaseBody = bodyTable("codebase_body");
export const codebasePack = packTable("codebase_pack");

export interface StoredReport extends Omit<ReportRow, "ignored"> {
  readonly measures: Measures;
  readonly tools: Readonly<Record<string, string>> | undefined;
  /** What the report says beside its measures; those of an absent measure mean nothing. */
  readonly notes: MeasureNotes;
  /** What of it was not stored; null where the row says of nothing. */
  readonly ignored: Ignored | null;
}

const reports = reportStore<CodebaseColumns>(CODEBASE);

type Row = StoredRow<CodebaseColumns>;

const upToAim = statement<{ date: UtcDay; revision: number }, [string, string, string]>(
  "SELECT date, revision FROM codebase_report WHERE asset = ? AND date BETWEEN ? AND ? ORDER BY date DESC, revision DESC LIMIT 1",
);
const fromAim = statement<{ date: UtcDay; revision: number }, [string, string, string]>(
  "SELECT date, max(revision) AS revision FROM codebase_report WHERE asset = ? AND date > ? AND date <= ? GROUP BY date ORDER BY date LIMIT 1",
);

/** The latest report of a site: the newest revision of its newest day that does not lie ahead of `now`. */
export function findLatest(db: Db, asset: string, now: number): StoredReport | undefined {
  const row = reports.latest(db, asset, now);
  return row === undefined ? undefined : toStored(row);
}

/** One report, or undefined. */
export function findReport(db: Db, asset: string, date: UtcDay, revision: number): StoredReport | undefined {
  const row = reports.find(db, asset, date, revision);
  return row === undefined ? undefined : toStored(row);
}

/** The body of a report, as it was sent. */
export const findReportBody = reports.bodyOf;

/** Reports with what was sent, as it was sent, newest first by date then revision, at most `limit`. */
export function listSentReports(db: Db, filter: ReportFilter, limit: number) {
  return reports.list(db, filter, limit).map((row) => ({ ...toStored(row), body: reports.bodyOf(db, row) }));
}

/** Reports without their bodies, newest first, at most `limit`. */
export function listReports(db: Db, filter: ReportFilter, limit: number): StoredReport[] {
  return reports.list(db, filter, limit).map(toStored);
}

function toStored(row: Row): StoredReport {
  return {
    ...row,
    measures: acceptedMeasures(JSON.parse(row.measures) as Record<string, unknown>),
    tools: row.tools === null ? undefined : (JSON.parse(row.tools) as Record<string, string>),
    notes: row.notes === null ? {} : (JSON.parse(row.notes) as MeasureNotes),
    ignored: readIgnored(row.ignored),
  };
}

/** Whether a site, or any but the one left out, has sent a codebase report. */
export const hasCodebaseReport = hasRowIn(CODEBASE.rows);

// The span of the comparison report, in whole UTC days before the latest (spec, Codebase rules 3).

export const COMPARISON_SPAN = { nearest: 28, aim: 30, farthest: 45 } as const;

/**
 * The report nearest 30 days before the latest, between 28 and 45 days earlier, the older of two at equal distance.
 * Candidates are current reports, one per day, in any order; those outside the span are passed over.
 */
export function comparisonFor<R extends { readonly date: UtcDay }>(
  latest: UtcDay,
  candidates: readonly R[],
): R | undefined {
  const last = dayNumber(latest);
  let best: R | undefined;
  let bestDistance = Number.POSITIVE_INFINITY;
  for (const candidate of candidates) {
    const age = last - dayNumber(candidate.date);
    if (age < COMPARISON_SPAN.nearest || age > COMPARISON_SPAN.farthest) continue;
    const distance = Math.abs(age - COMPARISON_SPAN.aim);
    if (distance > bestDistance || (distance === bestDistance && age < COMPARISON_SPAN.aim)) continue;
    best = candidate;
    bestDistance = distance;
  }
  return best;
}

/** A report that passed the contract, with its text as it is to be kept. */
interface AcceptableReport extends TakenReport<CodebaseReport> {
  readonly thresholds: CodebaseThresholds;
  readonly newId: () => string;
}

/**
 * Stores a report as the next revision of its UTC day and runs the five rules, in the caller's transaction. The rules read the
 * site's latest report, which is another one when this report is for an older day. A retired site's report is kept and not judged.
 */
export function acceptReport(tx: Tx, accepted: AcceptableReport) {
  const { report, body, receivedAt, thresholds, newId, ignored = [] } = accepted;
  const asset = report.asset;
  const generatedAt = parseInstant(report.generatedAt);
  if (generatedAt === undefined)
    throw new TypeError("a report without a readable generatedAt passed the contract");
  const date = utcDayOf(generatedAt);
  const { revision, isLatest } = reports.append(tx, {
    asset,
    date,
    receivedAt,
    generatedAt,
    ignored: keptIgnored(ignored),
    measures: JSON.stringify(report.measures),
    tools: report.tools === undefined ? null : JSON.stringify(report.tools),
    notes: report.notes === undefined ? null : JSON.stringify(report.notes),
    body,
  });
  const { measures, tools, notes = {} } = report;
  const own: RuleReport = { date, revision, measures, tools, notes };
  const latest = isLatest ? own : (findLatest(tx, asset, receivedAt) ?? own);
  const comparison = findComparison(tx, asset, latest.date);
  const judged = isRetired(tx, asset) ? [] : evaluateCodebase(latest, comparison, thresholds);
  const { raised, resolved } = reconcileFlags(tx, {
    asset,
    origin: "rule",
    judged: judged.map(({ rule, verdict }) => ({ rule, source: null, subject: "", metric: null, verdict })),
    now: receivedAt,
    actor: "rule",
    newId,
  });
  return {
    date,
    revision,
    comparison: comparison === undefined ? null : { date: comparison.date, revision: comparison.revision },
    alerts: { raised, resolved },
  };
}

/** The comparison report of a site's latest report: the one choice that rules and Tower share. */
export function findComparison(db: Db, asset: string, latest: UtcDay) {
  const { nearest, aim, farthest } = COMPARISON_SPAN;
  const aimed = addDays(latest, -aim);
  // Nothing lies nearer than the newest up to the aimed-at day and the oldest after it.
  const earlier = upToAim(db).first(asset, addDays(latest, -farthest), aimed);
  const later =
    earlier?.date === aimed ? undefined : fromAim(db).first(asset, aimed, addDays(latest, -nearest));
  const chosen = comparisonFor(
    latest,
    [earlier, later].filter((one) => one !== undefined),
  );
  return chosen && findReport(db, asset, chosen.date, chosen.revision);
}

// Every site's latest report, in one statement however many sites there are: one measure of it, or when it came.

/** The latest report of a site with one of its measures. */
interface LatestMeasure {
  readonly asset: string;
  readonly date: UtcDay;
  readonly receivedAt: number;
  /** Undefined where the report did not measure it. */
  readonly value: number | undefined;
}

const latestOfEach = statement<
  Omit<LatestMeasure, "value"> & { readonly value: unknown },
  [string, string, string]
>(
  `SELECT report.asset, report.date, report.received_at AS receivedAt, json_extract(report.measures, ?) AS value
   FROM json_each(?) AS site CROSS JOIN codebase_report AS report ON report.id = (
     SELECT latest.id FROM codebase_report AS latest WHERE latest.asset = site.value AND latest.date <= ?
     ORDER BY latest.date DESC, latest.revision DESC LIMIT 1)`,
);

/** The latest report of each of the sites that has sent one, none of a day that lies ahead of `now`. */
export function listLatestMeasures(
  db: Db,
  assets: readonly string[],
  key: MeasureKey,
  now: number,
): LatestMeasure[] {
  return latestOfEach(db)
    .all(`$.${key}`, JSON.stringify(assets), newestDay(now))
    .map(({ value, ...row }) => ({
      ...row,
      value: holdsUnit(MEASURE_UNITS[key], value) ? value : undefined,
    }));
}

/** The newest day that a site has a report of, and when the last of its reports came, whichever day that was of. */
export type LastReport = Pick<LatestMeasure, "asset" | "date" | "receivedAt">;

/** How many reports, the newest days first, the last to come is looked for among: one of a day before them is history. */
const LATE_REPORTS = 16;

const lastOfEach = statement<LastReport, [string, string]>(
  `SELECT report.asset, report.date, (
     SELECT received_at FROM (
       SELECT id, received_at FROM codebase_report WHERE asset = site.value AND date <= report.date
       ORDER BY date DESC, revision DESC LIMIT ${LATE_REPORTS})
     ORDER BY id DESC LIMIT 1) AS receivedAt
   FROM json_each(?) AS site CROSS JOIN codebase_report AS report ON report.id = (
     SELECT latest.id FROM codebase_report AS latest WHERE latest.asset = site.value AND latest.date <= ?
     ORDER BY latest.date DESC, latest.revision DESC LIMIT 1)`,
);

/** When the latest report came of each of the sites that has sent one, none of a day after `newest`. */
export function listLastReports(db: Db, assets: readonly string[], newest: UtcDay): LastReport[] {
  return lastOfEach(db).all(JSON.stringify(assets), newest);
}
