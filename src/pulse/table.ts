import { index, integer, primaryKey, real, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";

/** Nightly reports, one row per accepted report. Append-only. The current view is the newest revision per site and day. */
export const pulse = sqliteTable(
  "pulse",
  {
    id: integer("id").primaryKey(),
    asset: text("asset").notNull(),
    date: text("date").notNull(),
    revision: integer("revision").notNull(),
    received_at: integer("received_at").notNull(),
    generated_at: integer("generated_at").notNull(),
    body: text("body").notNull(),
    row_digest: integer("row_digest"),
  },
  (t) => [
    uniqueIndex("pulse_revision").on(t.asset, t.date, t.revision),
    index("pulse_received").on(t.asset, t.received_at),
  ],
);

/**
 * The reading of each metric and day as it stands: a read model over `pulse`, brought up to date report by report in the
 * order of acceptance, so that a rule sees exactly the history that had been accepted when its reading came.
 */
export const pulseReading = sqliteTable(
  "pulse_reading",
  {
    asset: text("asset").notNull(),
    metric: text("metric").notNull(),
    date: text("date").notNull(),
    pulse: integer("pulse").notNull(),
    last24h: integer("last24h"),
    avg7d: real("avg7d"),
    total: integer("total"),
  },
  (t) => [primaryKey({ columns: [t.asset, t.metric, t.date] })],
);

/** When each site last reported, by the service's own clock: a read model for freshness. */
export const pulseFreshness = sqliteTable("pulse_freshness", {
  asset: text("asset").primaryKey(),
  /** Of the report accepted last. */
  received_at: integer("received_at").notNull(),
  date: text("date").notNull(),
  /** When `received_at` was seen to lie ahead of the clock, from which on silence counts; null while it does not. */
  ahead_seen_at: integer("ahead_seen_at"),
});
