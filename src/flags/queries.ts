/** Reads flags: one, a list by filter, those of one chain, and what a rule has open. */

import { and, desc, eq, inArray, isNull, like, or, type Placeholder, type SQL, sql } from "drizzle-orm";
import { FLOW_RULES, isFlowRule, MILESTONE_TOTAL } from "../sites/rule_catalogue.ts";
import { type Db, prepared, statement } from "../store/store.ts";
import {
  BEGUN,
  CHAINED_FLAG,
  type ChainedFlag,
  ENDED,
  FLAG_ROW,
  FLOW_IDS,
  type FlagRow,
  type FlagStatus,
  flag,
  type RuleInputs,
  type SeriesSource,
  type Severity,
  URGENCY,
} from "./flags.ts";

// 'open' is written out in every query, so that the partial indexes of what is open fit.
const OPEN = sql`${flag.status} = 'open'`;

/** One flag, or undefined. */
export function findFlag(db: Db, id: string): FlagRow | undefined {
  return db.select(FLAG_ROW).from(flag).where(eq(flag.id, id)).get();
}

/** One flag with its chain, or undefined. */
export function findChainedFlag(db: Db, id: string): ChainedFlag | undefined {
  return db.select(CHAINED_FLAG).from(flag).where(eq(flag.id, id)).get();
}

/** These flags with their chains, in no order. */
export function listFlagsById(db: Db, ids: readonly string[]): ChainedFlag[] {
  if (ids.length === 0) return [];
  return db.select(CHAINED_FLAG).from(flag).where(inArray(flag.id, ids)).all();
}

/** What of a filter is a column's value. */
const EQUAL = ["asset", "rule", "severity", "kind", "origin", "metric", "subject"] as const;

/** What a list of flags may be narrowed to; `from` and `to` are instants, `to` exclusive. */
interface FlagFilter extends Partial<Readonly<Record<(typeof EQUAL)[number], string | undefined>>> {
  readonly status?: FlagStatus | undefined;
  readonly source?: SeriesSource | undefined;
  /** Rules whose id starts so, such as all of one family. */
  readonly rulePrefix?: string | undefined;
  /** Each lasting thing once, as its last flag. */
  readonly last?: boolean | undefined;
  readonly from?: number | undefined;
  readonly to?: number | undefined;
}

/** Where a page of flags goes on: after this one, going back in time. */
interface FlagCursor {
  readonly raised_at: number;
  readonly id: string;
}

function conditionOf(filter: FlagFilter, after?: FlagCursor): SQL | undefined {
  const { status, source, rulePrefix, last, from, to } = filter;
  const equal = EQUAL.map((name) => {
    const value = filter[name];
    return value === undefined ? undefined : sql`${flag[name]} = ${value}`;
  });
  return and(
    ...equal,
    source === undefined ? undefined : eq(flag.source, source),
    status === "open" ? OPEN : undefined,
    status === "resolved" ? sql`${flag.status} = 'resolved'` : undefined,
    rulePrefix === undefined ? undefined : like(flag.rule, `${rulePrefix}%`),
    last === true ? isNull(flag.renewed_by) : undefined,
    from === undefined ? undefined : sql`${flag.raised_at} >= ${from}`,
    to === undefined ? undefined : sql`${flag.raised_at} < ${to}`,
    after === undefined
      ? undefined
      : sql`(${flag.raised_at} < ${after.raised_at} OR ${flag.raised_at} <= ${after.raised_at} AND ${flag.id} < ${after.id})`,
  );
}

/** Flags, newest first, at most `limit`. */
export function listFlags(db: Db, filter: FlagFilter, limit: number, after?: FlagCursor): FlagRow[] {
  const found = db.select(FLAG_ROW).from(flag).where(conditionOf(filter, after));
  return found.orderBy(desc(flag.raised_at), desc(flag.id)).limit(limit).all();
}

/** The same flags with their chains: what a page lists. */
export function listChainedFlags(db: Db, filter: FlagFilter, limit: number): ChainedFlag[] {
  const found = db.select(CHAINED_FLAG).from(flag).where(conditionOf(filter));
  return found.orderBy(desc(flag.raised_at), desc(flag.id)).limit(limit).all();
}

/** The flags of a chain from one of them on: `renews` leads back, `renewed_by` ahead. An index of chains would cost every report that renews one. */
const walked = (id: string | Placeholder, link: "renews" | "renewed_by", limit = -1) => {
  const next = sql.raw(link);
  return sql`WITH RECURSIVE walked(id, next) AS (SELECT id, ${next} FROM flag WHERE id = ${id}
    UNION ALL SELECT flag.id, flag.${next} FROM walked JOIN flag ON flag.id = walked.next LIMIT ${limit})`;
};

const lastOfChain = prepared((db) => {
  const chain = walked(sql.placeholder("first"), "renewed_by");
  const last = sql`(${chain} SELECT id FROM walked WHERE next IS NULL)`;
  return db.select(CHAINED_FLAG).from(flag).where(sql`${flag.id} = ${last}`).prepare();
});

/** The last flag of a chain: how the thing is now. */
export function findLastOfChain(db: Db, first: string): ChainedFlag | undefined {
  return lastOfChain(db).get({ first });
}

/**
 * The flags of a chain before one of them, newest first, at most `limit`; one that an operator resolved and raised again stands at
 * the place of the one that renews it.
 */
export function listEarlier(db: Db, of: ChainedFlag, limit: number): ChainedFlag[] {
  if (of.renews === null) return [];
  const earlier = sql`(${walked(of.renews, "renews", limit)} SELECT id FROM walked)`;
  return db
    .select(CHAINED_FLAG)
    .from(flag)
    .where(sql`${flag.id} IN ${earlier}`)
    .orderBy(desc(flag.reports), desc(flag.raised_at))
    .all();
}

// Spelt as the index spells it, whose last entry for the series is the answer.
const highestMilestone = statement<{ milestone: number | null }, [string, string, string]>(
  `SELECT rule_inputs ->> '$.milestone' AS milestone FROM flag
   WHERE asset = ? AND source = ? AND metric = ? AND rule = '${MILESTONE_TOTAL}'
   ORDER BY rule_inputs ->> '$.milestone' DESC LIMIT 1`,
);

/** The highest milestone of a series that was ever raised: a total that was corrected down passes nothing twice. */
export function latestMilestone(
  db: Db,
  asset: string,
  source: SeriesSource,
  metric: string,
): number | undefined {
  return highestMilestone(db).first(asset, source, metric)?.milestone ?? undefined;
}

const openSubjects = statement<
  Pick<FlagRow, "id" | "subject" | "severity" | "message"> & {
    readonly rule_inputs: string | null;
    readonly snoozedUntil: number | null;
  },
  [string, string, string | null]
>(
  `SELECT id, subject, severity, message, rule_inputs, snoozed_until AS snoozedUntil FROM flag
   WHERE asset = ?1 AND rule = ?2 AND status = 'open' AND subject = coalesce(?3, subject) ORDER BY id`,
);

/** An open flag of a lasting condition: whose it is, and until when it is snoozed, in milliseconds since the epoch. */
export type HeldFlag = Pick<ReturnType<typeof listOpenSubjects>[number], "id" | "subject" | "snoozedUntil">;

/** The flags that a rule has open on an asset, with the message and inputs of the last run; of one subject where it is given. */
export function listOpenSubjects(db: Db, rule: string, asset: string, subject: string | null = null) {
  return openSubjects(db)
    .all(asset, rule, subject)
    .map(({ rule_inputs, ...row }) => ({ ...row, inputs: JSON.parse(rule_inputs ?? "{}") as RuleInputs }));
}

/** The ids of an asset's open flags. */
export function listOpenIds(db: Db, asset: string): string[] {
  const open = db
    .select({ id: flag.id })
    .from(flag)
    .where(and(eq(flag.asset, asset), OPEN));
  return open.all().map(({ id }) => id);
}

/** Whether one like it is open, so that a flag of the rule cannot be raised: one of a rule and subject, and of a metric one flow flag. */
export function isOpenAlready(
  db: Db,
  of: Pick<FlagRow, "asset" | "source" | "subject" | "metric"> & { readonly rule: string },
): boolean {
  const same = and(eq(flag.rule, of.rule), eq(flag.subject, of.subject));
  const flows = isFlowRule(of.rule)
    ? and(inArray(flag.rule, [...FLOW_RULES]), eq(flag.metric, of.metric ?? ""))
    : undefined;
  const ofSeries = and(eq(flag.asset, of.asset), OPEN, sql`${flag.source} = ${of.source ?? ""}`);
  return (
    db
      .select({ id: flag.id })
      .from(flag)
      .where(and(ofSeries, or(same, flows)))
      .get() !== undefined
  );
}

/** The newest flag that a rule raised on a subject, open or over; `rule` null for what a site sent, `source` null where no series is judged. */
export function findLatestOf(
  db: Db,
  of: Pick<FlagRow, "asset" | "subject"> & {
    readonly rule: string | null;
    readonly source?: SeriesSource | null;
  },
): FlagRow | undefined {
  const ofRule = of.rule === null ? isNull(flag.rule) : eq(flag.rule, of.rule);
  const ofSubject = and(sql`${flag.source} = ${of.source ?? ""}`, eq(flag.subject, of.subject));
  return db
    .select(FLAG_ROW)
    .from(flag)
    .where(and(eq(flag.asset, of.asset), ofRule, ofSubject))
    .orderBy(desc(flag.raised_at))
    .limit(1)
    .get();
}

interface FlowFlagRow extends Pick<FlagRow, "id" | "severity"> {
  readonly rule: string;
  readonly raisedAt: number;
  readonly inputs: string | null;
  /** Whether the day before was flagged for the same thing, too. */
  readonly isSecondDay: number;
}

/** A flag of a flow rule, to be compared with the others of its day. */
export type FlowFlag = ReturnType<typeof toFlowFlag>;

const OF_FLOW = `rule IN (${FLOW_IDS})`;
const FLOW_FLAG = `SELECT id, rule, severity, raised_at AS raisedAt, rule_inputs AS inputs, EXISTS (
    WITH RECURSIVE before(renews, day) AS (SELECT f.renews, NULL
      UNION ALL SELECT b.renews, b.rule_inputs ->> '$.day' FROM before JOIN flag AS b ON b.id = before.renews)
    SELECT 1 FROM before WHERE day = date(f.rule_inputs ->> '$.day', '-1 day')
  ) AS isSecondDay FROM flag AS f`;

const openFlowFlags = statement<FlowFlagRow, []>(`${FLOW_FLAG} WHERE status = 'open' AND ${OF_FLOW}`);
const flowFlagById = statement<FlowFlagRow, [string]>(`${FLOW_FLAG} WHERE id = ? AND ${OF_FLOW}`);
const flowFlagsRaised = statement<FlowFlagRow, [number, number, number]>(
  `${FLOW_FLAG} WHERE raised_at >= ? AND raised_at < ? AND ${OF_FLOW}
   AND (status = 'open' OR resolution = 'operator' OR resolved_at >= ?)`,
);

/** The open flags of the flow rules; of a flag that is over, itself alone. */
export function listFlowFlags(db: Db, id?: string): FlowFlag[] {
  return (id === undefined ? openFlowFlags(db).all() : flowFlagById(db).all(id)).map(toFlowFlag);
}

/** The flags that the flow rules raised from one instant until another, without those that a later judging took back until then. */
export function listFlowFlagsRaised(db: Db, from: number, to: number): FlowFlag[] {
  return flowFlagsRaised(db).all(from, to, to).map(toFlowFlag);
}

function toFlowFlag({ inputs, isSecondDay, ...row }: FlowFlagRow) {
  return { ...row, inputs: JSON.parse(inputs ?? "{}") as RuleInputs, isSecondDay: isSecondDay === 1 };
}

// When lasting things began and ended. A thing that every report renews is one.

/** What happened to the thing that a flag is about. */
export type FlagTurn = "raised" | "resolved";

/** Which of them; `from` and `to` are instants, `to` excluded. */
interface FlagMoments {
  readonly turn: FlagTurn;
  readonly asset?: string | undefined;
  readonly severity?: Severity | undefined;
  readonly from: number;
  readonly to: number;
}

// Without the table's name, as the partial indexes spell it, which hold all that is asked.
const TURNS = {
  raised: { at: sql<number>`raised_at`, is: BEGUN },
  resolved: { at: sql<number>`resolved_at`, is: ENDED },
} as const;

function within({ turn, asset, from, to }: FlagMoments): SQL | undefined {
  const { at, is } = TURNS[turn];
  return and(
    asset === undefined ? undefined : eq(flag.asset, asset),
    is,
    sql`${at} >= ${from} AND ${at} < ${to}`,
  );
}

/** The flags that began, or ended, between two moments: the newest first, or the worst; at most `limit`. */
export function listFlagMoments(
  db: Db,
  of: FlagMoments,
  order: "newest" | "worst",
  limit: number,
): ChainedFlag[] {
  const { at } = TURNS[of.turn];
  return db
    .select(CHAINED_FLAG)
    .from(flag)
    .where(and(within(of), of.severity === undefined ? undefined : eq(flag.severity, of.severity)))
    .orderBy(...(order === "worst" ? [desc(URGENCY)] : []), desc(at), desc(flag.id))
    .limit(limit)
    .all();
}
