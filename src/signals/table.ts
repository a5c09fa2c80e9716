import { blob, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";

/**
 * What is pulled: one row for each combination of site, provider, connection, property and time zone that was ever asked, so that
 * attempts and observations name it by a number. Append-only. `asset` and `property` are '' for a question about a whole account.
 */
export const pullTarget = sqliteTable(
  "pull_target",
  {
    id: integer("id").primaryKey(),
    asset: text("asset").notNull(),
    provider: text("provider", { enum: ["analytics", "search-console", "webmaster-tools"] }).notNull(),
    connection_revision: text("connection_revision").notNull(),
    property: text("property").notNull(),
    /** The provider's calendar; '' where it is not known. */
    time_zone: text("time_zone").notNull(),
    row_digest: integer("row_digest"),
  },
  (t) => [
    uniqueIndex("pull_target_key").on(t.asset, t.provider, t.connection_revision, t.property, t.time_zone),
  ],
);

/** Every attempt to pull something: the run records. Append-only; settled ones may be packed without loss. */
export const pullAttempt = sqliteTable("pull_attempt", {
  id: integer("id").primaryKey(),
  /** The run's row in `job_run`. */
  run: integer("run").notNull(),
  target: integer("target").notNull(),
  started_at: integer("started_at").notNull(),
  took_ms: integer("took_ms").notNull(),
  /** Place in `PULL_OUTCOMES`. */
  outcome: integer("outcome").notNull(),
  /** Place in `FAILURE_CATEGORIES`; null where it did not fail. */
  category: integer("category"),
  next_retry_at: integer("next_retry_at"),
  requests: integer("requests").notNull(),
  /** Observations that it appended. */
  changed: integer("changed").notNull(),
  row_digest: integer("row_digest"),
});

/** What an attempt told anew: the days whose value, state or basis changed, in the bytes of `observed.ts`. Append-only. */
export const observation = sqliteTable(
  "observation",
  {
    id: integer("id").primaryKey(),
    attempt: integer("attempt").notNull(),
    target: integer("target").notNull(),
    observed_at: integer("observed_at").notNull(),
    days: blob("days", { mode: "buffer" }).notNull(),
    row_digest: integer("row_digest"),
  },
  (t) => [uniqueIndex("observation_of_target").on(t.target, t.id)],
);

/** Series of a site and source whose settled days changed, and that the rules have yet to judge: a queue. */
export const signalWaiting = sqliteTable(
  "signal_waiting",
  {
    id: integer("id").primaryKey(),
    asset: text("asset").notNull(),
    source: text("source").notNull(),
    since: integer("since").notNull(),
  },
  (t) => [
    uniqueIndex("signal_waiting_key").on(t.asset, t.source),
    uniqueIndex("signal_waiting_twice").on(t.id, t.asset, t.source, t.since),
  ],
);
