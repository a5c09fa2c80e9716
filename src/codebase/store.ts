import { and, desc, eq, gte, lte, ne, type SQL, sql } from "drizzle-orm";
import type { ReportFilter } from "../assets/mod.ts";
import { type Db, prepared, rowDigester, statement, type Tx } from "../db/mod.ts";
import type { UtcDay } from "../lib/utc_day.ts";
import { newestDay } from "../platform/not_ahead.ts";
import { acceptedMeasures, type Measures } from "./measures.ts";
import { codebaseReport } from "./table.ts";

const p = sql.placeholder;

/** A stored report, measures read through the contract. */
export interface StoredReport {
  readonly asset: string;
  readonly date: UtcDay;
  readonly revision: number;
  readonly receivedAt: number;
  readonly generatedAt: number;
  readonly measures: Measures;
  readonly tools: Readonly<Record<string, string>> | undefined;
}

/** A stored report with what was sent, as it was sent. */
export interface SentReport extends StoredReport {
  readonly body: string;
}

const insertReport = statement<
  never,
  [string, string, number, number, number, string, string | null, string, number]
>(
  `INSERT INTO codebase_report (asset, date, revision, received_at, generated_at, measures, tools, body, row_digest)
   VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
);

const digestOf = rowDigester([
  "asset",
  "date",
  "revision",
  "received_at",
  "generated_at",
  "measures",
  "tools",
  "body",
]);

const newestRevision = statement<{ date: string; revision: number }, [string, string, string]>(
  "SELECT date, revision FROM codebase_report WHERE asset = ? AND date <= max(?, ?) ORDER BY date DESC, revision DESC LIMIT 1",
);

const lastRevision = statement<{ revision: number }, [string, string]>(
  "SELECT revision FROM codebase_report WHERE asset = ? AND date = ? ORDER BY revision DESC LIMIT 1",
);

const small = {
  asset: codebaseReport.asset,
  date: codebaseReport.date,
  revision: codebaseReport.revision,
  received_at: codebaseReport.received_at,
  generated_at: codebaseReport.generated_at,
  measures: codebaseReport.measures,
  tools: codebaseReport.tools,
};

/** A report without its body. */
interface SmallRow {
  readonly asset: string;
  readonly date: string;
  readonly revision: number;
  readonly received_at: number;
  readonly generated_at: number;
  readonly measures: string;
  readonly tools: string | null;
}

const newest = prepared((db) =>
  db
    .select(small)
    .from(codebaseReport)
    .where(and(eq(codebaseReport.asset, p("asset")), lte(codebaseReport.date, p("upTo"))))
    .orderBy(desc(codebaseReport.date), desc(codebaseReport.revision))
    .limit(1)
    .prepare(),
);

const SMALL = "asset, date, revision, received_at, generated_at, measures, tools";

const one = statement<SmallRow, [string, string, number]>(
  `SELECT ${SMALL} FROM codebase_report WHERE asset = ? AND date = ? AND revision = ?`,
);

const newestWithin = statement<SmallRow, [string, string, string]>(
  `SELECT ${SMALL} FROM codebase_report WHERE asset = ? AND date BETWEEN ? AND ?
   ORDER BY date DESC, revision DESC LIMIT 1`,
);

const currentWithin = statement<SmallRow, [string, string, string]>(
  `SELECT ${SMALL} FROM codebase_report AS report WHERE asset = ? AND date > ? AND date <= ?
   AND revision = (SELECT max(later.revision) FROM codebase_report AS later
     WHERE later.asset = report.asset AND later.date = report.date)`,
);

/** Where an appended report lies. */
export interface Appended {
  /** Counted from 1 within its day. */
  readonly revision: number;
  /** No report of the site is for a later day that has come, so that this one is its latest. */
  readonly isLatest: boolean;
}

/** Appends a report as the next revision of its day. */
export function appendReport(
  tx: Tx,
  report: {
    readonly asset: string;
    readonly date: UtcDay;
    readonly received_at: number;
    readonly generated_at: number;
    readonly measures: string;
    readonly tools: string | null;
    readonly body: string;
  },
): Appended {
  const { asset, date } = report;
  const newest = newestRevision(tx).first(asset, date, newestDay(report.received_at));
  const isLatest = newest === undefined || newest.date <= date;
  const last = isLatest ? (newest?.date === date ? newest : undefined) : lastRevision(tx).first(asset, date);
  const revision = (last?.revision ?? 0) + 1;
  const { received_at, generated_at, measures, tools, body } = report;
  const digest = digestOf({ ...report, revision });
  insertReport(tx).run(asset, date, revision, received_at, generated_at, measures, tools, body, digest);
  return { revision, isLatest };
}

/** The latest report of a site: the newest revision of its newest day that does not lie ahead of `now`. */
export function findLatest(db: Db, asset: string, now: number): StoredReport | undefined {
  const row = newest(db).get({ asset, upTo: newestDay(now) });
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
  const row = one(db).first(asset, date, revision);
  return row === undefined ? undefined : toStored(row);
}

/** One report with its body, or undefined. */
export function findSentReport(
  db: Db,
  asset: string,
  date: UtcDay,
  revision: number,
): SentReport | undefined {
  const row = db
    .select()
    .from(codebaseReport)
    .where(
      and(
        eq(codebaseReport.asset, asset),
        eq(codebaseReport.date, date),
        eq(codebaseReport.revision, revision),
      ),
    )
    .get();
  return row === undefined ? undefined : { ...toStored(row), body: row.body };
}

function where(filter: ReportFilter): SQL | undefined {
  const { asset, from, to, after } = filter;
  return and(
    eq(codebaseReport.asset, asset),
    from === undefined ? undefined : gte(codebaseReport.date, from),
    to === undefined ? undefined : lte(codebaseReport.date, to),
    after === undefined
      ? undefined
      : sql`(${codebaseReport.date}, ${codebaseReport.revision}) < (${after.date}, ${after.revision})`,
    filter.allRevisions
      ? undefined
      : sql`${codebaseReport.revision} = (SELECT max(later.revision) FROM codebase_report later WHERE later.asset = ${asset} AND later.date = ${codebaseReport.date})`,
  );
}

/** Reports with what was sent, newest first by date then revision, at most `limit`. */
export function listSentReports(db: Db, filter: ReportFilter, limit: number): SentReport[] {
  return db
    .select()
    .from(codebaseReport)
    .where(where(filter))
    .orderBy(desc(codebaseReport.date), desc(codebaseReport.revision))
    .limit(limit)
    .all()
    .map((row) => ({ ...toStored(row), body: row.body }));
}

/** Reports without their bodies, newest first, at most `limit`. */
export function listReports(db: Db, filter: ReportFilter, limit: number): StoredReport[] {
  return db
    .select(small)
    .from(codebaseReport)
    .where(where(filter))
    .orderBy(desc(codebaseReport.date), desc(codebaseReport.revision))
    .limit(limit)
    .all()
    .map(toStored);
}

function toStored(row: SmallRow): StoredReport {
  return {
    asset: row.asset,
    date: row.date as UtcDay,
    revision: row.revision,
    receivedAt: row.received_at,
    generatedAt: row.generated_at,
    measures: acceptedMeasures(JSON.parse(row.measures) as Record<string, unknown>),
    tools: row.tools === null ? undefined : (JSON.parse(row.tools) as Record<string, string>),
  };
}

/** Reports whose place does not fit: a gap in the revisions of a day, or a day that is not that of `generatedAt`. */
export function revisionFaults(db: Db): string[] {
  const gaps = db
    .select({
      asset: codebaseReport.asset,
      date: codebaseReport.date,
      reports: sql<number>`count(*)`,
      last: sql<number>`max(${codebaseReport.revision})`,
    })
    .from(codebaseReport)
    .groupBy(codebaseReport.asset, codebaseReport.date)
    .having(sql`count(*) <> max(${codebaseReport.revision})`)
    .all()
    .map((row) => `${row.asset} on ${row.date}: ${row.reports} reports, but revision ${row.last}`);
  const misplaced = db
    .select({ asset: codebaseReport.asset, date: codebaseReport.date, revision: codebaseReport.revision })
    .from(codebaseReport)
    .where(sql`${codebaseReport.date} <> date(${codebaseReport.generated_at} / 1000.0, 'unixepoch')`)
    .all()
    .map((row) => `${row.asset} on ${row.date}, revision ${row.revision}: generated on another day`);
  return [...gaps, ...misplaced];
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
