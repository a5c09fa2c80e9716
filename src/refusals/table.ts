import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";

/**
 * Refused reports of known senders: one row for each kind of refusal of a site and route, the newest few kinds of each. What was
 * refused is no report, so none of it is kept for ever.
 */
export const refusedReport = sqliteTable(
  "refused_report",
  {
    id: integer("id").primaryKey(),
    asset: text("asset").notNull(),
    route: text("route").notNull(),
    status: integer("status").notNull(),
    code: text("code").notNull(),
    /** The first broken rules, as JSON. */
    faults: text("faults").notNull(),
    /** Broken rules beyond those. */
    more: integer("more").notNull(),
    first_at: integer("first_at").notNull(),
    last_at: integer("last_at").notNull(),
    count: integer("count").notNull(),
  },
  (t) => [
    uniqueIndex("refused_report_kind").on(t.asset, t.route, t.code, t.faults),
    index("refused_report_newest").on(t.asset, t.route, t.last_at),
  ],
);

/** Refusals in a row: how many of a site and route since the last good report, and what the latest was. */
export const refusedStreak = sqliteTable(
  "refused_streak",
  {
    asset: text("asset").notNull(),
    route: text("route").notNull(),
    count: integer("count").notNull(),
    last_at: integer("last_at").notNull(),
    status: integer("status").notNull(),
    code: text("code").notNull(),
    faults: text("faults").notNull(),
  },
  (t) => [primaryKey({ columns: [t.asset, t.route] })],
);
