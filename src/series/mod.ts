/**
 * Daily counts of every source: what a site sent, what a provider was asked for. A series has a whole number, a day has one, and 128
 * days of a series stand in one row. A read model: what it holds is made of what the sources told, and can be made anew from it.
 */
export {
  BLOCK_DAYS,
  blockOf,
  changedBlock,
  DayReader,
  daysOf,
  EMPTY_BLOCK,
  firstDayOf,
  unlessDamaged,
} from "./block.ts";
export type { DayChange, DayValue, SeriesBasis, SeriesState, Stretch } from "./contract.ts";
export { EXCLUDED, FINAL, PROVISIONAL } from "./contract.ts";
export {
  countNoted,
  findKnown,
  listFirstSeries,
  listMetrics,
  listSeriesOf,
  noteMetrics,
  type SeriesOfSite,
} from "./names_store.ts";
export { BLOCK_ROWS, type BlockRow, LAG_DAYS, SERIES_MODELS, storedBlocks } from "./rebuild_store.ts";
export {
  addSeries,
  findFirstBlock,
  findLastBlock,
  findSeries,
  listAllSeries,
  listBlocks,
  listSeries,
  putDays,
  readBlock,
  readBlocks,
  type SourcedSeries,
  type StoredBlock,
} from "./store.ts";
export { stretchOf } from "./stretch.ts";
