/** The names of a site's metrics, and the bound on them (decided: 1,000 that had a reading in the last 400 days). */
import { type Db, statement, type Tx } from "../db/mod.ts";
import { addDays, parseUtcDay, type UtcDay } from "../lib/utc_day.ts";

/** Most names of metrics that a site may hold. */
export const MAX_NAMES = 1_000;
/** Days after its last reading on which a name still counts. */
export const NAME_DAYS = 400;

/**
 * Days by which a name's last day may lie behind: moving it on at every report would cost each of them a write a metric. A name is
 * so forgotten up to a week before its time, which refuses nothing that the bound allows.
 */
const LAG_DAYS = 7;

const knownOf = statement<{ known: number; oldest: string | null }, [string, string]>(
  `SELECT count(*) AS known, min(m.last_date) AS oldest
   FROM json_each(?) sent CROSS JOIN pulse_metric m WHERE m.asset = ? AND m.metric = sent.value`,
);

const countSince = statement<{ names: number }, [string, string]>(
  "SELECT count(*) AS names FROM pulse_metric WHERE asset = ? AND last_date >= ?",
);

const countSentSince = statement<{ names: number }, [string, string, string]>(
  `SELECT count(*) AS names
   FROM json_each(?) sent CROSS JOIN pulse_metric m
   WHERE m.asset = ? AND m.metric = sent.value AND m.last_date >= ?`,
);

const putNames = statement<never, [string, string, string]>(
  `INSERT INTO pulse_metric (asset, metric, last_date) SELECT ?, sent.value, ? FROM json_each(?) sent WHERE true
   ON CONFLICT (asset, metric) DO UPDATE SET last_date = excluded.last_date WHERE excluded.last_date > last_date`,
);

/** What a report says of names. */
export interface SentNames {
  readonly asset: string;
  readonly names: readonly string[];
  /** The report's day, and the day it is received on. */
  readonly date: UtcDay;
  readonly today: UtcDay;
}

/**
 * Notes that the names had a reading on the report's day. Answers how many names the site would hold, and notes nothing, when the
 * report brings new ones and the site would hold more than `most`: names it holds already it may always send, and a day that lies
 * back further than names are counted holds none.
 */
export function holdNames(tx: Tx, sent: SentNames, most: number): number | undefined {
  const { asset, date, today } = sent;
  if (sent.names.length === 0) return undefined;
  const names = JSON.stringify(sent.names);
  const from = addDays(today, -NAME_DAYS);
  const { known = 0, oldest = null } = knownOf(tx).first(names, asset) ?? {};
  const allKnown = known === sent.names.length && oldest !== null;
  if (allKnown && oldest >= addDays(date, -LAG_DAYS)) return undefined;
  if (date >= from && !(allKnown && oldest >= from)) {
    const fresh = sent.names.length - (countSentSince(tx).first(names, asset, from)?.names ?? 0);
    const all = (countSince(tx).first(asset, from)?.names ?? 0) + fresh;
    if (fresh > 0 && all > most) return all;
  }
  putNames(tx).run(asset, date, names);
  return undefined;
}

const namesOf = statement<{ metric: string }, [string]>(
  "SELECT metric FROM pulse_metric WHERE asset = ? ORDER BY metric",
);

/** The names of the metrics a site ever sent, by name. */
export function listMetricNames(db: Db, asset: string): string[] {
  return namesOf(db)
    .all(asset)
    .map(({ metric }) => metric);
}

const behindIn = statement<{ metric: string; last: UtcDay; noted: UtcDay | null }, [string]>(
  `SELECT r.metric, max(r.date) AS last, m.last_date AS noted
   FROM pulse_reading r LEFT JOIN pulse_metric m ON m.asset = r.asset AND m.metric = r.metric
   WHERE r.asset = ? GROUP BY r.metric`,
);

/** A metric whose name is not noted, or as last read before it was. */
export interface NameDifference {
  readonly asset: string;
  readonly metric: string;
  readonly last: UtcDay;
  readonly text: string;
}

/** The names of a site that its readings do not lead to. A report that waits, or a revision that took a name back, may lead further. */
export function nameDifferencesOf(db: Db, asset: string): NameDifference[] {
  return (
    behindIn(db)
      .all(asset)
      // A reading on what is no day is found among the readings.
      .filter(({ last }) => parseUtcDay(last) !== undefined)
      .filter(({ last, noted }) => noted === null || noted < addDays(last, -LAG_DAYS))
      .map(({ metric, last }) => ({
        asset,
        metric,
        last,
        text: `${asset}: the name of ${metric} is not noted as last read on ${last}`,
      }))
  );
}

/** Notes the names as last read. */
export function mendNames(tx: Tx, differences: readonly NameDifference[]): void {
  for (const { asset, metric, last } of differences) putNames(tx).run(asset, last, JSON.stringify([metric]));
}
