/** The series of every source: their names, and the one way in and out of their days. Plain statements: they run for every metric of every report. */

import { blob, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { dayOfNumber } from "../base/time.ts";
import { type ReadModel, scopesBy, tableModel } from "../store/read_model.ts";
import { type Db, statement, type Tx } from "../store/store.ts";
import {
  type BlockBytes,
  blockOf,
  changedBlock,
  type DayChange,
  DayReader,
  EMPTY_BLOCK,
  firstDayOf,
  type SeriesKey,
  unlessDamaged,
} from "./series_days.ts";

/** Blocks of one series: more than there are from the year 0000 to 9999, of which the first is this many before 1970. */
const BLOCKS = 32_768;
const BEFORE_1970 = 8_192;

/** Series that lie together, block by block: beside their older days the newest of twelve metrics would lie on eight pages in the place of two. */
const TOGETHER = 32;

const PLACES = TOGETHER * BLOCKS;

const placeOf = (series: number, block: number): number =>
  (Math.floor(series / TOGETHER) * BLOCKS + block + BEFORE_1970) * TOGETHER + (series % TOGETHER);

const seriesAt = (place: number): number => Math.floor(place / PLACES) * TOGETHER + (place % TOGETHER);

const blockAt = (place: number): number => (Math.floor(place / TOGETHER) % BLOCKS) - BEFORE_1970;

type SeriesRow = Readonly<typeof series.$inferSelect>;

/** One series of a site, from any source. */
export type SourcedSeries = Pick<SeriesRow, "id" | "metric" | "source">;

/** Stored days of one series. */
export interface StoredBlock {
  readonly block: number;
  readonly days: BlockBytes;
}

const idOf = statement<{ id: number }, [string, string, string]>(
  "SELECT id FROM series WHERE asset = ? AND source = ? AND metric = ?",
);

const ofSite = statement<Pick<SeriesRow, "id" | "metric">, [string, string]>(
  "SELECT id, metric FROM series WHERE asset = ? AND source = ? ORDER BY metric",
);

const allOfSite = statement<SourcedSeries, [string]>(
  "SELECT id, source, metric FROM series WHERE asset = ? ORDER BY source, metric",
);

const insertSeries = statement<never, [string, string, string, number]>(
  "INSERT INTO series (asset, source, metric, last_day) VALUES (?, ?, ?, ?)",
);

type PlacedDays = Readonly<typeof seriesBlock.$inferSelect>;

const daysAt = statement<{ days: BlockBytes }, [number]>("SELECT days FROM series_block WHERE place = ?");

const daysOf = statement<PlacedDays, [string]>(
  "SELECT b.place, b.days FROM json_each(?) asked CROSS JOIN series_block b ON b.place = asked.value",
);

const OF_ONE = `FROM series_block WHERE place BETWEEN ?1 AND ?2 AND place % ${TOGETHER} = ?1 % ${TOGETHER} ORDER BY place`;

const keysBetween = statement<Pick<PlacedDays, "place">, [number, number]>(`SELECT place ${OF_ONE}`);

const firstBetween = statement<PlacedDays, [number, number]>(`SELECT place, days ${OF_ONE} LIMIT 1`);

const lastBetween = statement<PlacedDays, [number, number]>(`SELECT place, days ${OF_ONE} DESC LIMIT 1`);

const putBlock = statement<never, [number, BlockBytes]>(
  "INSERT INTO series_block (place, days) VALUES (?, ?) ON CONFLICT (place) DO UPDATE SET days = excluded.days",
);

const dropBlock = statement<never, [number]>("DELETE FROM series_block WHERE place = ?");

/** The series of a key; undefined while nothing was ever told of it. */
export function findSeries(db: Db, { asset, source, metric }: SeriesKey): number | undefined {
  return idOf(db).first(asset, source, metric)?.id;
}

/** The series of a site from one source, by metric. */
export function listSeries(db: Db, asset: string, source: string) {
  return ofSite(db).all(asset, source);
}

/** The series of a site from every source, by source and metric. */
export function listAllSeries(db: Db, asset: string): SourcedSeries[] {
  return allOfSite(db).all(asset);
}

/** Adds a series that is not known yet; the day named is its last one so far. */
export function addSeries(tx: Tx, key: SeriesKey, lastDay: number): number {
  insertSeries(tx).run(key.asset, key.source, key.metric, lastDay);
  const id = findSeries(tx, key);
  if (id === undefined) throw new Error("a series that was added is not there");
  return id;
}

/**
 * Puts days of a series in place, or takes them away, in the order of days: one night's reading and a provider's whole window go the
 * same way. What does not change is not written. Answers how many blocks were.
 */
export function putDays(tx: Tx, series: number, changes: readonly DayChange[]): number {
  let written = 0;
  for (let from = 0; from < changes.length; ) {
    const block = blockOf(changes[from]?.day ?? 0);
    let to = from + 1;
    while (to < changes.length && blockOf(changes[to]?.day ?? 0) === block) to++;
    const old = readBlock(tx, series, block);
    const changed = changedBlock(
      old,
      from === 0 && to === changes.length ? changes : changes.slice(from, to),
    );
    if (changed !== old) {
      writeBlock(tx, series, block, changed);
      written++;
    }
    from = to;
  }
  return written;
}

/** A block whole; empty where nothing is stored. */
export function readBlock(db: Db, series: number, block: number): BlockBytes {
  return daysAt(db).first(placeOf(series, block))?.days ?? EMPTY_BLOCK;
}

/** Writes a block whole; an empty one goes. */
export function writeBlock(tx: Tx, series: number, block: number, days: BlockBytes): void {
  if (days.length === 0) dropBlock(tx).run(placeOf(series, block));
  else putBlock(tx).run(placeOf(series, block), days);
}

/** The blocks of a series that hold its days between two, oldest first. */
export function readBlocks(db: Db, series: number, from: number, to: number): StoredBlock[] {
  return readBlocksOf(db, [series], from, to).get(series) ?? [];
}

/** The blocks of many series that hold their days between two, oldest first, by series; one without any is left out. */
export function readBlocksOf(
  db: Db,
  series: readonly number[],
  from: number,
  to: number,
): Map<number, StoredBlock[]> {
  const asked: number[] = [];
  for (let block = blockOf(from); block <= blockOf(to); block++) {
    for (const one of series) asked.push(placeOf(one, block));
  }
  const found = new Map<number, StoredBlock[]>();
  for (const { place, days } of daysOf(db).all(JSON.stringify(asked))) {
    const one = seriesAt(place);
    const block = { block: blockAt(place), days };
    const blocks = found.get(one);
    if (blocks === undefined) found.set(one, [block]);
    else blocks.push(block);
  }
  return found;
}

/** The numbers of all blocks of a series, in order. */
export function listBlocks(db: Db, series: number): number[] {
  return keysBetween(db)
    .all(...wholeOf(series))
    .map(({ place }) => blockAt(place));
}

/** The first and the last block of a series; undefined where it has none. */
export function findFirstBlock(db: Db, series: number): StoredBlock | undefined {
  return stored(firstBetween(db).first(...wholeOf(series)));
}

/** The last block, or the last that begins no later than a day. */
export function findLastBlock(db: Db, series: number, until?: number): StoredBlock | undefined {
  const [from, to] = wholeOf(series);
  return stored(lastBetween(db).first(from, until === undefined ? to : placeOf(series, blockOf(until))));
}

const stored = (row: PlacedDays | undefined) =>
  row === undefined ? undefined : { block: blockAt(row.place), days: row.days };

const wholeOf = (series: number): [number, number] => [
  placeOf(series, -BEFORE_1970),
  placeOf(series, BLOCKS - BEFORE_1970 - 1),
];

// Which metrics a site has from a source, and when each was last heard of: each question is one query, whatever the history.

/** Whose metrics. */
interface MetricsOf {
  readonly asset: string;
  readonly source: string;
}

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
export type SeriesOfSite = Pick<SeriesRow, "asset" | "id" | "metric">;

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
 * which it was accepted. `place` is the series and the block in one number (`placeOf`), `days` is what `series_days.ts` makes of them.
 */
export const seriesBlock = sqliteTable("series_block", {
  place: integer("place").primaryKey(),
  days: blob("days", { mode: "buffer" }).notNull(),
});

// The tables of series as read models: rows of blocks, which sources replay; the list of series; blocks of no series.

/**
 * Days by which the last day of a metric that sites send may lie behind: moving it on at every report would cost each of them a write a
 * metric. A name is so forgotten up to a week before its time, which refuses nothing that the bound allows.
 */
export const LAG_DAYS = 7;

/** A block of days of one series. */
export interface BlockRow extends SeriesKey, StoredBlock {}

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

const strayIn = statement<{ series: number }, [number]>(
  `SELECT DISTINCT ?1 * ${TOGETHER} + place % ${TOGETHER} AS series FROM series_block
   WHERE place >= ?1 * ${PLACES} AND place < (?1 + 1) * ${PLACES} AND series NOT IN (SELECT id FROM series)`,
);

/** Numbers of series that have days and stand in no list, by those that lie together. */
const STRAY_MODEL: ReadModel<number, number> = {
  name: "series",
  what: "days of series that are listed",
  source: "the listed series",
  scopes: scopesBy(
    [`SELECT min(place) / ${PLACES} FROM series_block WHERE place >= (?1 + 1) * ${PLACES}`],
    -1,
  ),
  stored: (db, together) =>
    strayIn(db)
      .all(together)
      .map(({ series }) => series),
  replay: () => [],
  named: (id) => `the days of series ${id}`,
  drop: (tx, id) => {
    for (const block of listBlocks(tx, id)) writeBlock(tx, id, block, EMPTY_BLOCK);
  },
  put: () => {},
};

/** Behind those of the sources, whose blocks they are about. */
export const SERIES_MODELS = [NAME_MODEL, STRAY_MODEL];
