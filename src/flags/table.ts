import { sql } from "drizzle-orm";
import { check, index, integer, primaryKey, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";

/**
 * Flags as they stand now: a read model over `flag_record`, from which it can be rebuilt.
 *
 * `subject` is '' where a rule has none, because SQLite counts NULLs as different and the partial unique index would not hold.
 */
export const flag = sqliteTable(
  "flag",
  {
    id: text("id").primaryKey(),
    asset: text("asset").notNull(),
    rule: text("rule"),
    subject: text("subject").notNull(),
    origin: text("origin", { enum: ["site", "rule", "provider"] }).notNull(),
    severity: text("severity", { enum: ["info", "warn", "error"] }).notNull(),
    kind: text("kind", { enum: ["anomaly", "opportunity", "milestone"] }).notNull(),
    metric: text("metric"),
    message: text("message").notNull(),
    status: text("status", { enum: ["open", "resolved"] }).notNull(),
    rule_inputs: text("rule_inputs"),
    raised_at: integer("raised_at").notNull(),
    resolved_at: integer("resolved_at"),
    resolution: text("resolution"),
    acked_at: integer("acked_at"),
    acked_by: text("acked_by"),
    snoozed_until: integer("snoozed_until"),
    tuned_at: integer("tuned_at"),
    incident: text("incident"),
    hypothesis: text("hypothesis"),
  },
  (t) => [
    uniqueIndex("flag_one_open_per_rule")
      .on(t.rule, t.asset, t.subject)
      .where(sql`${t.status} = 'open' AND ${t.rule} IS NOT NULL`),
    uniqueIndex("flag_one_open_flow_per_metric")
      .on(t.asset, t.metric)
      .where(sql`${t.status} = 'open' AND ${t.rule} IN ('flow-drop', 'flow-rise', 'percent-drop')`),
    index("flag_by_asset").on(t.asset, t.raised_at, t.id),
    index("flag_by_time").on(t.raised_at, t.id),
    index("flag_open").on(t.asset, t.severity).where(sql`${t.status} = 'open'`),
    // The highest milestone of a metric is its last entry here.
    index("flag_milestone")
      .on(t.asset, t.metric, sql`json_extract(rule_inputs, '$.milestone')`)
      .where(sql`${t.rule} = 'milestone-total'`),
    check("flag_milestone_is_info", sql`${t.kind} <> 'milestone' OR ${t.severity} = 'info'`),
    check("flag_status", sql`${t.status} IN ('open', 'resolved')`),
  ],
);

/** Everything that ever happened to a flag, in order: raised, evidence, resolved, and each act. Append-only. */
export const flagRecord = sqliteTable(
  "flag_record",
  {
    id: integer("id").primaryKey(),
    flag: text("flag").notNull(),
    at: integer("at").notNull(),
    type: text("type", { enum: ["raised", "evidence", "resolved", "act"] }).notNull(),
    actor: text("actor").notNull(),
    data: text("data").notNull(),
  },
  (t) => [
    index("flag_record_by_flag").on(t.flag, t.id),
    // A lasting flag has thousands of evidence rows; its few acts must not be sought among them.
    index("flag_record_acts").on(t.flag, t.id).where(sql`${t.type} <> 'evidence'`),
  ],
);

/** Running snoozes. A snooze belongs to (rule, asset, subject), so that a flag raised anew while it runs carries it on. */
export const flagSnooze = sqliteTable(
  "flag_snooze",
  {
    /** '' for a flag that a site sent. */
    rule: text("rule").notNull(),
    asset: text("asset").notNull(),
    subject: text("subject").notNull(),
    until: integer("until").notNull(),
    set_at: integer("set_at").notNull(),
    set_by: text("set_by").notNull(),
  },
  (t) => [primaryKey({ columns: [t.rule, t.asset, t.subject] })],
);
