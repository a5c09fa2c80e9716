/**
 * Who may ask what about a site's traffic now, and when the next one may: one question at a time over all processes, and a cooldown
 * that outlives the answers, which are kept in memory alone. The last time one came off and the last that failed stand beside it.
 */

import { integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";

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
    category: text("category"),
    /** The fault's code: what a person is told. */
    code: text("code"),
  },
  (t) => [primaryKey({ columns: [t.asset, t.kind] })],
);
