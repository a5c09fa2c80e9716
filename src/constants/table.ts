import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";

/** Every version of the constants document that took effect, whole, with who wrote it. Append-only. */
export const constantsVersion = sqliteTable("constants_version", {
  id: integer("id").primaryKey(),
  took_effect_at: integer("took_effect_at").notNull(),
  author: text("author").notNull(),
  digest: text("digest").notNull(),
  document: text("document").notNull(),
});
