/** Parts of the service that watch, and that can fail at it. */

import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";

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

/**
 * `constants`: the document; `rule`: a metric that cannot be judged; `recorder`: what records health; `job`: scheduled work;
 * `credentials`: an account of a provider that cannot be read; `archive`: objects that are damaged or missing.
 */

export type MonitoringKind = (typeof MONITORING_KINDS)[number];

/** What was to be watched. Texts are ids and names, never a secret and never what a provider said. */
export interface Monitored {
  readonly kind: MonitoringKind;
  /** '' where no site is concerned. */
  readonly asset: string;
  /** The series' source, such as `pulse`; '' where there is none. */
  readonly source: string;
  /** The metric, the job, the file; '' where there is none. */
  readonly subject: string;
}

/** Something that should be watched and is not, since when (milliseconds since the epoch), and why in plain words. */
export interface MonitoringFailure extends Monitored {
  readonly since: number;
  readonly reason: string;
}
