import { eq, ne } from "drizzle-orm";
import type { ReportFilter } from "../assets/mod.ts";
import { type Db, statement } from "../db/mod.ts";
import type { UtcDay } from "../lib/utc_day.ts";
import { type Ignored, readIgnored, reportStore, type StoredRow } from "../reports/mod.ts";
import { CODEBASE, type CodebaseColumns } from "./kind.ts";
import { acceptedMeasures, type MeasureNotes, type Measures } from "./measures.ts";
import { codebaseReport } from "./table.ts";

/** A stored report, measures read through the contract. */
export interface StoredReport {
  readonly id: number;
  readonly asset: string;
  readonly date: UtcDay;
  readonly revision: number;
  readonly receivedAt: number;
  readonly generatedAt: number;
  readonly measures: Measures;
  readonly tools: Readonly<Record<string, string>> | undefined;
  /** What the report says beside its measures; those of an absent measure mean nothing. */
  readonly notes: MeasureNotes;
  /** What of it was not stored; null where the row says of nothing. */
  readonly ignored: Ignored | null;
}

/** A stored report with what was sent, as it was sent. */
export interface SentReport extends StoredReport {
  readonly body: string;
}

const reports = reportStore<CodebaseColumns>(CODEBASE);

type Row = StoredRow<CodebaseColumns>;

const COLUMNS = "id, asset, date, revision, received_at, generated_at, ignored, measures, tools, notes";

const newestWithin = statement<Row, [string, string, string]>(
  `SELECT ${COLUMNS} FROM codebase_report WHERE asset = ? AND date BETWEEN ? AND ?
   ORDER BY date DESC, revision DESC LIMIT 1`,
);

const currentWithin = statement<Row, [string, string, string]>(
  `SELECT ${COLUMNS} FROM codebase_report AS report WHERE asset = ? AND date > ? AND date <= ?
   AND revision = (SELECT max(later.revision) FROM codebase_report AS later
     WHERE later.asset = report.asset AND later.date = report.date)`,
);

/** Appends a report as the next revision of its day. */
export const appendReport = reports.append;

/** The latest report of a site: the newest revision of its newest day that does not lie ahead of `now`. */
export function findLatest(db: Db, asset: string, now: number): StoredReport | undefined {
  const row = reports.latest(db, asset, now);
  return row === undefined ? undefined : toStored(row);
}

/**
 * The reports among which the comparison report is: of those up to the aimed-at day the newest, and every later one. Those before
 * that newest one lie farther off, and nothing lies nearer than the aimed-at day itself, so that a site that reports daily costs
 * one step of the index.
 */
export function listComparisonCandidates(
  db: Db,
  asset: string,
  days: { readonly from: UtcDay; readonly aim: UtcDay; readonly to: UtcDay },
): StoredReport[] {
  const upToAim = newestWithin(db).first(asset, days.from, days.aim);
  if (upToAim?.date === days.aim) return [toStored(upToAim)];
  const later = currentWithin(db).all(asset, days.aim, days.to);
  return (upToAim === undefined ? later : [upToAim, ...later]).map(toStored);
}

/** One report, or undefined. */
export function findReport(db: Db, asset: string, date: UtcDay, revision: number): StoredReport | undefined {
  const row = reports.find(db, asset, date, revision);
  return row === undefined ? undefined : toStored(row);
}

/** One report with its body, or undefined. */
export function findSentReport(
  db: Db,
  asset: string,
  date: UtcDay,
  revision: number,
): SentReport | undefined {
  const row = reports.find(db, asset, date, revision);
  return row === undefined ? undefined : toSent(db, row);
}

/** The body of a report, as it was sent. */
export const findReportBody = reports.bodyOf;

/** Reports with what was sent, newest first by date then revision, at most `limit`. */
export function listSentReports(db: Db, filter: ReportFilter, limit: number): SentReport[] {
  return reports.list(db, filter, limit).map((row) => toSent(db, row));
}

/** Reports without their bodies, newest first, at most `limit`. */
export function listReports(db: Db, filter: ReportFilter, limit: number): StoredReport[] {
  return reports.list(db, filter, limit).map(toStored);
}

function toSent(db: Db, row: Row): SentReport {
  return { ...toStored(row), body: reports.bodyOf(db, row) };
}

function toStored(row: Row): StoredReport {
  return {
    id: row.id,
    asset: row.asset,
    date: row.date,
    revision: row.revision,
    receivedAt: row.received_at,
    generatedAt: row.generated_at,
    measures: acceptedMeasures(JSON.parse(row.measures) as Record<string, unknown>),
    tools: row.tools === null ? undefined : (JSON.parse(row.tools) as Record<string, string>),
    notes: row.notes === null ? {} : (JSON.parse(row.notes) as MeasureNotes),
    ignored: readIgnored(row.ignored),
  };
}

/** Whether a site, or any but the one left out, has sent a codebase report. */
export function hasCodebaseReport(
  db: Db,
  of: { readonly site?: string | undefined; readonly except: string },
): boolean {
  const { site, except } = of;
  return (
    db
      .select({ id: codebaseReport.id })
      .from(codebaseReport)
      .where(site === undefined ? ne(codebaseReport.asset, except) : eq(codebaseReport.asset, site))
      .limit(1)
      .get() !== undefined
  );
}
