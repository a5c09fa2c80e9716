/** What is known of every site for the portfolio, in as many statements for a thousand sites as for one. */
import { sql } from "drizzle-orm";
import type { Lifecycle } from "../../assets/contract.ts";
import type { Db } from "../../db/mod.ts";
import type { UtcDay } from "../../lib/utc_day.ts";
import { newestDay } from "../../platform/not_ahead.ts";
import { listFreshness } from "../../pulse/mod.ts";
import { listStreaks, REPORT_ROUTES } from "../../refusals/mod.ts";
import { NO_FLAGS } from "../site_head.ts";
import type { SiteRow } from "./list.ts";

interface Row {
  readonly id: string;
  readonly url: string | null;
  readonly lifecycle: Lifecycle;
  readonly error: number | null;
  readonly warn: number | null;
  readonly info: number | null;
  readonly date: UtcDay | null;
  readonly received_at: number | null;
  readonly code_lines: unknown;
}

/** Every site by identifier, with its open flags, its latest codebase report and when its last nightly one came. */
export function listSiteRows(db: Db, now: number): SiteRow[] {
  const rows = db.all<Row>(sql`
    SELECT a.id, a.url, a.lifecycle, f.error, f.warn, f.info,
      r.date, r.received_at, json_extract(r.measures, '$.code_lines') AS code_lines
    FROM asset a
    LEFT JOIN (
      SELECT asset, sum(severity = 'error') AS error, sum(severity = 'warn') AS warn, sum(severity = 'info') AS info
      FROM flag WHERE status = 'open' GROUP BY asset
    ) f ON f.asset = a.id
    LEFT JOIN codebase_report r ON r.id = (
      SELECT latest.id FROM codebase_report latest WHERE latest.asset = a.id AND latest.date <= ${newestDay(now)}
      ORDER BY latest.date DESC, latest.revision DESC LIMIT 1)
    ORDER BY a.id`);
  const heard = new Map(listFreshness(db, now).map(({ asset, receivedAt }) => [asset, receivedAt]));
  const refused = new Map<string, NonNullable<SiteRow["refused"]>>();
  for (const streak of listStreaks(db)) {
    const kind = streak.route === REPORT_ROUTES.nightly ? "nightly" : "codebase";
    refused.set(streak.asset, { ...refused.get(streak.asset), [kind]: streak });
  }
  return rows.map((row) => ({
    asset: row.id,
    url: row.url,
    lifecycle: row.lifecycle,
    openAlerts:
      row.error === null ? NO_FLAGS : { error: row.error, warn: row.warn ?? 0, info: row.info ?? 0 },
    codebase:
      row.date === null || row.received_at === null
        ? null
        : { date: row.date, receivedAt: row.received_at, codeLines: countIn(row.code_lines) },
    nightlyAt: heard.get(row.id) ?? null,
    refused: refused.get(row.id) ?? {},
  }));
}

/** A stored measure is read only where it is a number the contract accepts: here a whole number of 0 or more. */
function countIn(value: unknown): number | null {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0 ? value : null;
}
