/** Queries of the inbox: a page of flags by status, worst or newest first, and the counts above it. */

import { and, count, desc, eq, isNotNull, isNull, not, or, type SQL, sql } from "drizzle-orm";
import { unionAll } from "drizzle-orm/sqlite-core";
import { STALE_INGEST } from "../sites/catalogue.ts";
import { type Db, statement } from "../store/db_open.ts";
import {
  type ChainedFlag,
  type FlagKind,
  type FlagOrigin,
  flag,
  type SeriesSource,
  type Severity,
  URGENCY,
} from "./input_change.ts";
import { toChainedFlag } from "./moment_store.ts";
import { longestSnooze } from "./rebuild.ts";

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
  /** Whose flags, with those about it that were raised on the service's own site. */
  readonly asset?: string | undefined;
  readonly origin?: FlagOrigin | undefined;
  /** Who told the judged figures. */
  readonly source?: SeriesSource | undefined;
  readonly mark?: InboxMark | undefined;
}

/** Flags are counted up to here: a longer list says "10,000 and more". */
export const MOST_COUNTED = 10_000;

// Written out, so that the partial indexes are used.
const OPEN = sql`${flag.status} = 'open'`;
/** What is over, each lasting thing once: as the flag that told it last. */
const OVER = sql`${flag.status} = 'resolved' AND ${flag.renewed_by} IS NULL`;

function conditionOf(
  filter: InboxFilter,
  now: number,
  ofSite = siteCondition(filter.asset),
): SQL | undefined {
  return and(
    ofSite,
    statusCondition(filter.status, now),
    filter.severity === undefined ? undefined : eq(flag.severity, filter.severity),
    filter.kind === undefined ? undefined : eq(flag.kind, filter.kind),
    filter.rule === undefined ? undefined : eq(flag.rule, filter.rule),
    filter.origin === undefined ? undefined : eq(flag.origin, filter.origin),
    filter.source === undefined ? undefined : eq(flag.source, filter.source),
    markCondition(filter.mark),
  );
}

const aboutSite = (asset: string) => and(eq(flag.rule, STALE_INGEST), eq(flag.subject, asset));

function siteCondition(asset: string | undefined): SQL | undefined {
  return asset === undefined ? undefined : or(eq(flag.asset, asset), aboutSite(asset));
}

function statusCondition(status: InboxStatus, now: number): SQL | undefined {
  if (status === "resolved") return OVER;
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

/**
 * One page of the inbox. A lasting thing stands where it began: told anew every night, it would else be the newest every
 * morning. Resolved flags, of which there may be very many, come as they ended, the last first, whatever is asked.
 */
export function listInbox(
  db: Db,
  filter: InboxFilter,
  page: {
    readonly sort: "worst" | "newest";
    readonly limit: number;
    readonly offset: number;
    readonly now: number;
    /** Open flags that stand behind all others in the order of the worst. */
    readonly behind?: readonly string[];
  },
): ChainedFlag[] {
  const { limit, offset, now, behind = [] } = page;
  if (behind.length === 0 || filter.status === "resolved" || page.sort === "newest")
    return listed(db, filter, page);
  // Two lists, each in the order of its index: one in an order of both would be sorted, however many flags are open.
  const isBehind = sql`${flag.id} IN (SELECT value FROM json_each(${JSON.stringify(behind)}))`;
  const before = listed(db, filter, page, not(isBehind));
  if (before.length === limit) return before;
  const offsetBehind = before.length > 0 ? 0 : offset - countInbox(db, filter, now, not(isBehind));
  const rest = { ...page, limit: limit - before.length, offset: Math.max(0, offsetBehind) };
  return [...before, ...listed(db, filter, rest, isBehind)];
}

function listed(
  db: Db,
  filter: InboxFilter,
  page: Omit<Parameters<typeof listInbox>[2], "behind">,
  among?: SQL,
): ChainedFlag[] {
  const order = orderOf(filter.status, page.sort);
  const matching = (ofSite?: SQL) =>
    db
      .select()
      .from(flag)
      .where(and(conditionOf(filter, page.now, ofSite), among));
  // Two lists in the order of their indexes are merged; one with an OR would be sorted, however much is over.
  const isMerged = filter.asset !== undefined && filter.status === "resolved";
  const found = isMerged
    ? unionAll(matching(eq(flag.asset, filter.asset)), matching(aboutSite(filter.asset)))
    : matching();
  return found
    .orderBy(...order)
    .limit(page.limit)
    .offset(page.offset)
    .all()
    .map(toChainedFlag);
}

function orderOf(status: InboxStatus, sort: "worst" | "newest"): SQL[] {
  if (status === "resolved") return [desc(flag.resolved_at), desc(flag.id)];
  const newest = [desc(flag.since), desc(flag.id)];
  return sort === "worst" ? [desc(URGENCY), ...newest] : newest;
}

/** How many flags match, counted up to `MOST_COUNTED`. */
export function countInbox(db: Db, filter: InboxFilter, now: number, among?: SQL): number {
  const matching = db
    .select({ one: sql`1`.as("one") })
    .from(flag)
    .where(and(conditionOf(filter, now), among))
    .limit(MOST_COUNTED)
    .as("matching");
  return db.select({ count: count() }).from(matching).get()?.count ?? 0;
}

// Each step goes to the next value of the index: a hundred thousand open flags of five rules cost six steps.
const openRules = statement<{ value: string }, []>(`
  WITH RECURSIVE rules (value) AS (
    SELECT min(rule) FROM flag WHERE status = 'open' AND rule IS NOT NULL
    UNION ALL
    SELECT (SELECT min(rule) FROM flag WHERE status = 'open' AND rule IS NOT NULL AND rule > value)
    FROM rules WHERE value IS NOT NULL
  )
  SELECT value FROM rules WHERE value IS NOT NULL`);
const openAssets = statement<{ value: string }, []>(`
  WITH RECURSIVE assets (value) AS (
    SELECT min(asset) FROM flag WHERE status = 'open'
    UNION ALL
    SELECT (SELECT min(asset) FROM flag WHERE status = 'open' AND asset > value) FROM assets WHERE value IS NOT NULL
  )
  SELECT value FROM assets WHERE value IS NOT NULL`);

const openSubjects = statement<{ value: string }, []>(
  `SELECT subject AS value FROM flag WHERE status = 'open' AND rule = '${STALE_INGEST}'`,
);

/** What the open flags can be narrowed by: the rules and sites that have any. */
export function listInboxChoices(db: Db): {
  readonly rules: readonly string[];
  readonly assets: readonly string[];
} {
  const values = (rows: readonly { readonly value: string }[]) => rows.map(({ value }) => value);
  const assets = new Set(values([...openAssets(db).all(), ...openSubjects(db).all()]));
  return { rules: values(openRules(db).all()), assets: [...assets].sort() };
}
