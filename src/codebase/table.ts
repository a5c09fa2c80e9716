import { sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { bodyTable, packTable, reportColumns } from "../reports/report_table.ts";

/**
 * Codebase reports, one row per accepted report. Append-only. The current view is the newest revision per site and day.
 * `measures`, `tools` and `notes` repeat a part of the body, so that charts and rules never read large bodies; reports from before
 * notes were taken in have none.
 */
export const codebaseReport = sqliteTable(
  "codebase_report",
  { ...reportColumns, measures: text("measures").notNull(), tools: text("tools"), notes: text("notes") },
  (t) => [uniqueIndex("codebase_report_revision").on(t.asset, t.date, t.revision)],
);

/** Their bodies, as they came and packed. */
export const codebaseBody = bodyTable("codebase_body");
export const codebasePack = packTable("codebase_pack");
