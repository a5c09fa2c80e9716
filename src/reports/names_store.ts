/** Which metrics a site has from a source, and when each was last heard of: each question is one query, whatever the history. */

import { blob, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { dayOfNumber } from "../base/time.ts";
import { type ReadModel, tableModel } from "../store/read_model.ts";
import { type Db, statement, type Tx } from "../store/store.ts";
import { type BlockBytes, DayReader, EMPTY_BLOCK, firstDayOf, unlessDamaged } from "./block.ts";
import type { SeriesKey } from "./series_contract.ts";
import {
  dropStray,
  findLastBlock,
  findSeries,
  listBlocks,
  listSeries,
  readBlock,
  strayBlocks,
  writeBlock,
} from "./series_series.ts";

/** Whose metrics. */
interface MetricsOf {
  readonly asset: string;
  readonly source: string;
}

const namesOf = statement<{ metric: string }, [string, string]>(
  "SELECT metric FROM series WHERE asset = ? AND source = ? ORDER BY metric",
);

/** Metrics that most sites do not have more of: they are read at once, which costs half of seeking each. */
const FEW = 48;

const firstOf = statement<{ metric: string; last_day: number }, [string, string]>(
  `SELECT metric, last_day FROM series WHERE asset = ? AND source = ? LIMIT ${FEW + 1}`,
);

const knownOf = statement<{ known: number; oldest: number | null }, [string, string, string]>(
  `SELECT count(*) AS known, min(s.last_day) AS oldest
   FROM json_each(?) sent CROSS JOIN series s WHERE s.asset = ? AND s.source = ? AND s.metric = sent.value`,
);

const countSince = statement<{ names: number }, [string, string, number]>(
  "SELECT count(*) AS names FROM series WHERE asset = ? AND source = ? AND last_day >= ?",
);

const countSentSince = statement<{ names: number }, [string, string, string, number]>(
  `SELECT count(*) AS names FROM json_each(?) sent CROSS JOIN series s
   WHERE s.asset = ? AND s.source = ? AND s.metric = sent.value AND s.last_day >= ?`,
);

const putNames = statement<never, [string, string, number, string]>(
  `INSERT INTO series (asset, source, metric, last_day) SELECT ?, ?, sent.value, ? FROM json_each(?) sent WHERE true
   ON CONFLICT (asset, source, metric) DO UPDATE SET last_day = excluded.last_day WHERE excluded.last_day > last_day`,
);

/** The names of a site's metrics from a source, in order. */
export function listMetrics(db: Db, { asset, source }: MetricsOf): string[] {
  return namesOf(db)
    .all(asset, source)
    .map(({ metric }) => metric);
}

/** How many of these metrics are known, and the day that the one heard of longest ago was last noted on. */
export function findKnown(
  db: Db,
  { asset, source }: MetricsOf,
  metrics: readonly string[],
): { readonly known: number; readonly oldest: number | null } {
  const first = firstOf(db).all(asset, source);
  if (first.length > FEW) {
    return knownOf(db).first(JSON.stringify(metrics), asset, source) ?? { known: 0, oldest: null };
  }
  const asked = new Set(metrics);
  const days = first.flatMap(({ metric, last_day }) => (asked.has(metric) ? [last_day] : []));
  return { known: days.length, oldest: days.length === 0 ? null : Math.min(...days) };
}

/** How many metrics were noted on a day or later: all of them, or of those named. */
export function countNoted(
  db: Db,
  { asset, source }: MetricsOf,
  since: number,
  metrics?: readonly string[],
): number {
  const row =
    metrics === undefined
      ? countSince(db).first(asset, source, since)
      : countSentSince(db).first(JSON.stringify(metrics), asset, source, since);
  return row?.names ?? 0;
}

/** Notes that these metrics had a reading on a day; one that was noted on a later day stays there. */
export function noteMetrics(
  tx: Tx,
  { asset, source }: MetricsOf,
  metrics: readonly string[],
  day: number,
): void {
  putNames(tx).run(asset, source, day, JSON.stringify(metrics));
}

/** A series of a site. */
export interface SeriesOfSite {
  readonly asset: string;
  readonly id: number;
  readonly metric: string;
}

const ofSites = statement<SeriesOfSite, [string, string, string]>(
  `SELECT s.asset, s.id, s.metric FROM json_each(?) asked CROSS JOIN series s
   WHERE s.asset = asked.value AND s.source = ? AND s.metric = ?`,
);

/** The series of one metric from one source, of each of these sites that has it. */
export function listSeriesOf(
  db: Db,
  assets: readonly string[],
  of: { readonly source: string; readonly metric: string },
): SeriesOfSite[] {
  return ofSites(db).all(JSON.stringify(assets), of.source, of.metric);
}

const firstOfSites = statement<SeriesOfSite, [string, string, number]>(
  `SELECT s.asset, s.id, s.metric FROM json_each(?) asked CROSS JOIN series s ON s.id = (
     SELECT min(id) FROM (
       SELECT id, last_day FROM series WHERE asset = asked.value AND source = ? LIMIT ${FEW}
     ) WHERE last_day >= ?
   )`,
);

/** Of each of these sites the metric that it told first, of those from a source that it told of on a day or later; of very many names, the first by the alphabet are looked at. */
export function listFirstSeries(
  db: Db,
  assets: readonly string[],
  of: { readonly source: string; readonly since: number },
): SeriesOfSite[] {
  return firstOfSites(db).all(JSON.stringify(assets), of.source, of.since);
}

/**
 * The series: one for each metric of a site and source, whose name stands here once. Its last day is the last that had a reading, a
 * few days behind where nothing depends on it: what a bound on names is judged by before the readings of a report are in place.
 */

export const series = sqliteTable(
  "series",
  {
    id: integer("id").primaryKey(),
    asset: text("asset").notNull(),
    source: text("source").notNull(),
    metric: text("metric").notNull(),
    last_day: integer("last_day").notNull(),
  },
  (t) => [uniqueIndex("series_key").on(t.asset, t.source, t.metric)],
);

/**
 * The days of all series as they stand, 128 to a row: a read model over what the sources told, brought up to date in the order in
 * which it was accepted. `id` is the series and the block in one number (`store.ts`), `days` is what `block.ts` makes of them.
 */
export const seriesBlock = sqliteTable("series_block", {
  id: integer("id").primaryKey(),
  days: blob("days", { mode: "buffer" }).notNull(),
});

/** The tables of series as read models: rows of blocks, which sources replay; the list of series; blocks of no series. */

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
