import { sql } from "drizzle-orm";
import { integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { CHANNEL_KINDS } from "./contract.ts";
import type { ChannelRules } from "./settings.ts";

/**
 * Channels that notices go to. Address and secrets are sealed with the installation's key, bound to the row and its edit revision. A removed
 * one keeps its row without them, so that what was sent to it has a name.
 */
export const channel = sqliteTable(
  "channel",
  {
    id: text("id").primaryKey(),
    name: text("name").notNull(),
    kind: text("kind", { enum: CHANNEL_KINDS }).notNull(),
    edit_revision: integer("edit_revision").notNull(),
    connection_revision: text("connection_revision").notNull(),
    /** The installation key that it is sealed with. */
    key_id: text("key_id").notNull(),
    sealed: text("sealed").notNull(),
    rules: text("rules", { mode: "json" }).$type<ChannelRules>().notNull(),
    added_at: integer("added_at").notNull(),
    changed_at: integer("changed_at").notNull(),
    paused_at: integer("paused_at"),
    removed_at: integer("removed_at"),
  },
  (t) => [uniqueIndex("channel_name").on(t.name).where(sql`${t.removed_at} IS NULL`)],
);
