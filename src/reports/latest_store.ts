/** Every site's latest report, in one statement however many sites there are: one measure of it, or when it came. */

import { newestDay } from "../base/receive.ts";
import type { UtcDay } from "../base/time.ts";
import { type Db, statement } from "../store/store.ts";
import { holdsUnit, MEASURE_UNITS, type MeasureKey } from "./measures.ts";

/** The latest report of a site with one of its measures. */
export interface LatestMeasure {
  readonly asset: string;
  readonly date: UtcDay;
  readonly receivedAt: number;
  /** Undefined where the report did not measure it. */
  readonly value: number | undefined;
}

interface Row {
  readonly asset: string;
  readonly date: UtcDay;
  readonly received_at: number;
  readonly value: unknown;
}

const latestOfEach = statement<Row, [string, string, string]>(
  `SELECT report.asset, report.date, report.received_at, json_extract(report.measures, ?) AS value
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
    .map(({ asset, date, received_at, value }) => ({
      asset,
      date,
      receivedAt: received_at,
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
