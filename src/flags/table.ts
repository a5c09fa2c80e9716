import { sql } from "drizzle-orm";
import { check, index, integer, primaryKey, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { FLOW_RULES, MILESTONE_TOTAL } from "../rules/mod.ts";
import { SERIES_SOURCES } from "./contract.ts";

// Written without the table's name, as an index and the queries that use it spell it.
/** Higher is worse: then the newest of the worst is the last entry of an index. */
export const URGENCY = sql`CASE severity WHEN 'error' THEN 2 WHEN 'warn' THEN 1 ELSE 0 END`;
/** The total that a milestone-total flag says was passed. */
export const MILESTONE = sql`rule_inputs ->> '$.milestone'`;

/** The first row of a lasting thing; what a report of a day long past said is no news of the day it came on. */
const BEGUN = sql`renews IS NULL AND resolution IS NOT 'older_report'`;
/** The last row of a lasting thing that is over; what was resolved as it was raised, such as a milestone, never lasted. */
const ENDED = sql`status = 'resolved' AND renewed_by IS NULL AND resolved_at > raised_at`;

/** The flow rules, as an index spells them. */
const FLOW = sql.raw(FLOW_RULES.map((rule) => `'${rule}'`).join(", "));

/**
 * Flags as they stand now: a read model over `flag_record`, from which it can be rebuilt.
 *
 * `subject` and `source` are '' where a rule has none, because SQLite counts NULLs as different and the partial unique indexes
 * would not hold.
 *
 * A lasting thing that is told anew report by report is a chain of rows: each names the one before (`renews`) and the one after
 * (`renewed_by`), and carries its first row, when that was raised and its own place, so that no reader has to walk.
 */
export const flag = sqliteTable(
  "flag",
  {
    id: text("id").primaryKey(),
    asset: text("asset").notNull(),
    rule: text("rule"),
    /** Where the judged series comes from. */
    source: text("source", { enum: ["", ...SERIES_SOURCES] })
      .notNull()
      .default(""),
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
    renews: text("renews"),
    renewed_by: text("renewed_by"),
    /** The first row of the chain; its own id where it renews nothing. */
    chain: text("chain").notNull().default(""),
    /** When the first row of the chain was raised. */
    since: integer("since").notNull().default(0),
    /** Its place in the chain, from 1: over how many reports the thing has lasted. */
    reports: integer("reports").notNull().default(1),
  },
  (t) => [
    uniqueIndex("flag_one_open_per_rule")
      .on(t.rule, t.asset, t.source, t.subject)
      .where(sql`${t.status} = 'open' AND ${t.rule} IS NOT NULL`),
    uniqueIndex("flag_one_open_flow_per_metric")
      .on(t.asset, t.source, t.metric)
      .where(sql`${t.status} = 'open' AND ${t.rule} IN (${FLOW})`),
    index("flag_by_asset").on(t.asset, t.raised_at, t.id),
    index("flag_by_time").on(t.raised_at, t.id),
    index("flag_open").on(t.asset, t.severity, t.snoozed_until).where(sql`${t.status} = 'open'`),
    // The two orders of the inbox, each read from its end: a page of fifty costs fifty steps, however many flags are open.
    index("flag_open_worst").on(URGENCY, t.since, t.id, t.snoozed_until).where(sql`${t.status} = 'open'`),
    index("flag_open_newest").on(t.since, t.id, t.snoozed_until).where(sql`${t.status} = 'open'`),
    // The same for the read API, whose lists go by the time of raising.
    index("flag_open_by_time").on(t.raised_at, t.id).where(sql`${t.status} = 'open'`),
    // What is over, each lasting thing once, by when it ended: a flag raised under a clock that ran ahead must not lead for months.
    index("flag_over")
      .on(t.resolved_at, t.id)
      .where(sql`${t.status} = 'resolved' AND ${t.renewed_by} IS NULL`),
    index("flag_over_of_asset")
      .on(t.asset, t.resolved_at, t.id)
      .where(sql`${t.status} = 'resolved' AND ${t.renewed_by} IS NULL`),
    index("flag_over_of_rule")
      .on(t.rule, t.resolved_at, t.id)
      .where(sql`${t.status} = 'resolved' AND ${t.renewed_by} IS NULL`),
    // When each lasting thing began and ended, by severity: the timeline counts them from the indexes alone.
    index("flag_begun").on(t.raised_at, t.severity).where(BEGUN),
    index("flag_begun_of_asset").on(t.asset, t.raised_at, t.severity).where(BEGUN),
    index("flag_ended").on(t.resolved_at, t.severity).where(ENDED),
    index("flag_ended_of_asset").on(t.asset, t.resolved_at, t.severity).where(ENDED),
    index("flag_chain").on(t.chain, t.reports).where(sql`${t.renews} IS NOT NULL`),
    // The flow flag of a series that the next one of its direction may renew.
    index("flag_flow_over")
      .on(t.asset, t.source, t.metric, t.resolved_at)
      .where(sql`${t.status} = 'resolved' AND ${t.renewed_by} IS NULL AND ${t.rule} IN (${FLOW})`),
    // The highest milestone of a series is its last entry here.
    index("flag_milestone")
      .on(t.asset, t.source, t.metric, MILESTONE)
      .where(sql`${t.rule} = ${sql.raw(`'${MILESTONE_TOTAL}'`)}`),
    check("flag_milestone_is_info", sql`${t.kind} <> 'milestone' OR ${t.severity} = 'info'`),
    check("flag_status", sql`${t.status} IN ('open', 'resolved')`),
  ],
);

/** Everything that ever happened to a flag, in order: raised, evidence, resolved, renewed, and each act. Append-only. */
export const flagRecord = sqliteTable(
  "flag_record",
  {
    id: integer("id").primaryKey(),
    flag: text("flag").notNull(),
    at: integer("at").notNull(),
    type: text("type", { enum: ["raised", "evidence", "resolved", "renewed", "act"] }).notNull(),
    actor: text("actor").notNull(),
    data: text("data").notNull(),
  },
  (t) => [
    // A lasting flag has thousands of evidence rows; its few acts must not be sought among them. Each row stands in one of the two.
    index("flag_record_acts").on(t.flag, t.id).where(sql`${t.type} <> 'evidence'`),
    index("flag_record_evidence").on(t.flag, t.id).where(sql`${t.type} = 'evidence'`),
  ],
);

/** Running snoozes. A snooze belongs to (rule, asset, source, subject), so that a flag raised anew while it runs carries it on. */
export const flagSnooze = sqliteTable(
  "flag_snooze",
  {
    /** '' for a flag that a site sent. */
    rule: text("rule").notNull(),
    asset: text("asset").notNull(),
    /** '' where no series is judged. */
    source: text("source", { enum: ["", ...SERIES_SOURCES] }).notNull(),
    subject: text("subject").notNull(),
    until: integer("until").notNull(),
    set_at: integer("set_at").notNull(),
    set_by: text("set_by").notNull(),
  },
  (t) => [primaryKey({ columns: [t.rule, t.asset, t.source, t.subject] })],
);
