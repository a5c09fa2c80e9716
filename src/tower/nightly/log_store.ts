/** Every report a site sent, of both kinds, in the order received: one statement over both tables. */
import { sql } from "drizzle-orm";
import { readReportBody } from "../../codebase/mod.ts";
import type { Db } from "../../db/mod.ts";
import { codePoints } from "../../lib/contract.ts";
import type { UtcDay } from "../../lib/utc_day.ts";
import { readPulseBody } from "../../pulse/mod.ts";

export const REPORT_KINDS = ["nightly", "codebase"] as const;
export type ReportKind = (typeof REPORT_KINDS)[number];

/** What the log may be narrowed to. The dates are days of receiving, both included, as instants: `until` is exclusive. */
export interface LogFilter {
  readonly asset: string;
  readonly kind: ReportKind | null;
  /** Milliseconds since the epoch. */
  readonly from: number | null;
  readonly until: number | null;
}

/** One received report. */
export interface LoggedReport {
  readonly kind: ReportKind;
  readonly date: UtcDay;
  readonly revision: number;
  /** Revisions of its day so far. */
  readonly revisions: number;
  readonly receivedAt: number;
  readonly generatedAt: number;
  /** Length of what was sent, in characters. */
  readonly size: number;
}

/** Most reports that are counted; beyond it the log says "at least". */
export const MOST_LOGGED = 5_000;

/** How many reports fit, up to `MOST_LOGGED`. */
export function countLog(db: Db, filter: LogFilter): number {
  const [row] = db.all<{ reports: number }>(
    sql`SELECT count(*) AS reports FROM (SELECT 1 FROM (${both(filter, sql`1`, sql`1`)}) LIMIT ${MOST_LOGGED})`,
  );
  return row?.reports ?? 0;
}

/** The reports, newest received first. */
export function listLog(db: Db, filter: LogFilter, limit: number, offset: number): LoggedReport[] {
  const columns = sql`r.id, r.date, r.revision, r.received_at, r.generated_at`;
  const rows = db.all<{
    id: number;
    kind: ReportKind;
    date: string;
    revision: number;
    revisions: number;
    received_at: number;
    generated_at: number;
  }>(sql`
    SELECT log.id, log.kind, log.date, log.revision, log.received_at, log.generated_at,
      CASE log.kind
        WHEN 'nightly' THEN (SELECT max(o.revision) FROM pulse o WHERE o.asset = ${filter.asset} AND o.date = log.date)
        ELSE (SELECT max(o.revision) FROM codebase_report o WHERE o.asset = ${filter.asset} AND o.date = log.date)
      END AS revisions
    FROM (${both(filter, sql`'nightly' AS kind, ${columns}`, sql`'codebase' AS kind, ${columns}`)}
      ORDER BY received_at DESC, kind DESC, id DESC LIMIT ${limit} OFFSET ${offset}) log
    ORDER BY log.received_at DESC, log.kind DESC, log.id DESC`);
  return rows.map((row) => ({
    kind: row.kind,
    date: row.date as UtcDay,
    revision: row.revision,
    revisions: row.revisions,
    receivedAt: row.received_at,
    generatedAt: row.generated_at,
    size: codePoints(readBody(row.kind)(db, { id: row.id, asset: filter.asset })),
  }));
}

const readBody = (kind: ReportKind) => (kind === "nightly" ? readPulseBody : readReportBody);

/** The rows of both tables that fit, joined; a kind that is not asked for gives none. */
function both(filter: LogFilter, nightly: ReturnType<typeof sql>, codebase: ReturnType<typeof sql>) {
  const { asset, kind, from, until } = filter;
  const within = sql`r.asset = ${asset} AND r.received_at >= ${from ?? 0} AND r.received_at < ${until ?? Number.MAX_SAFE_INTEGER}`;
  return sql`
    SELECT ${nightly} FROM pulse r WHERE ${within} AND ${kind === "codebase" ? 0 : 1}
    UNION ALL
    SELECT ${codebase} FROM codebase_report r WHERE ${within} AND ${kind === "nightly" ? 0 : 1}`;
}
