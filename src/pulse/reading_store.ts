/** The readings of nightly reports, in the series: put in place report by report, in the order of acceptance. */
import type { Db, Tx } from "../db/mod.ts";
import { dayNumber, dayOfNumber } from "../lib/day_number.ts";
import type { UtcDay } from "../lib/utc_day.ts";
import { newestDay } from "../platform/not_ahead.ts";
import { SENT } from "../rules/mod.ts";
import {
  addSeries,
  type DayValue,
  daysOf,
  findFirstBlock,
  findSeries,
  listSeries,
  putDays,
  readBlocks,
  unlessDamaged,
} from "../series/mod.ts";
import type { Pulse } from "./contract.ts";
import type { StoredPulse } from "./store.ts";

/** A metric's figures on one day; an absent figure is null. */
export interface DailyReading {
  readonly date: UtcDay;
  readonly last24h: number | null;
  readonly total: number | null;
}

/** What a report says of a metric, as a day of its series. The mean of seven days is shown from the report and kept nowhere else. */
export function dayOfFigures({ last24h, total }: Pulse["metrics"][string]): DayValue {
  const said = { value: unsigned(last24h), total: unsigned(total) };
  return last24h === undefined
    ? { state: "missing", basis: null, ...said }
    : { state: "final", basis: "reported", ...said };
}

/** JSON knows a zero with a sign, and a count has none. */
const unsigned = (count: number | undefined): number | null => (count === undefined ? null : count + 0);

/**
 * Puts a report's metrics in place of those of the revision before: a metric that is no longer sent is absent. A first revision has
 * nothing before it. Days that are damaged stay as they are until they are made anew from the reports, and stop no other metric.
 */
export function replaceReadings(
  tx: Tx,
  report: Pick<StoredPulse, "asset" | "date" | "revision">,
  metrics: Pulse["metrics"],
): void {
  const { asset, date, revision } = report;
  const day = dayNumber(date);
  const known = listSeries(tx, asset, SENT);
  const ids = new Map(known.map(({ id, metric }) => [metric, id]));
  for (const [metric, figures] of Object.entries(metrics)) {
    const id = ids.get(metric) ?? addSeries(tx, { asset, source: SENT, metric }, day);
    unlessDamaged(() => putDays(tx, id, [{ day, to: dayOfFigures(figures) }]));
  }
  if (revision === 1) return;
  for (const { id, metric } of known) {
    if (!Object.hasOwn(metrics, metric)) unlessDamaged(() => putDays(tx, id, [{ day, to: undefined }]));
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
  return readingsBetween(db, asset, metric, {
    from: dayNumber(span.from),
    to: Math.min(dayNumber(span.to), dayNumber(newestDay(now))),
  });
}

/** A metric's daily figures between two days, oldest first; days that are damaged are left out. */
export function readingsBetween(
  db: Db,
  asset: string,
  metric: string,
  { from, to }: { readonly from: number; readonly to: number },
): DailyReading[] {
  const id = findSeries(db, { asset, source: SENT, metric });
  const readings: DailyReading[] = [];
  for (const { block, days } of id === undefined ? [] : readBlocks(db, id, from, to)) {
    for (const [day, { value, total }] of unlessDamaged(() => daysOf(days, block)) ?? []) {
      if (day >= from && day <= to) readings.push({ date: dayOfNumber(day), last24h: value, total });
    }
  }
  return readings;
}

/** The first day on which a metric has a reading. */
export function findFirstDay(db: Db, asset: string, metric: string): UtcDay | undefined {
  const id = findSeries(db, { asset, source: SENT, metric });
  const first = id === undefined ? undefined : findFirstBlock(db, id);
  if (first === undefined) return undefined;
  const [day] = unlessDamaged(() => daysOf(first.days, first.block))?.keys() ?? [];
  return day === undefined ? undefined : dayOfNumber(day);
}
