import { index, integer, primaryKey, real, sqliteTable, text } from "drizzle-orm/sqlite-core";

/** What the flow rules last said of each metric: tested with its figures, or not tested and why. */
export const flowVerdict = sqliteTable(
  "flow_verdict",
  {
    asset: text("asset").notNull(),
    metric: text("metric").notNull(),
    judged_at: integer("judged_at").notNull(),
    date: text("date").notNull(),
    verdict: text("verdict").notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.asset, t.metric] }),
    index("flow_verdict_twice").on(t.asset, t.metric, t.judged_at, t.date, t.verdict),
  ],
);

/** Tests run and flags raised, per site and day of judging: what the calibration panel adds up. */
export const flowTally = sqliteTable(
  "flow_tally",
  {
    date: text("date").notNull(),
    asset: text("asset").notNull(),
    tests: integer("tests").notNull(),
    not_tested: integer("not_tested").notNull(),
    raised: integer("raised").notNull(),
    expected: real("expected").notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.date, t.asset] }),
    index("flow_tally_twice").on(t.date, t.asset, t.tests, t.not_tested, t.raised, t.expected),
  ],
);
