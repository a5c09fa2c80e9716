/** Series as tests plant them and look at them. */

import { dayNumber, dayOfNumber, type UtcDay } from "../../src/base/time.ts";
import type { Pulse } from "../../src/reports/pulse.ts";
import { dayOfFigures } from "../../src/reports/readings.ts";
import {
  addSeries,
  findSeries,
  listBlocks,
  listSeries,
  putDays,
  readBlock,
  writeBlock,
} from "../../src/reports/series.ts";
import { type DayValue, daysOf, type SeriesKey } from "../../src/reports/series_days.ts";
import type { Store, Tx } from "../../src/store/store.ts";

/** Puts days of a series in place, oldest first. */
export function plantSeries(
  tx: Tx,
  of: SeriesKey,
  days: readonly (readonly [day: UtcDay, to: DayValue | undefined])[],
): void {
  const changes = days.map(([day, to]) => ({ day: dayNumber(day), to }));
  putDays(tx, findSeries(tx, of) ?? addSeries(tx, of, changes.at(-1)?.day ?? 0), changes);
}

/** Puts a day of what a site sent in place, without any report; takes it away where there are no figures. */
export function plantDay(
  store: Store,
  { asset, metric, date }: { readonly asset: string; readonly metric: string; readonly date: string },
  figures?: Pulse["metrics"][string],
): void {
  const to = figures === undefined ? undefined : dayOfFigures(figures);
  plantSeries(store.main as Tx, { asset, source: "pulse", metric }, [[date as UtcDay, to]]);
}

/** Writes bytes that no days make over those of a series. */
export function damageDays(store: Store, of: SeriesKey, bytes: number): void {
  const tx = store.main as Tx;
  const series = findSeries(tx, of) ?? -1;
  for (const block of listBlocks(tx, series)) writeBlock(tx, series, block, Uint8Array.of(bytes));
}

/** Every stored day of every series of a site, one line each. */
export function storedDays(store: Store, asset: string): string[] {
  const { db } = store;
  return listSeries(db, asset, "pulse").flatMap(({ id, metric }) =>
    listBlocks(db, id).flatMap((block) =>
      [...daysOf(readBlock(db, id, block), block)].map(
        ([day, value]) => `${metric} ${dayOfNumber(day)} ${JSON.stringify(value)}`,
      ),
    ),
  );
}
