import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";

/** Links that open the Wall, and nothing else, on a screen where nobody signs in: only the SHA-256 digest is kept. */
export const wallLink = sqliteTable("wall_link", {
  id: text("id").primaryKey(),
  name: text("name").notNull(),
  digest: text("digest").notNull().unique(),
  created_at: integer("created_at").notNull(),
  created_by: text("created_by").notNull(),
  revoked_at: integer("revoked_at"),
  revoked_by: text("revoked_by"),
  last_used_at: integer("last_used_at"),
});
