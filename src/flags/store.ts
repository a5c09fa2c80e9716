import { and, desc, eq, gte, isNull, like, lt, lte, or, type SQL, sql } from "drizzle-orm";
import { type Db, prepared, statement, type Tx } from "../store/store.ts";
import {
  type ChainedFlag,
  type FlagKind,
  type FlagOrigin,
  type FlagRow,
  type FlagStatus,
  flag,
  type NewFlag,
  type RuleInputs,
  type SeriesSource,
  type Severity,
} from "./flags.ts";
import { toChainedFlag, toFlagRow } from "./moments.ts";
import { appendRecord } from "./records.ts";
import type { Renewal } from "./renewal.ts";
import { findRunningSnooze } from "./replay.ts";

const p = sql.placeholder;

const insertFlag = statement<
  never,
  [
    string,
    string,
    string | null,
    string,
    string,
    string,
    string,
    string,
    string | null,
    string,
    string | null,
    number,
    number | null,
    number | null,
    string | null,
    string | null,
    string | null,
    string | null,
    string,
    number,
    number,
    number | null,
  ]
>(
  `INSERT INTO flag (id, asset, rule, source, subject, origin, severity, kind, metric, message, rule_inputs, raised_at, snoozed_until,
     acked_at, acked_by, incident, hypothesis, renews, chain, since, reports, tuned_at, status)
   VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'open')`,
);

const setRenewed = statement<never, [string, string]>("UPDATE flag SET renewed_by = ? WHERE id = ?");

const markResolved = statement<never, [number, string, string | null, string]>(
  "UPDATE flag SET status = 'resolved', resolved_at = ?, resolution = ?, renewed_by = ? WHERE id = ? AND status = 'open'",
);

// 'open' is written out: as a parameter it would not be seen to fit the partial index, and all of an asset's past would be read.
const openByRule = statement<{ id: string; rule: string; source: string; subject: string }, [string]>(
  "SELECT id, rule, source, subject FROM flag WHERE asset = ? AND status = 'open' AND rule IS NOT NULL",
);

const openOfCondition = prepared((db) =>
  db
    .select({ id: flag.id, message: flag.message, rule_inputs: flag.rule_inputs })
    .from(flag)
    .where(
      and(
        eq(flag.rule, p("rule")),
        eq(flag.asset, p("asset")),
        eq(flag.source, p("source")),
        eq(flag.subject, p("subject")),
        sql`${flag.status} = 'open' AND ${flag.rule} IS NOT NULL`,
      ),
    )
    .prepare(),
);

// Not ordered: for that SQLite would read all that the site ever had, in the order of raising.
const openOfSite = statement<
  Pick<FlagRow, "id" | "severity" | "kind" | "metric" | "message"> & {
    readonly rule_inputs: string | null;
    readonly raised_at: number;
  },
  [string]
>(
  `SELECT id, severity, kind, metric, message, rule_inputs, raised_at FROM flag
   WHERE asset = ? AND status = 'open' AND origin = 'site'`,
);

/** An open flag of a rule, for reconciling. */
export interface OpenRuleFlag {
  readonly id: string;
  readonly rule: string;
  readonly source: SeriesSource | null;
  readonly subject: string;
}

/** The open rule flags of an asset. */
export function listOpenRuleFlags(tx: Tx, asset: string): OpenRuleFlag[] {
  return openByRule(tx)
    .all(asset)
    .map((row) => ({ ...row, source: row.source === "" ? null : (row.source as SeriesSource) }));
}

/**
 * Inserts an open flag and its "raised" record. A snooze that runs for its (rule, asset, source, subject) is carried on: the
 * flag is snoozed from the start. One that renews another carries what that one was given.
 */
export function insertOpenFlag(
  tx: Tx,
  id: string,
  raised: NewFlag,
  now: number,
  actor: string,
  renewal?: Renewal,
): void {
  const rule_inputs = raised.rule_inputs === null ? null : JSON.stringify(raised.rule_inputs);
  const snoozed_until = findRunningSnooze(tx, raised, now) ?? renewal?.snoozed_until ?? null;
  const { asset, rule, source, subject, origin, severity, kind, metric, message } = raised;
  insertFlag(tx).run(
    id,
    asset,
    rule,
    source ?? "",
    subject,
    origin,
    severity,
    kind,
    metric,
    message,
    rule_inputs,
    now,
    snoozed_until,
    renewal?.acked_at ?? null,
    renewal?.acked_by ?? null,
    renewal?.incident ?? null,
    renewal?.hypothesis ?? null,
    renewal?.renews ?? null,
    renewal?.chain ?? id,
    renewal?.since ?? now,
    renewal?.reports ?? 1,
    renewal?.tuned_at ?? null,
  );
  const carried = snoozed_until === null ? {} : { snoozed_until };
  const data =
    renewal === undefined ? { ...raised, ...carried } : { ...raised, set: { ...renewal, snoozed_until } };
  appendRecord(tx, { flag: id, at: now, type: "raised", actor, data });
}

/** The columns that an act or a site's next report may set. */
export type FlagChange = Partial<
  Pick<
    typeof flag.$inferSelect,
    | "status"
    | "resolved_at"
    | "resolution"
    | "acked_at"
    | "acked_by"
    | "snoozed_until"
    | "tuned_at"
    | "incident"
    | "hypothesis"
    | "message"
    | "rule_inputs"
  >
>;

/** Sets columns of a flag; the caller appends the record that says why. */
export function changeFlag(tx: Tx, id: string, set: FlagChange): void {
  tx.update(flag).set(set).where(eq(flag.id, id)).run();
}

/**
 * Resolves an open flag; `resolution` says why. Where one is about to tell its thing anew, that is set at once, since a flag that
 * nothing renews stands in three indexes of its own: the caller appends the record of it (`recordRenewed`) when the new one is there.
 */
export function resolveFlag(
  tx: Tx,
  id: string,
  resolution: string,
  now: number,
  actor: string,
  renewedBy: string | null = null,
): void {
  markResolved(tx).run(now, resolution, renewedBy, id);
  appendRecord(tx, { flag: id, at: now, type: "resolved", actor, data: { resolution } });
}

/** Notes on a flag that was over which one tells its thing anew. */
export function markRenewed(tx: Tx, id: string, by: string, now: number, actor: string): void {
  setRenewed(tx).run(by, id);
  recordRenewed(tx, id, by, now, actor);
}

/** Appends the record of which flag tells its thing anew. */
export function recordRenewed(tx: Tx, id: string, by: string, now: number, actor: string): void {
  appendRecord(tx, { flag: id, at: now, type: "renewed", actor, data: { set: { renewed_by: by } } });
}

/** The open flag of a condition, with its inputs as they are stored. */
export function findHeldFlag(
  tx: Tx,
  held: {
    readonly rule: string;
    readonly asset: string;
    readonly source: SeriesSource | null;
    readonly subject: string;
  },
): { id: string; message: string; rule_inputs: string | null } | undefined {
  return openOfCondition(tx).get({ ...held, source: held.source ?? "" });
}

/** The open flags that an asset sent itself, oldest first. */
export function listOpenSiteFlags(
  tx: Tx,
  asset: string,
): (Pick<FlagRow, "id" | "severity" | "kind" | "metric" | "message"> & {
  readonly rule_inputs: RuleInputs | null;
})[] {
  return openOfSite(tx)
    .all(asset)
    .sort((a, b) => a.raised_at - b.raised_at || (a.id < b.id ? -1 : 1))
    .map(({ raised_at: _, ...row }) => ({
      ...row,
      rule_inputs: row.rule_inputs === null ? null : (JSON.parse(row.rule_inputs) as RuleInputs),
    }));
}

/** What a list of flags may be narrowed to; `from` and `to` are instants, `to` exclusive. */
interface FlagFilter {
  readonly asset?: string | undefined;
  readonly status?: FlagStatus | undefined;
  readonly rule?: string | undefined;
  /** Rules whose id starts so, such as all of one family. */
  readonly rulePrefix?: string | undefined;
  readonly severity?: Severity | undefined;
  readonly kind?: FlagKind | undefined;
  readonly origin?: FlagOrigin | undefined;
  readonly metric?: string | undefined;
  readonly subject?: string | undefined;
  readonly source?: SeriesSource | undefined;
  /** Each lasting thing once, as the flag that told it last. */
  readonly last?: boolean | undefined;
  readonly from?: number | undefined;
  readonly to?: number | undefined;
}

/** Where a page of flags goes on: after this one, going back in time. */
interface FlagCursor {
  readonly raised_at: number;
  readonly id: string;
}

/** Flags, newest first, at most `limit`. */
export function listFlags(db: Db, filter: FlagFilter, limit: number, after?: FlagCursor): FlagRow[] {
  return selectFlags(db, filter, limit, after).map(toFlagRow);
}

/** The same flags with their chains: what a page lists. */
export function listChainedFlags(db: Db, filter: FlagFilter, limit: number): ChainedFlag[] {
  return selectFlags(db, filter, limit).map(toChainedFlag);
}

/** What of a filter is a column's value. */
const EQUAL = ["asset", "rule", "severity", "kind", "origin", "metric", "subject", "source"] as const;

function equal(name: (typeof EQUAL)[number], value: string | undefined): SQL | undefined {
  return value === undefined ? undefined : eq(flag[name], value);
}

function isBehind({ raised_at, id }: FlagCursor): SQL | undefined {
  return or(lt(flag.raised_at, raised_at), and(lte(flag.raised_at, raised_at), lt(flag.id, id)));
}

function selectFlags(db: Db, filter: FlagFilter, limit: number, after?: FlagCursor) {
  const conditions: (SQL | undefined)[] = [
    ...EQUAL.map((name) => equal(name, filter[name])),
    // Written out: the open ones stand in indexes of their own, and all of a site's past would be read for them.
    filter.status === "open" ? sql`${flag.status} = 'open'` : undefined,
    filter.status === "resolved" ? sql`${flag.status} = 'resolved'` : undefined,
    filter.rulePrefix === undefined ? undefined : like(flag.rule, `${filter.rulePrefix}%`),
    filter.last === true ? isNull(flag.renewed_by) : undefined,
    filter.from === undefined ? undefined : gte(flag.raised_at, filter.from),
    filter.to === undefined ? undefined : lt(flag.raised_at, filter.to),
    after === undefined ? undefined : isBehind(after),
  ];
  return db
    .select()
    .from(flag)
    .where(and(...conditions))
    .orderBy(desc(flag.raised_at), desc(flag.id))
    .limit(limit)
    .all();
}

/** One flag, or undefined. */
export function findFlag(db: Db, id: string): FlagRow | undefined {
  const row = db.select().from(flag).where(eq(flag.id, id)).get();
  return row === undefined ? undefined : toFlagRow(row);
}

/** One flag with its chain, or undefined. */
export function findChainedFlag(db: Db, id: string): ChainedFlag | undefined {
  const row = db.select().from(flag).where(eq(flag.id, id)).get();
  return row === undefined ? undefined : toChainedFlag(row);
}

/** Raises a flag that says something and is over: a milestone asks for nothing. */

export function raiseResolved(
  tx: Tx,
  raised: NewFlag,
  by: { readonly id: string; readonly now: number; readonly actor: string; readonly resolution: string },
): void {
  insertOpenFlag(tx, by.id, raised, by.now, by.actor);
  resolveFlag(tx, by.id, by.resolution, by.now, by.actor);
}
