/** Every report a site sent, of both kinds, in the order received. */

import { type Db, statement } from "../store/store.ts";
import { CODEBASE } from "./codebase.ts";
import { PULSE } from "./pulse.ts";
import type { ReportRow } from "./reports.ts";

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
