/**
 * Flags: what a site, a rule or a provider says is worth a look, and what operators do with it.
 *
 * Judged reports: `reconcile.ts` resolves and raises a rule's flags → `store.ts` writes the row and its record.
 * Lasting conditions (silence, failed pulls): `reconcile.ts` keeps one flag open and appends what every run saw.
 * Flags in a nightly report: `site_flags.ts`. Acts of operators: `acts.ts`.
 * Reading: `queries.ts` (the timeline's, too), `inbox.ts` (lists and counts), `api.ts`.
 *
 * The table `flag` is a read model over the append-only `flag_record`: `store.ts` makes the one of the other. Start with the tables
 * below (snoozes are last), then `reconcile.ts`.
 */

import { and, eq, inArray, sql } from "drizzle-orm";
import {
  check,
  customType,
  index,
  integer,
  primaryKey,
  sqliteTable,
  text,
  uniqueIndex,
} from "drizzle-orm/sqlite-core";
import * as v from "valibot";
import { AssetIdSchema } from "../base/contract.ts";
import { DAY_MS, formatInstant, isAhead, parseInstant, readMoment } from "../base/time.ts";
import { PROVIDERS } from "../providers/adapter.ts";
import { FLOW_RULES, MILESTONE_TOTAL, ruleOf, rulesOfThing, SENT } from "../sites/rule_catalogue.ts";
import { type Db, statement, type Tx } from "../store/store.ts";

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

/** The numbers, reports and thresholds a rule used: what makes a flag provable. */
export type RuleInputs = { readonly [key: string]: unknown };

/** A moment: milliseconds since the epoch in the file, ISO 8601 in a row. */
const instant = customType<{ data: string; driverData: number }>({
  dataType: () => "integer",
  fromDriver: formatInstant,
  toDriver: Date.parse,
});

const inputs = customType<{ data: RuleInputs; driverData: string }>({
  dataType: () => "text",
  fromDriver: (stored) => JSON.parse(stored) as RuleInputs,
  toDriver: (value) => JSON.stringify(value),
});

/** '' in the file where no series is judged, because SQLite counts NULLs as different and unique indexes would not hold. */
const seriesSource = customType<{ data: SeriesSource | null; driverData: string }>({
  dataType: () => "text",
  fromDriver: (stored) => (stored === "" ? null : (stored as SeriesSource)),
  toDriver: (source) => source ?? "",
});

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
  renews: v.pipe(Text, v.description("The flag before, of which this one tells the same again.")),
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

/** A flag with its place among the rows of one lasting thing. */
export interface ChainedFlag extends FlagRow {
  readonly chain: {
    /** The first flag of the chain; its own id where it renews nothing. */
    readonly first: string;
    /** When that was raised. */
    readonly since: string;
    /** Over how many reports the thing had lasted with this one. */
    readonly reports: number;
    /** The flag that renews it; null while this is the last one. */
    readonly renewed_by: string | null;
  };
}

// Written without the table's name, as an index and the queries that use it spell it.
/** Higher is worse: then the newest of the worst is the last entry of an index. */
export const URGENCY = sql`CASE severity WHEN 'error' THEN 2 WHEN 'warn' THEN 1 ELSE 0 END`;
/** The total that a milestone-total flag says was passed. */
const MILESTONE = sql`rule_inputs ->> '$.milestone'`;

/** The first row of a lasting thing; what a report of a day long past said is no news of the day of its arrival. */
export const BEGUN = sql`renews IS NULL AND resolution IS NOT 'older_report'`;
/** The last row of a lasting thing that is over; what was resolved as it was raised, such as a milestone, never lasted. */
export const ENDED = sql`status = 'resolved' AND renewed_by IS NULL AND resolved_at > raised_at`;

/** The flow rules, as an index spells them. */
export const FLOW_IDS = FLOW_RULES.map((rule) => `'${rule}'`).join(", ");
export const FLOW = sql.raw(FLOW_IDS);

/**
 * Flags as they stand now: a read model over `flag_record`, from which it can be rebuilt.
 *
 * A lasting thing that one report after another renews is a chain of rows: each names the one before (`renews`) and the one after
 * (`renewed_by`), and carries its first row, when that was raised and its own place, so that no list has to walk.
 */
export const flag = sqliteTable(
  "flag",
  {
    id: text("id").primaryKey(),
    asset: text("asset").notNull(),
    rule: text("rule"),
    /** Where the judged series comes from. */
    source: seriesSource("source").notNull().default(sql`''`),
    subject: text("subject").notNull(),
    origin: text("origin", { enum: FLAG_ORIGINS }).notNull(),
    severity: text("severity", { enum: SEVERITIES }).notNull(),
    kind: text("kind", { enum: FLAG_KINDS }).notNull(),
    metric: text("metric"),
    message: text("message").notNull(),
    status: text("status", { enum: FLAG_STATUSES }).notNull(),
    rule_inputs: inputs("rule_inputs"),
    raised_at: instant("raised_at").notNull(),
    resolved_at: instant("resolved_at"),
    resolution: text("resolution"),
    acked_at: instant("acked_at"),
    acked_by: text("acked_by"),
    snoozed_until: instant("snoozed_until"),
    tuned_at: instant("tuned_at"),
    incident: text("incident"),
    hypothesis: text("hypothesis"),
    renews: text("renews"),
    renewed_by: text("renewed_by"),
    /** The first row of the chain; its own id where it renews nothing. */
    chain: text("chain").notNull().default(""),
    /** When the first row of the chain was raised. */
    since: instant("since").notNull().default(sql`0`),
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
    // Without the id, which would be most of an entry: flags of one moment are few, and sorted as they are read.
    index("flag_by_asset").on(t.asset, t.raised_at),
    index("flag_by_time").on(t.raised_at),
    index("flag_open").on(t.asset, t.severity, t.snoozed_until).where(sql`${t.status} = 'open'`),
    // The order of the inbox, read from its end: a page of fifty costs fifty steps, however many flags are open.
    index("flag_open_worst").on(URGENCY, t.since, t.id, t.snoozed_until).where(sql`${t.status} = 'open'`),
    // The same for the read API, whose lists go by the time of raising.
    index("flag_open_by_time").on(t.raised_at).where(sql`${t.status} = 'open'`),
    // What is over, each lasting thing once, by when it ended: a flag raised under a clock that ran ahead must not lead for months. The
    // timeline counts what ended by day and severity from these two alone.
    index("flag_over")
      .on(t.resolved_at, t.id, t.severity, t.raised_at)
      .where(sql`${t.status} = 'resolved' AND ${t.renewed_by} IS NULL`),
    index("flag_over_of_asset")
      .on(t.asset, t.resolved_at, t.id, t.severity, t.raised_at)
      .where(sql`${t.status} = 'resolved' AND ${t.renewed_by} IS NULL`),
    index("flag_over_of_rule")
      .on(t.rule, t.resolved_at, t.id)
      .where(sql`${t.status} = 'resolved' AND ${t.renewed_by} IS NULL`),
    // When each lasting thing began, by severity: the timeline counts them from the indexes alone.
    index("flag_begun").on(t.raised_at, t.severity).where(BEGUN),
    index("flag_begun_of_asset").on(t.asset, t.raised_at, t.severity).where(BEGUN),
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

/** The row of `flag` as the program has it. */
export type FlagState = typeof flag.$inferSelect;

/** The columns of a select that gives `FlagRow`s. */
export const FLAG_ROW = Object.fromEntries(
  Object.keys(FlagSchema.entries).map((name) => [name, flag[name as keyof FlagRow]]),
) as Pick<typeof flag, keyof FlagRow>;

/** The columns of a select that gives `ChainedFlag`s. */
export const CHAINED_FLAG = {
  ...FLAG_ROW,
  chain: { first: flag.chain, since: flag.since, reports: flag.reports, renewed_by: flag.renewed_by },
};

/** Everything that ever happened to a flag, in order: raised, evidence, resolved, renewed, and each act. Append-only. */
export const flagRecord = sqliteTable(
  "flag_record",
  {
    id: integer("id").primaryKey(),
    flag: text("flag").notNull(),
    at: instant("at").notNull(),
    type: text("type", { enum: ["raised", "evidence", "resolved", "renewed", "act"] }).notNull(),
    actor: text("actor").notNull(),
    data: inputs("data").notNull(),
  },
  (t) => [
    // A lasting flag has thousands of evidence rows; its few acts must not be sought among them. Each row stands in one of the two.
    index("flag_record_acts").on(t.flag, t.id).where(sql`${t.type} <> 'evidence'`),
    index("flag_record_evidence").on(t.flag, t.id).where(sql`${t.type} = 'evidence'`),
  ],
);

/** Running snoozes. A snooze belongs to (rule, asset, source, subject), so that a flag raised again while it runs carries it on. */
export const flagSnooze = sqliteTable(
  "flag_snooze",
  {
    /** '' for a flag that a site sent. */
    rule: text("rule").notNull(),
    asset: text("asset").notNull(),
    /** '' where no series is judged. */
    source: text("source", { enum: ["", ...SERIES_SOURCES] }).notNull(),
    subject: text("subject").notNull(),
    /** Milliseconds since the epoch, as `set_at`. */
    until: integer("until").notNull(),
    set_at: integer("set_at").notNull(),
    set_by: text("set_by").notNull(),
  },
  (t) => [primaryKey({ columns: [t.rule, t.asset, t.source, t.subject] })],
);

// Snoozes: when one runs, and the running ones, one per (rule, asset, source, subject). Nothing is written when its time is over.

/** The longest snooze: a year, leap days included. */
const LONGEST_MS = 366 * DAY_MS;

/** The last moment until which a snooze set now may run. */
export function longestSnooze(now: number): number {
  return now + LONGEST_MS;
}

/** Whether a snooze until then still runs. One that ends beyond the longest was set under a clock that was ahead, and mutes nothing. */
export function snoozeRuns(until: number, now: number): boolean {
  return until > now && until <= longestSnooze(now);
}

/** Whether a flag is snoozed. */
export function isSnoozed(flag: Pick<FlagRow, "status" | "snoozed_until">, now: number): boolean {
  const until = flag.snoozed_until === null ? undefined : parseInstant(flag.snoozed_until);
  return flag.status === "open" && until !== undefined && snoozeRuns(until, now);
}

/** When a snooze ends, or what is wrong with the text. */
type Until = { readonly ok: true; readonly until: number } | { readonly ok: false; readonly message: string };

/**
 * Reads when a snooze ends: a number of days from now (`days`), or an instant, a date (its midnight) or a minute, all in UTC
 * (`until`). It lies ahead, and by a year at most.
 */
export function readUntil(
  asked: { readonly days?: string | undefined; readonly until?: string | undefined },
  now: number,
): Until {
  const { days = "", until: typed = "" } = asked;
  const count = /^\d{1,3}$/.test(days) ? Number(days) : 0;
  const until = days === "" ? readMoment(typed) : count > 0 ? now + count * DAY_MS : undefined;
  if (until === undefined) return { ok: false, message: "Give a date, or a date and a time in UTC." };
  if (until <= now) return { ok: false, message: "This moment is over. Give one that lies ahead." };
  if (until > longestSnooze(now)) return { ok: false, message: "A snooze lasts a year at most." };
  return { ok: true, until };
}

/**
 * The line of a rule: the rules that speak of one lasting thing, and how long after a reading resolved its flag the next one still
 * continues it; 0 where only a flag that is resolved and raised in the same judging lasts.
 */
export function lineOf(rule: string) {
  return { rules: rulesOfThing(rule), gapMs: (ruleOf(rule)?.lasts?.pauseDays ?? 0) * DAY_MS };
}

/** What a snooze belongs to; a flag that a site sent has no rule. */
interface Subject {
  readonly rule: string | null;
  readonly asset: string;
  readonly source: SeriesSource | "" | null;
  readonly subject: string;
}

/** A snooze as it is stored: what it belongs to ('' for a flag that a site sent), until when, and who set it when. */
export type Snooze = typeof flagSnooze.$inferSelect;

const byKey = statement<{ until: number; set_at: number }, [string, string, string, string]>(
  "SELECT until, set_at FROM flag_snooze WHERE rule = ? AND asset = ? AND source = ? AND subject = ?",
);

/** Until when a snooze runs; undefined when there is none, it has run out, or it was set under a clock that was ahead. */
export function findRunningSnooze(db: Db, of: Subject, now: number): number | undefined {
  const row = byKey(db).first(of.rule ?? "", of.asset, of.source ?? "", of.subject);
  return row !== undefined && snoozeRuns(row.until, now) && !isAhead(row.set_at, now) ? row.until : undefined;
}

/**
 * Sets or moves a snooze. A flag carries it on to the next one of its thing, which another rule of its line may raise: so one
 * thing never has two snoozes.
 */
export function startSnooze(tx: Tx, of: Subject, snooze: { until: number; now: number; by: string }): void {
  endSnooze(tx, of);
  const { rule, asset, source, subject } = of;
  const key = { rule: rule ?? "", asset, source: source ?? "", subject } as const;
  tx.insert(flagSnooze)
    .values({ ...key, until: snooze.until, set_at: snooze.now, set_by: snooze.by })
    .run();
}

/** Ends a snooze, whichever rule of the line it was set on. */
export function endSnooze(tx: Tx, { rule, asset, source, subject }: Subject): void {
  tx.delete(flagSnooze)
    .where(
      and(
        inArray(flagSnooze.rule, rule === null || rule === "" ? [""] : [...lineOf(rule).rules]),
        eq(flagSnooze.asset, asset),
        eq(flagSnooze.source, source ?? ""),
        eq(flagSnooze.subject, subject),
      ),
    )
    .run();
}

/** Every snooze, of one asset when given, run out or not. */
export function listSnoozes(db: Db, asset?: string): Snooze[] {
  return db
    .select()
    .from(flagSnooze)
    .where(asset === undefined ? undefined : eq(flagSnooze.asset, asset))
    .all();
}
