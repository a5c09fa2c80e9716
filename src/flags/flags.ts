/**
 * How the inputs of a flag change from run to run. A record keeps what changed alone: a list of 50 URLs that stands for a year is
 * written once. Pure.
 */

import { sql } from "drizzle-orm";
import { check, index, integer, primaryKey, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import * as v from "valibot";
import { AssetIdSchema } from "../base/contract.ts";
import { PROVIDERS } from "../providers/adapter.ts";
import { SENT } from "../sites/flag_titles.ts";
import { FLOW_RULES, MILESTONE_TOTAL } from "../sites/rule_catalogue.ts";

export const SERIES_SOURCES = [SENT, ...PROVIDERS] as const;
export const FLAG_STATUSES = ["open", "resolved"] as const;
export const SEVERITIES = ["info", "warn", "error"] as const;
export const FLAG_KINDS = ["anomaly", "opportunity", "milestone"] as const;
export const FLAG_ORIGINS = ["site", "rule", "provider"] as const;

export type Severity = (typeof SEVERITIES)[number];
export type FlagKind = (typeof FLAG_KINDS)[number];
export type FlagOrigin = (typeof FLAG_ORIGINS)[number];
export type FlagStatus = (typeof FLAG_STATUSES)[number];
/** Where a judged series comes from. A provider's figure never shares a flag with one that a site sent under the same name. */
export type SeriesSource = (typeof SERIES_SOURCES)[number];

/** What a rule says of one asset and subject. */
export type Verdict =
  /** The rule's input is absent: it neither resolves nor raises. */
  | { readonly state: "not_run" }
  /** The condition does not hold. */
  | { readonly state: "clear" }
  /** The reading before is behind, and the new one cannot be tested: nothing is known of the condition. */
  | { readonly state: "next_reading" }
  /** The condition holds. */
  | {
      readonly state: "fires";
      readonly severity: Severity;
      readonly kind: FlagKind;
      /** Left out by a rule whose words are made of its inputs. */
      readonly message?: string;
      readonly inputs: RuleInputs;
    };

/** The numbers, reports and thresholds a rule used: what makes a flag provable. */
export type RuleInputs = { readonly [key: string]: unknown };

const Instant = v.pipe(v.string(), v.isoTimestamp());
const Text = v.nullable(v.string());

/** A flag as the service answers it: snake_case, times as ISO 8601, absent as null. Its type and the API's description are made of this. */
export const FlagSchema = v.object({
  id: v.string(),
  asset: AssetIdSchema,
  rule: v.pipe(Text, v.description("Null for a flag that a site sent.")),
  subject: v.string(),
  origin: v.picklist(FLAG_ORIGINS),
  severity: v.picklist(SEVERITIES),
  kind: v.picklist(FLAG_KINDS),
  metric: Text,
  message: v.string(),
  status: v.picklist(FLAG_STATUSES),
  rule_inputs: v.pipe(
    v.nullable(v.record(v.string(), v.unknown())),
    v.description("What the rule was given; reports are named by their date."),
  ),
  raised_at: Instant,
  resolved_at: v.nullable(Instant),
  resolution: Text,
  acked_at: v.nullable(Instant),
  acked_by: Text,
  snoozed_until: v.nullable(Instant),
  tuned_at: v.nullable(Instant),
  incident: Text,
  hypothesis: Text,
  source: v.nullable(v.picklist(SERIES_SOURCES)),
  renews: v.pipe(Text, v.description("The flag before, of which this one tells the same thing anew.")),
});

export type FlagRow = Readonly<v.InferOutput<typeof FlagSchema>>;

/** A flag to be raised. */
export type NewFlag = Pick<
  FlagRow,
  | "asset"
  | "rule"
  | "source"
  | "subject"
  | "origin"
  | "severity"
  | "kind"
  | "metric"
  | "message"
  | "rule_inputs"
>;

/** A flag with its place among the rows that tell one lasting thing. */
export interface ChainedFlag extends FlagRow {
  readonly chain: {
    /** The first flag of the chain; its own id where it renews nothing. */
    readonly first: string;
    /** When that was raised. */
    readonly since: string;
    /** Over how many reports the thing had lasted with this one. */
    readonly reports: number;
    /** The flag that tells it anew; null while this is the last one. */
    readonly renewed_by: string | null;
  };
}

/** One entry of a flag's history. */
export interface FlagRecordRow {
  readonly at: string;
  readonly type: "raised" | "evidence" | "resolved" | "renewed" | "act";
  readonly actor: string;
  readonly data: RuleInputs;
}

/** What of the inputs changed, by name, within objects too; undefined where a name went or stands elsewhere, and they have to be written whole. */
export function inputChange(before: string | null, after: string): RuleInputs | undefined {
  if (before === null) return undefined;
  const change = differenceOf(JSON.parse(before) as RuleInputs, JSON.parse(after) as RuleInputs);
  return changedInputs(before, change) === after ? change : undefined;
}

/** The inputs with a change made. */
export function changedInputs(before: string | null, change: RuleInputs): string {
  return JSON.stringify(merged(before === null ? {} : (JSON.parse(before) as RuleInputs), change));
}

function differenceOf(before: RuleInputs, after: RuleInputs): RuleInputs {
  const changed = Object.entries(after).flatMap(([name, value]): [string, unknown][] => {
    const was = before[name];
    if (JSON.stringify(value) === JSON.stringify(was)) return [];
    return [[name, isInputs(value) && isInputs(was) ? differenceOf(was, value) : value]];
  });
  return Object.fromEntries(changed);
}

function merged(before: RuleInputs, change: RuleInputs): RuleInputs {
  const changed = Object.entries(change).map(([name, value]): [string, unknown] => {
    const was = before[name];
    return [name, isInputs(value) && isInputs(was) ? merged(was, value) : value];
  });
  return { ...before, ...Object.fromEntries(changed) };
}

const isInputs = (value: unknown): value is RuleInputs =>
  typeof value === "object" && value !== null && !Array.isArray(value);

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
