/** Queries of the inbox: a page of flags by status, worst or newest first, and the counts above it. */
import { and, count, desc, eq, isNotNull, isNull, type SQL, sql } from "drizzle-orm";
import type { Db } from "../db/mod.ts";
import type { FlagKind, FlagOrigin, FlagRow, Severity } from "./contract.ts";
import { toFlagRow } from "./row.ts";
import { longestSnooze } from "./snooze_until.ts";
import { flag } from "./table.ts";

/** A snoozed flag is open; in the inbox it stands apart until it wakes. */
export type InboxStatus = "open" | "snoozed" | "resolved";

/** What an operator has made of a flag. */
export type InboxMark = "unread" | "acknowledged" | "incident" | "hypothesis";

/** What the inbox may be narrowed to. */
export interface InboxFilter {
  readonly status: InboxStatus;
  readonly severity?: Severity | undefined;
  readonly kind?: FlagKind | undefined;
  readonly rule?: string | undefined;
  readonly asset?: string | undefined;
  readonly origin?: FlagOrigin | undefined;
  readonly mark?: InboxMark | undefined;
}

/** Flags are counted up to here: a longer list says "10,000 and more". */
export const MOST_COUNTED = 10_000;

// Written out, so that the partial index of the open flags is used.
const OPEN = sql`${flag.status} = 'open'`;
const URGENCY = sql`CASE ${flag.severity} WHEN 'error' THEN 0 WHEN 'warn' THEN 1 ELSE 2 END`;

function conditionOf(filter: InboxFilter, now: number): SQL | undefined {
  return and(
    statusCondition(filter.status, now),
    filter.severity === undefined ? undefined : eq(flag.severity, filter.severity),
    filter.kind === undefined ? undefined : eq(flag.kind, filter.kind),
    filter.rule === undefined ? undefined : eq(flag.rule, filter.rule),
    filter.asset === undefined ? undefined : eq(flag.asset, filter.asset),
    filter.origin === undefined ? undefined : eq(flag.origin, filter.origin),
    markCondition(filter.mark),
  );
}

function statusCondition(status: InboxStatus, now: number): SQL | undefined {
  if (status === "resolved") return eq(flag.status, "resolved");
  const snoozed = sql`coalesce(${flag.snoozed_until}, 0) > ${now} AND ${flag.snoozed_until} <= ${longestSnooze(now)}`;
  return and(OPEN, status === "snoozed" ? sql`(${snoozed})` : sql`NOT (${snoozed})`);
}

function markCondition(mark: InboxMark | undefined): SQL | undefined {
  if (mark === undefined) return undefined;
  if (mark === "unread") return isNull(flag.acked_at);
  return isNotNull(
    { acknowledged: flag.acked_at, incident: flag.incident, hypothesis: flag.hypothesis }[mark],
  );
}

/** One page of the inbox. Resolved flags, of which there may be very many, come newest first whatever is asked. */
export function listInbox(
  db: Db,
  filter: InboxFilter,
  page: {
    readonly sort: "worst" | "newest";
    readonly limit: number;
    readonly offset: number;
    readonly now: number;
  },
): FlagRow[] {
  const order = [desc(flag.raised_at), desc(flag.id)];
  return db
    .select()
    .from(flag)
    .where(conditionOf(filter, page.now))
    .orderBy(...(page.sort === "worst" && filter.status !== "resolved" ? [URGENCY, ...order] : order))
    .limit(page.limit)
    .offset(page.offset)
    .all()
    .map(toFlagRow);
}

/** How many flags match, counted up to `MOST_COUNTED`. */
export function countInbox(db: Db, filter: InboxFilter, now: number): number {
  const matching = db
    .select({ one: sql`1`.as("one") })
    .from(flag)
    .where(conditionOf(filter, now))
    .limit(MOST_COUNTED)
    .as("matching");
  return db.select({ count: count() }).from(matching).get()?.count ?? 0;
}

/** The open flags of a site or of all, counted. */
export interface InboxTally {
  /** Open and not snoozed, by severity. */
  readonly open: Readonly<Record<Severity, number>>;
  /** Sites that have such flags. */
  readonly sites: number;
  readonly snoozed: number;
  /** When the next snooze ends, in milliseconds since the epoch. */
  readonly nextReturn: number | null;
}

/** Counts the open flags. */
export function tallyInbox(db: Db, now: number, asset?: string): InboxTally {
  const ofAsset = asset === undefined ? undefined : eq(flag.asset, asset);
  const awake = and(statusCondition("open", now), ofAsset);
  const open = { error: 0, warn: 0, info: 0 };
  for (const row of db
    .select({ severity: flag.severity, count: count() })
    .from(flag)
    .where(awake)
    .groupBy(flag.severity)
    .all()) {
    open[row.severity] = row.count;
  }
  const sites = db
    .select({ count: sql<number>`count(DISTINCT ${flag.asset})` })
    .from(flag)
    .where(awake)
    .get();
  const snoozed = db
    .select({ count: count(), next: sql<number | null>`min(${flag.snoozed_until})` })
    .from(flag)
    .where(and(statusCondition("snoozed", now), ofAsset))
    .get();
  return { open, sites: sites?.count ?? 0, snoozed: snoozed?.count ?? 0, nextReturn: snoozed?.next ?? null };
}

/** What the open flags can be narrowed by: the rules and sites that have any. */
export function listInboxChoices(db: Db): {
  readonly rules: readonly string[];
  readonly assets: readonly string[];
} {
  const rules = db
    .selectDistinct({ rule: flag.rule })
    .from(flag)
    .where(and(OPEN, isNotNull(flag.rule)))
    .orderBy(flag.rule)
    .all();
  const assets = db.selectDistinct({ asset: flag.asset }).from(flag).where(OPEN).orderBy(flag.asset).all();
  return { rules: rules.flatMap(({ rule }) => rule ?? []), assets: assets.map(({ asset }) => asset) };
}
