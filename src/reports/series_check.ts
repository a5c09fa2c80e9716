/** The tables of series as read models: rows of blocks, which sources replay; the list of series; blocks of no series. */

import { dayOfNumber } from "../base/time.ts";
import { type ReadModel, tableModel } from "../store/read_model.ts";
import type { Db, Tx } from "../store/store.ts";
import {
  dropStray,
  findLastBlock,
  findSeries,
  listBlocks,
  listSeries,
  noteMetrics,
  readBlock,
  series,
  strayBlocks,
  writeBlock,
} from "./series.ts";
import {
  type BlockBytes,
  DayReader,
  EMPTY_BLOCK,
  firstDayOf,
  type SeriesKey,
  unlessDamaged,
} from "./series_days.ts";

/**
 * Days by which the last day of a metric that sites send may lie behind: moving it on at every report would cost each of them a write a
 * metric. A name is so forgotten up to a week before its time, which refuses nothing that the bound allows.
 */
export const LAG_DAYS = 7;

/** A block of days of one series. */
export interface BlockRow extends SeriesKey {
  readonly block: number;
  readonly days: BlockBytes;
}

/** The blocks of a site's series from a source: all of them, or those of one stretch of days. */
export function storedBlocks(db: Db, asset: string, source: string, only?: number): BlockRow[] {
  return listSeries(db, asset, source).flatMap(({ id, metric }) => {
    const blocks = only === undefined ? listBlocks(db, id) : [only];
    return blocks.flatMap((block) => {
      const days = readBlock(db, id, block);
      return days.length === 0 ? [] : [{ asset, source, metric, block, days }];
    });
  });
}

/** What every source's read model of blocks has in common. */
export const BLOCK_ROWS = {
  named: ({ asset, source, metric, block }: BlockRow) =>
    `${asset}, ${source}: ${metric} in the days from ${dayOfNumber(firstDayOf(block))}`,
  drop: (tx: Tx, row: BlockRow) => {
    const id = findSeries(tx, row);
    if (id !== undefined) writeBlock(tx, id, row.block, EMPTY_BLOCK);
  },
  put: (tx: Tx, row: BlockRow) => {
    noteMetrics(tx, row, [row.metric], lastDayIn(row.days, row.block) ?? firstDayOf(row.block));
    const id = findSeries(tx, row);
    if (id !== undefined) writeBlock(tx, id, row.block, row.days);
  },
};

/** Undefined where the block is damaged, which its source's read model names. */
function lastDayIn(days: BlockBytes, block: number): number | undefined {
  return unlessDamaged(() => {
    const reader = new DayReader(days, block);
    while (reader.next());
    return reader.day;
  });
}

type SeriesRow = typeof series.$inferSelect;

const SERIES_ROWS = tableModel<SeriesRow, string>({
  name: "names",
  what: "the last days of series, against their days",
  source: "its days",
  table: series,
  by: { column: "asset", next: [] },
  named: ({ asset, source, metric }) => `${asset}, ${source}: the last day of ${metric}`,
  replay: () => [],
});

/** A report that waits, or a revision that took a value back, may have led to a later day than the last one with a value. */
const NAME_MODEL: ReadModel<SeriesRow, string> = {
  ...SERIES_ROWS,
  replay: (db, asset) =>
    SERIES_ROWS.stored(db, asset).map((row) => {
      const last = findLastBlock(db, row.id);
      const day = last === undefined ? undefined : lastDayIn(last.days, last.block);
      return day === undefined || row.last_day >= day - LAG_DAYS ? row : { ...row, last_day: day };
    }),
  drop: () => {},
  put: (tx, row) => noteMetrics(tx, row, [row.metric], row.last_day),
};

/** Numbers of series that have days and stand in no list. */
const STRAY_MODEL: ReadModel<number, number> = {
  name: "series",
  what: "days of series that are listed",
  source: "the listed series",
  scopes: () => [0],
  stored: (db) => [...strayBlocks(db)],
  replay: () => [],
  named: (id) => `the days of series ${id}`,
  drop: dropStray,
  put: () => {},
};

/** Behind those of the sources, whose blocks they are about. */
export const SERIES_MODELS = [NAME_MODEL, STRAY_MODEL];
