/** The tables of this room: what was asked of providers, what came of it, and what they told. */

import { blob, index, integer, primaryKey, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { ACCOUNT_PROVIDERS, PROVIDERS } from "../providers/adapter.ts";
import type { FailureCategory, FaultCode } from "../providers/faults.ts";

/**
 * What is pulled: one row for each combination of site, provider, connection, property and time zone that was ever asked, so that
 * attempts and observations name it by a number. Append-only. `asset` and `property` are '' for a question about a whole account.
 */
export const pullTarget = sqliteTable(
  "pull_target",
  {
    id: integer("id").primaryKey(),
    asset: text("asset").notNull(),
    provider: text("provider", { enum: ACCOUNT_PROVIDERS }).notNull(),
    connectionRevision: text("connection_revision").notNull(),
    property: text("property").notNull(),
    /** The provider's calendar; '' where it is not known. */
    timeZone: text("time_zone").notNull(),
  },
  (t) => [
    uniqueIndex("pull_target_key").on(t.asset, t.provider, t.connectionRevision, t.property, t.timeZone),
  ],
);

/**
 * Attempts to pull something: the run records. A settled one goes into a pack and then out of here, but the latest of its target
 * stays: what is held is read from it.
 */
export const pullAttempt = sqliteTable(
  "pull_attempt",
  {
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
    /** Values that it changed. */
    changed: integer("changed").notNull(),
  },
  (t) => [index("pull_attempt_of_target").on(t.target), index("pull_attempt_of_run").on(t.run)],
);

/** Settled attempts, every one from `first` to `last`, in the bytes of `attempt_packs.ts`. Neither changed nor removed. */
export const pullAttemptPack = sqliteTable(
  "pull_attempt_pack",
  {
    id: integer("id").primaryKey(),
    /** The ids of its first and last attempt. */
    first: integer("first").notNull(),
    last: integer("last").notNull(),
    /** The runs they are of, and when they began: the least and the greatest of each. */
    first_run: integer("first_run").notNull(),
    last_run: integer("last_run").notNull(),
    began_from: integer("began_from").notNull(),
    began_to: integer("began_to").notNull(),
    /** Which outcomes and which categories are among them: a bit for each place in `PULL_OUTCOMES` and `FAILURE_CATEGORIES`. */
    outcomes: integer("outcomes").notNull(),
    categories: integer("categories").notNull(),
    data: blob("data", { mode: "buffer" }).notNull(),
    /** Of `data`, by which a changed byte is found before it is unpacked. */
    checksum: integer("checksum").notNull(),
  },
  (t) => [
    uniqueIndex("pull_attempt_pack_last").on(t.last),
    // All of a pack but its bytes: what a list looks for is found without reading through those.
    index("pull_attempt_pack_holds").on(
      t.last,
      t.first,
      t.first_run,
      t.last_run,
      t.began_from,
      t.began_to,
      t.outcomes,
      t.categories,
    ),
  ],
);

/**
 * What an attempt told anew: the days whose value, state or basis changed, in the bytes of `observations.ts`. A settled one goes into a pack
 * and then out of here, but the newest of its target stays.
 */
export const observation = sqliteTable(
  "observation",
  {
    id: integer("id").primaryKey(),
    attempt: integer("attempt").notNull(),
    target: integer("target").notNull(),
    observed_at: integer("observed_at").notNull(),
    days: blob("days", { mode: "buffer" }).notNull(),
  },
  (t) => [uniqueIndex("observation_of_target").on(t.target, t.id)],
);

/** Settled observations of a target, every one from `first` to `last`, in the bytes of `observations.ts`. Neither changed nor removed. */
export const observationPack = sqliteTable(
  "observation_pack",
  {
    id: integer("id").primaryKey(),
    target: integer("target").notNull(),
    /** The ids of its first and last observation. */
    first: integer("first").notNull(),
    last: integer("last").notNull(),
    /** The days that they say something of, the first and the last of all. */
    first_day: integer("first_day").notNull(),
    last_day: integer("last_day").notNull(),
    data: blob("data", { mode: "buffer" }).notNull(),
    /** Of `data`, by which a changed byte is found before it is unpacked. */
    checksum: integer("checksum").notNull(),
  },
  (t) => [uniqueIndex("observation_pack_of_target").on(t.target, t.last)],
);

/** Series of a site and source whose settled days changed, and that the rules have yet to judge: a queue. */
export const signalWaiting = sqliteTable(
  "signal_waiting",
  {
    id: integer("id").primaryKey(),
    asset: text("asset").notNull(),
    source: text("source", { enum: PROVIDERS }).notNull(),
  },
  (t) => [uniqueIndex("signal_waiting_key").on(t.asset, t.source)],
);

/**
 * Who may ask what about a site's traffic now, and when the next one may: one question at a time over all processes, and a cooldown
 * that outlives the answers, which are kept in memory alone. The last time one came off and the last that failed stand beside it.
 */
export const liveLease = sqliteTable(
  "live_lease",
  {
    asset: text("asset").notNull(),
    kind: text("kind", { enum: ["realtime", "hourly"] }).notNull(),
    /** Another connection or property is another question: what held the one does not hold the other. */
    connection_revision: text("connection_revision").notNull(),
    property: text("property").notNull(),
    /** Who took it last, by an id of the question's own. */
    holder: text("holder").notNull(),
    taken_at: integer("taken_at").notNull(),
    /** Nobody asks before. */
    held_until: integer("held_until").notNull(),
    seen_at: integer("seen_at"),
    failed_at: integer("failed_at"),
    category: text("category").$type<FailureCategory>(),
    /** The fault's code: what a person is told. */
    code: text("code").$type<FaultCode>(),
  },
  (t) => [primaryKey({ columns: [t.asset, t.kind] })],
);
