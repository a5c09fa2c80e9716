import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { Occurrence } from "./events.ts";

/** Calendars that are read. The address is a secret, sealed as credentials are. */
export const calendar = sqliteTable("calendar", {
  id: text("id").primaryKey(),
  name: text("name").notNull().unique(),
  /** A site, or `*` for every site. */
  asset: text("asset").notNull(),
  connection_revision: text("connection_revision").notNull(),
  key_id: text("key_id").notNull(),
  sealed: text("sealed").notNull(),
  added_at: integer("added_at").notNull(),
  /** What is to come by the last good read, the soonest first; each becomes an annotation when its time comes. */
  coming: text("coming", { mode: "json" }).$type<readonly Occurrence[]>().notNull(),
  /** What that read left out, in sentences. */
  notes: text("notes", { mode: "json" }).$type<readonly string[]>().notNull(),
});
