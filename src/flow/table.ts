import { sql } from "drizzle-orm";
import { index, integer, primaryKey, real, sqliteTable, text } from "drizzle-orm/sqlite-core";

/**
 * What the flow rules last said of each series: tested with its figures, or not tested and why. What lists and sums ask of all
 * series stands in columns of its own: taking a thousand verdicts apart for a page would hold up every request beside it.
 */
export const flowVerdict = sqliteTable(
  "flow_verdict",
  {
    asset: text("asset").notNull(),
    source: text("source").notNull(),
    metric: text("metric").notNull(),
    judged_at: integer("judged_at").notNull(),
    date: text("date").notNull(),
    /** Why it was not tested; null when it was. */
    reason: text("reason"),
    /** The measured dispersion, where the test came that far. */
    phi: real("phi"),
    basis: text("basis"),
    spread_days: integer("spread_days"),
    verdict: text("verdict").notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.asset, t.source, t.metric] }),
    index("flow_verdict_by_reason").on(t.reason, t.asset),
    index("flow_verdict_by_spread").on(sql`${t.phi} DESC`, t.asset, t.metric),
  ],
);

/** What judging one report came to: tests run, flags raised. Append-only; the calibration panel adds the rows up. */
export const flowTally = sqliteTable(
  "flow_tally",
  {
    id: integer("id").primaryKey(),
    /** The UTC day of judging. */
    date: text("date").notNull(),
    asset: text("asset").notNull(),
    source: text("source").notNull(),
    /** The judged report, or the attempt to pull that told the figures; null in a sum from before each report had its row. */
    report: integer("report"),
    tests: integer("tests").notNull(),
    not_tested: integer("not_tested").notNull(),
    raised: integer("raised").notNull(),
    expected: real("expected").notNull(),
  },
  // Holds all that is added up, so that adding up reads nothing else.
  (t) => [index("flow_tally_by_date").on(t.date, t.asset, t.tests, t.not_tested, t.raised, t.expected)],
);

/**
 * How far a report is recorded whose verdicts take more than one transaction: metrics done, and the tally so far. It goes with the
 * report's place among those that wait.
 */
export const flowProgress = sqliteTable("flow_progress", {
  report: integer("report").primaryKey(),
  done: integer("done").notNull(),
  tests: integer("tests").notNull(),
  not_tested: integer("not_tested").notNull(),
  raised: integer("raised").notNull(),
  expected: real("expected").notNull(),
});
