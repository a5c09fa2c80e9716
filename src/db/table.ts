import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";

/** Small facts the service keeps about itself, by name: last ticks, last start. */
export const serviceState = sqliteTable("service_state", {
  name: text("name").primaryKey(),
  value: text("value").notNull(),
  changed_at: integer("changed_at").notNull(),
});
