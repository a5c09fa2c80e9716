/** Every report a site sent, whatever its kind, in the order received. */

import { type Db, statement } from "../store/store.ts";
import type { ReportKind, ReportRow } from "./reports.ts";

/** What the log may be narrowed to. The instants are those of receiving: `from` is included, `until` is not. */
export interface LogFilter<K extends string> {
  readonly asset: string;
  readonly kind: K | null;
  /** Milliseconds since the epoch. */
  readonly from: number | null;
  readonly until: number | null;
}

/** One received report. */
export interface LoggedReport<K extends string>
  extends Pick<ReportRow, "date" | "revision" | "receivedAt" | "generatedAt"> {
  readonly kind: K;
  /** Revisions of its day so far. */
  readonly revisions: number;
}

/** Most reports that are counted; beyond it the log says "at least". */
export const MOST_LOGGED = 5_000;

/** One statement over the tables of all kinds; a kind that is not asked for gives no rows. `kinds` are called by their names. */
export function reportLog<K extends string>(kinds: Readonly<Record<K, ReportKind>>) {
  const named = Object.entries<ReportKind>(kinds);
  const both = (columns: string) =>
    named
      .map(
        ([name, { rows }]) =>
          `SELECT '${name}' AS kind, ${columns} FROM ${rows}
           WHERE asset = ?1 AND received_at >= ?2 AND received_at < ?3 AND coalesce(?4, '${name}') = '${name}'`,
      )
      .join(" UNION ALL ");
  const revisions = named.map(
    ([name, { rows }]) =>
      `WHEN '${name}' THEN (SELECT max(other.revision) FROM ${rows} AS other WHERE other.asset = ?1 AND other.date = log.date)`,
  );
  const counted = statement<{ reports: number }, [string, number, number, string | null, number]>(
    `SELECT count(*) AS reports FROM (SELECT 1 FROM (${both("1")}) LIMIT ?5)`,
  );
  const listed = statement<LoggedReport<K>, [string, number, number, string | null, number, number]>(
    `SELECT log.*, CASE log.kind ${revisions.join(" ")} END AS revisions
     FROM (${both("id, date, revision, received_at AS receivedAt, generated_at AS generatedAt")}
       ORDER BY receivedAt DESC, kind DESC, id DESC LIMIT ?5 OFFSET ?6) AS log
     ORDER BY log.receivedAt DESC, log.kind DESC, log.id DESC`,
  );
  const asked = ({ asset, kind, from, until }: LogFilter<K>) =>
    [asset, from ?? 0, until ?? Number.MAX_SAFE_INTEGER, kind] as const;

  return {
    /** How many reports fit, up to `MOST_LOGGED`. */
    count: (db: Db, filter: LogFilter<K>) => counted(db).first(...asked(filter), MOST_LOGGED)?.reports ?? 0,
    /** The reports, newest received first. */
    list: (db: Db, filter: LogFilter<K>, limit: number, offset: number) =>
      listed(db).all(...asked(filter), limit, offset),
  };
}
