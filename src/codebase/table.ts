import { integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";

/**
 * Codebase reports, one row per accepted report. Append-only. The current view is the newest revision per site and day.
 * `measures` and `tools` repeat a part of `body`, so that charts and rules never read large bodies.
 */
export const codebaseReport = sqliteTable(
  "codebase_report",
  {
    id: integer("id").primaryKey(),
    asset: text("asset").notNull(),
    date: text("date").notNull(),
    revision: integer("revision").notNull(),
    received_at: integer("received_at").notNull(),
    generated_at: integer("generated_at").notNull(),
    measures: text("measures").notNull(),
    tools: text("tools"),
    body: text("body").notNull(),
    row_digest: integer("row_digest"),
  },
  (t) => [uniqueIndex("codebase_report_revision").on(t.asset, t.date, t.revision)],
);
