import { index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { bodyTable, packTable, reportColumns } from "../reports/report_table.ts";

/** Nightly reports, one row per accepted report. Append-only. The current view is the newest revision per site and day. */
export const pulse = sqliteTable("pulse", reportColumns, (t) => [
  uniqueIndex("pulse_revision").on(t.asset, t.date, t.revision),
]);

/** Their bodies, as they came and packed. */
export const pulseBody = bodyTable("pulse_body");
export const pulsePack = packTable("pulse_pack");

/**
 * Accepted reports that the rules have not judged yet. A row is written with its report and goes in the transaction that records
 * the last of its verdicts, so that every report is judged once, whatever ends the process in between. Per site, and not one place
 * for all: a site that floods must not stand before the others.
 */
export const pulseWaiting = sqliteTable(
  "pulse_waiting",
  {
    pulse: integer("pulse").primaryKey(),
    asset: text("asset").notNull(),
  },
  // The row's own key follows in every index: (asset, pulse).
  (t) => [index("pulse_waiting_by_asset").on(t.asset)],
);

/** When each site last reported, by the service's own clock: a read model for freshness. */
export const pulseFreshness = sqliteTable("pulse_freshness", {
  asset: text("asset").primaryKey(),
  /** Of the report accepted last. */
  received_at: integer("received_at").notNull(),
  /** When `received_at` was seen to lie ahead of the clock, from which on silence counts; null while it does not. */
  ahead_seen_at: integer("ahead_seen_at"),
});
