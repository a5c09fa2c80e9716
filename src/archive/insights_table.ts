/**
 * What is kept of the newest reports of each family of a property: a read model made of archived objects, small and of constant size.
 */

import { blob, index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";

export const insight = sqliteTable(
  "insight",
  {
    id: integer("id").primaryKey(),
    /** The row of `archive_target`. */
    target: integer("target").notNull(),
    asset: text("asset").notNull(),
    provider: text("provider").notNull(),
    family: text("family").notNull(),
    /** Day number of the provider's calendar. */
    date: integer("date").notNull(),
    /** The row of `archive_report` whose object it is made of. */
    report: integer("report").notNull(),
    observed_at: integer("observed_at").notNull(),
    /** An `InsightBody` (`body_bytes.ts`). */
    body: blob("body", { mode: "buffer" }).notNull(),
  },
  (t) => [
    uniqueIndex("insight_key").on(t.target, t.date),
    index("insight_of_asset").on(t.asset, t.provider, t.family, t.date),
  ],
);
