/** The readings that rules read: one per metric and day, put in place report by report. Plain statements: they run for every metric. */
import { type Db, statement, type Tx } from "../db/mod.ts";
import type { UtcDay } from "../lib/utc_day.ts";
import { newestDay } from "../platform/not_ahead.ts";
import type { Pulse } from "./contract.ts";
import type { StoredPulse } from "./store.ts";

/** A metric's figures on one day; an absent figure is null. */
export interface DailyReading {
  readonly date: UtcDay;
  readonly last24h: number | null;
  readonly total: number | null;
}

const putReading = statement<
  never,
  [string, string, string, number, number | null, number | null, number | null]
>(
  `INSERT INTO pulse_reading (asset, metric, date, pulse, last24h, avg7d, total) VALUES (?, ?, ?, ?, ?, ?, ?)
   ON CONFLICT (asset, metric, date) DO UPDATE SET pulse = excluded.pulse, last24h = excluded.last24h,
     avg7d = excluded.avg7d, total = excluded.total`,
);

// The names are walked through the index, a step each: without them every day the site ever reported would be read.
const dropReadings = statement<never, [string, string, string, string]>(
  `DELETE FROM pulse_reading WHERE asset = ? AND date = ? AND metric IN (
     WITH RECURSIVE name(metric) AS (
       SELECT min(metric) FROM pulse_reading WHERE asset = ?
       UNION ALL
       SELECT (SELECT min(r.metric) FROM pulse_reading r WHERE r.asset = ? AND r.metric > name.metric)
       FROM name WHERE name.metric IS NOT NULL
     ) SELECT metric FROM name WHERE metric IS NOT NULL)`,
);

const dailyOf = statement<DailyReading, [string, string, string, string, string]>(
  `SELECT date, last24h, total FROM pulse_reading
   WHERE asset = ? AND metric = ? AND date BETWEEN ? AND min(?, ?) ORDER BY date`,
);

/**
 * Puts a report's metrics in place of those of the revision before: a metric that is no longer sent is absent. A first revision has
 * nothing before it.
 */
export function replaceReadings(
  tx: Tx,
  report: Pick<StoredPulse, "id" | "asset" | "date" | "revision">,
  metrics: Pulse["metrics"],
): void {
  const { id, asset, date, revision } = report;
  if (revision > 1) dropReadings(tx).run(asset, date, asset, asset);
  for (const [metric, { last24h, avg7d, total }] of Object.entries(metrics)) {
    putReading(tx).run(asset, metric, date, id, last24h ?? null, avg7d ?? null, total ?? null);
  }
}

/** A metric's daily figures between two days, none of them ahead of `now`, oldest first; an absent figure is null. */
export function listDaily(
  db: Db,
  asset: string,
  metric: string,
  span: { readonly from: UtcDay; readonly to: UtcDay },
  now: number,
): DailyReading[] {
  return dailyOf(db).all(asset, metric, span.from, span.to, newestDay(now));
}
