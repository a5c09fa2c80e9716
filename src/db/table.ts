import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";

/** Small facts the service keeps about itself, by name: last ticks, last start. */
export const serviceState = sqliteTable(
  "service_state",
  {
    name: text("name").primaryKey(),
    value: text("value").notNull(),
    changed_at: integer("changed_at").notNull(),
  },
  (t) => [index("service_state_twice").on(t.name, t.value, t.changed_at)],
);

/** Digests of append-only rows from before rows carried their own. Written once, by `old_rows.ts`. */
export const rowDigestBefore = sqliteTable(
  "row_digest_before",
  {
    table: text("table").notNull(),
    row: text("row").notNull(),
    digest: integer("digest").notNull(),
  },
  (t) => [primaryKey({ columns: [t.table, t.row] })],
);
