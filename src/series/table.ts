import { blob, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";

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
