import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";

/** Every act that changes something: who, what, when, with a hash chain over the rows. Append-only. */
export const audit = sqliteTable("audit", {
  id: integer("id").primaryKey(),
  at: integer("at").notNull(),
  actor: text("actor").notNull(),
  act: text("act").notNull(),
  target: text("target").notNull(),
  detail: text("detail").notNull(),
  previous_hash: text("previous_hash").notNull(),
  hash: text("hash").notNull(),
  /** The keyed code of `hash`, with the id of its key; null where no key was known. See `origin.ts`. */
  mac: text("mac"),
});
