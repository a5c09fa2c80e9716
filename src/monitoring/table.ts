import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";

/** Parts of the service that watch, and that can fail at it. */
export const MONITORING_KINDS = ["constants", "rule", "recorder", "job", "credentials", "archive"] as const;

/** Every beginning and end of a monitoring failure, in order. Append-only. */
export const monitoringEvent = sqliteTable("monitoring_event", {
  id: integer("id").primaryKey(),
  at: integer("at").notNull(),
  kind: text("kind", { enum: MONITORING_KINDS }).notNull(),
  /** '' where no site is concerned; likewise for source and subject. */
  asset: text("asset").notNull(),
  source: text("source").notNull(),
  subject: text("subject").notNull(),
  change: text("change", { enum: ["failed", "recovered"] }).notNull(),
  reason: text("reason").notNull(),
});

/** The failures that last: a read model over `monitoring_event`. */
export const monitoringFailure = sqliteTable(
  "monitoring_failure",
  {
    kind: text("kind", { enum: MONITORING_KINDS }).notNull(),
    asset: text("asset").notNull(),
    source: text("source").notNull(),
    subject: text("subject").notNull(),
    since: integer("since").notNull(),
    reason: text("reason").notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.kind, t.asset, t.source, t.subject] }),
    index("monitoring_failure_by_asset").on(t.asset),
  ],
);
