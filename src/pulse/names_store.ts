/** The names of a site's metrics, and the bound on them (decided: 1,000 that had a reading in the last 400 days). */
import type { Db, Tx } from "../db/mod.ts";
import { dayNumber } from "../lib/day_number.ts";
import type { UtcDay } from "../lib/utc_day.ts";
import { SENT } from "../rules/mod.ts";
import { countNoted, findKnown, LAG_DAYS, listMetrics, noteMetrics } from "../series/mod.ts";

/** Most names of metrics that a site may hold. */
export const MAX_NAMES = 1_000;
/** Days after its last reading on which a name still counts. */
export const NAME_DAYS = 400;

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
  const { asset, names, date, today } = sent;
  if (names.length === 0) return undefined;
  const of = { asset, source: SENT };
  const [day, from] = [dayNumber(date), dayNumber(today) - NAME_DAYS];
  const { known, oldest } = findKnown(tx, of, names);
  const allKnown = known === names.length && oldest !== null;
  if (allKnown && oldest >= day - LAG_DAYS) return undefined;
  if (day >= from && !(allKnown && oldest >= from)) {
    const fresh = names.length - countNoted(tx, of, from, names);
    const all = countNoted(tx, of, from) + fresh;
    if (fresh > 0 && all > most) return all;
  }
  noteMetrics(tx, of, names, day);
  return undefined;
}

/** The names of the metrics a site ever sent, by name. */
export function listMetricNames(db: Db, asset: string): string[] {
  return listMetrics(db, { asset, source: SENT });
}
