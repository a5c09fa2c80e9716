/** Blocks of days as rows of read models, which the sources of the series replay. */

import { dayOfNumber } from "../base/time.ts";
import type { Db, Tx } from "../store/store.ts";
import { findSeries, listBlocks, listSeries, noteMetrics, readBlock, writeBlock } from "./series.ts";
import {
  type BlockBytes,
  DayReader,
  EMPTY_BLOCK,
  firstDayOf,
  type SeriesKey,
  unlessDamaged,
} from "./series_days.ts";

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
