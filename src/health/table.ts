/**
 * What is monitored: one row for each scope that ever had an outcome, which state and events name by a number. Append-only. Another
 * connection revision is another row: what was seen under the one confirms nothing of the other.
 */

import { sql } from "drizzle-orm";
import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { FAILURE_CATEGORIES } from "../providers/faults.ts";
import { HEALTH_CHANGES } from "./family.ts";

export const healthTarget = sqliteTable(
  "health_target",
  {
    id: integer("id").primaryKey(),
    workspace: text("workspace").notNull(),
    provider: text("provider").notNull(),
    /** '' where there is no connection. */
    connection_revision: text("connection_revision").notNull(),
    capability: text("capability").notNull(),
    /** '' for what concerns a whole connection. */
    asset: text("asset").notNull(),
    /** An opaque id; '' where the capability has one a site. */
    target: text("target").notNull(),
    /** '' but for archive capabilities. */
    family: text("family").notNull(),
  },
  (t) => [
    uniqueIndex("health_target_key").on(
      t.workspace,
      t.provider,
      t.connection_revision,
      t.capability,
      t.asset,
      t.target,
      t.family,
    ),
    // All but archive reports, of which there may be any number.
    index("health_target_single").on(t.id).where(sql`family = ''`),
  ],
);

/** Current state: the latest attempt of a target and its latest success, by the moments they began. */
export const healthState = sqliteTable("health_state", {
  target: integer("target").primaryKey(),
  latest_attempt: text("latest_attempt").notNull(),
  latest_started_at: integer("latest_started_at").notNull(),
  /** Null where the latest attempt came to a usable result. */
  category: text("category", { enum: FAILURE_CATEGORIES }),
  /** A reviewed code of our own. */
  code: text("code"),
  next_retry_at: integer("next_retry_at"),
  success_attempt: text("success_attempt"),
  success_started_at: integer("success_started_at"),
  /** The newest day that the latest success covers. */
  covered_date: text("covered_date"),
  failing_since: integer("failing_since"),
  recorded_at: integer("recorded_at").notNull(),
});

/** First failures, changes of category and recoveries. Append-only; `event` is made of scope, connection revision and attempt. */
export const healthEvent = sqliteTable(
  "health_event",
  {
    id: integer("id").primaryKey(),
    event: text("event").notNull(),
    at: integer("at").notNull(),
    target: integer("target").notNull(),
    attempt: text("attempt").notNull(),
    change: text("change", { enum: HEALTH_CHANGES }).notNull(),
    /** The category that failed; of a recovery the one that it ended. */
    category: text("category", { enum: FAILURE_CATEGORIES }).notNull(),
    /** Of a change, the category before it; null otherwise. */
    category_before: text("category_before", { enum: FAILURE_CATEGORIES }),
  },
  (t) => [
    uniqueIndex("health_event_id").on(t.event),
    index("health_event_at").on(t.at, t.id),
    // Those of a target that are not among the newest of all.
    index("health_event_of_target").on(t.target, t.at, t.id),
  ],
);

/** Capabilities that an operator disabled: of one site, of every site (asset ''), or all of one site (capability ''). */
export const healthPause = sqliteTable(
  "health_pause",
  {
    capability: text("capability").notNull(),
    asset: text("asset").notNull(),
    paused_at: integer("paused_at").notNull(),
    paused_by: text("paused_by").notNull(),
    /** When it ends by itself; null where an operator ends it. */
    until: integer("until"),
  },
  (t) => [primaryKey({ columns: [t.capability, t.asset] })],
);
