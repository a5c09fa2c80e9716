/** Queries of the inbox: a page of flags by status, the worst first, and the counts above it. */

import { and, count, desc, eq, inArray, not, type SQL, sql } from "drizzle-orm";
import { unionAll } from "drizzle-orm/sqlite-core";
import { STALE_INGEST } from "../sites/rule_catalogue.ts";
import { type Db, statement } from "../store/store.ts";
import {
  CHAINED_FLAG,
  type ChainedFlag,
  type FlagRow,
  flag,
  longestSnooze,
  type Severity,
  URGENCY,
} from "./flags.ts";

/** A snoozed flag is open; in the inbox it stands apart until it wakes. */
export type InboxStatus = "open" | "snoozed" | "resolved";

/** What the inbox may be narrowed to. */
export interface InboxFilter {
  readonly status: InboxStatus;
  readonly severity?: FlagRow["severity"] | undefined;
  readonly kind?: FlagRow["kind"] | undefined;
  readonly rule?: string | undefined;
  /** Whose flags, with those about it that were raised on the service's own site. */
  readonly asset?: string | undefined;
  /** Words that all stand somewhere in what the flag says: its site, metric, subject, rule, message or notes. */
  readonly q?: string | undefined;
}

/** Flags are counted up to here: a longer list says "10,000 and more". */
export const MOST_COUNTED = 10_000;

// Written out, so that the partial indexes are used.
const OPEN = sql`${flag.status} = 'open'`;
/** What is over, each lasting thing once: as its last flag. */
const OVER = sql`${flag.status} = 'resolved' AND ${flag.renewed_by} IS NULL`;

function conditionOf(filter: InboxFilter, now: number, ofSite = siteCondition(filter.asset)) {
  return and(
    ofSite,
    statusCondition(filter.status, now),
    filter.severity === undefined ? undefined : eq(flag.severity, filter.severity),
    filter.kind === undefined ? undefined : eq(flag.kind, filter.kind),
    filter.rule === undefined ? undefined : eq(flag.rule, filter.rule),
    ...wordsOf(filter.q).map((word) => sql`instr(lower(${SAID}), ${word}) > 0`),
  );
}

const SAID = sql.join(
  [flag.asset, flag.metric, flag.subject, flag.rule, flag.message, flag.incident, flag.hypothesis].map(
    (column) => sql`coalesce(${column}, '')`,
  ),
  sql` || ' ' || `,
);

const wordsOf = (q = ""): string[] =>
  q
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== "");

const aboutSite = (asset: string) => and(eq(flag.rule, STALE_INGEST), eq(flag.subject, asset));

/** Of what is open. Sought in two indexes: with an OR, every open flag would be read. */
function siteCondition(asset: string | undefined): SQL | undefined {
  return asset === undefined
    ? undefined
    : sql`${flag.id} IN (SELECT id FROM flag WHERE status = 'open' AND asset = ${asset}
        UNION ALL SELECT id FROM flag WHERE status = 'open' AND rule = ${STALE_INGEST} AND subject = ${asset})`;
}

function statusCondition(status: InboxStatus, now: number): SQL | undefined {
  if (status === "resolved") return OVER;
  const snoozed = sql`(${flag.snoozed_until} > ${now} AND ${flag.snoozed_until} <= ${longestSnooze(now)})`;
  return and(OPEN, status === "snoozed" ? snoozed : sql`${snoozed} IS NOT TRUE`);
}

/**
 * One page of the inbox. A lasting thing is listed by when it began: renewed every night, it would else be the newest every
 * morning. Resolved flags, of which there may be very many, come as they ended, the last first, whatever is asked.
 */
export function listInbox(
  db: Db,
  filter: InboxFilter,
  page: {
    readonly limit: number;
    readonly offset: number;
    readonly now: number;
    /** Open flags that stand before all others, in this order. */
    readonly ranked?: readonly string[];
  },
): ChainedFlag[] {
  const { limit, offset, now, ranked = [] } = page;
  if (filter.status === "resolved" || ranked.length === 0) return listed(db, filter, page);
  const isRanked = sql`${flag.id} IN (SELECT value FROM json_each(${JSON.stringify(ranked)}))`;
  const matching = db
    .select({ id: flag.id })
    .from(flag)
    .where(and(conditionOf(filter, now), isRanked));
  const known = new Set(matching.all().map(({ id }) => id));
  const inOrder = [...new Set(ranked)].filter((id) => known.has(id));
  const ids = inOrder.slice(offset, offset + limit);
  const rows = db.select(CHAINED_FLAG).from(flag).where(inArray(flag.id, ids)).all();
  rows.sort((a, b) => ids.indexOf(a.id) - ids.indexOf(b.id));
  if (rows.length === limit) return rows;
  // The rest in the order of its index: one list in an order of all would be sorted, however many flags are open.
  const rest = { ...page, limit: limit - rows.length, offset: Math.max(0, offset - inOrder.length) };
  return [...rows, ...listed(db, filter, rest, not(isRanked))];
}

function listed(
  db: Db,
  filter: InboxFilter,
  page: Pick<Parameters<typeof listInbox>[2], "limit" | "offset" | "now">,
  among?: SQL,
): ChainedFlag[] {
  const matching = (ofSite?: SQL) =>
    db
      .select(CHAINED_FLAG)
      .from(flag)
      .where(and(conditionOf(filter, page.now, ofSite), among));
  // Two lists in the order of their indexes are merged; one with an OR would be sorted, however much is over.
  const isMerged = filter.asset !== undefined && filter.status === "resolved";
  const found = isMerged
    ? unionAll(matching(eq(flag.asset, filter.asset)), matching(aboutSite(filter.asset)))
    : matching();
  return found
    .orderBy(
      ...(filter.status === "resolved"
        ? [desc(flag.resolved_at), desc(flag.id)]
        : [desc(URGENCY), desc(flag.since), desc(flag.id)]),
    )
    .limit(page.limit)
    .offset(page.offset)
    .all();
}

/** How many flags match, counted up to `MOST_COUNTED`. */
export function countInbox(db: Db, filter: InboxFilter, now: number): number {
  const { asset } = filter;
  const matching = (ofSite?: SQL) =>
    db
      .select({ one: sql`1`.as("one") })
      .from(flag)
      .where(conditionOf(filter, now, ofSite));
  // Each from an index of its own: one with an OR would read all that is over on every site.
  const all =
    asset === undefined ? matching() : unionAll(matching(eq(flag.asset, asset)), matching(aboutSite(asset)));
  const counted = all.limit(MOST_COUNTED).as("matching");
  return db.select({ count: count() }).from(counted).get()?.count ?? 0;
}

const openRules = statement<{ value: string }, []>(
  "SELECT DISTINCT rule AS value FROM flag WHERE status = 'open' AND rule IS NOT NULL ORDER BY 1",
);
const openAssets = statement<{ value: string }, []>(
  "SELECT DISTINCT asset AS value FROM flag WHERE status = 'open'",
);
const openSubjects = statement<{ value: string }, []>(
  `SELECT subject AS value FROM flag WHERE status = 'open' AND rule = '${STALE_INGEST}'`,
);

/** What the open flags can be narrowed by: the rules and sites that have any. */
export function listInboxChoices(db: Db) {
  const values = (rows: readonly { readonly value: string }[]) => rows.map(({ value }) => value);
  const assets = new Set(values([...openAssets(db).all(), ...openSubjects(db).all()]));
  return { rules: values(openRules(db).all()), assets: [...assets].sort() };
}

/**
 * What is open, counted; the one place that says what the words mean. A flag that is not resolved is `snoozed` while its snooze runs.
 * Else it is **open**, and waits for somebody: `acknowledged` once somebody has seen it, `unread` before. Every count of open flags
 * that a page, its head or a scrape shows is one of these; the API's `status=open` lists open and snoozed ones together, each with
 * its `snoozed_until`. A lasting thing is one flag: those it renews are resolved. A flag about a silent site counts for that site
 * and for the service's own, where it was raised; once in the sum of all sites.
 */

/** Whether a flag's snooze runs, as `snoozeRuns` says it: ?1 is now, ?2 the end of the longest snooze from now. */
const RUNS = "(snoozed_until > ?1 AND snoozed_until <= ?2) IS TRUE";

/** What is not resolved, counted. */
export interface OpenTally {
  /** Open and not snoozed, by severity. */
  readonly open: Readonly<Record<Severity, number>>;
  readonly snoozed: number;
  /** When the next snooze ends, in milliseconds since the epoch. */
  readonly nextReturn: number | null;
  /** Those of them about other sites, which count them too. */
  readonly aboutOthers?: Pick<OpenTally, "open" | "snoozed"> | undefined;
}

/** The same of several sites. */
export interface InboxTally extends OpenTally {
  /** Sites that have open flags. */
  readonly sites: number;
}

/** Nothing is open. */
export const NOTHING_OPEN: OpenTally = { open: { error: 0, warn: 0, info: 0 }, snoozed: 0, nextReturn: null };

interface TallyRow extends Pick<FlagRow, "asset" | "severity"> {
  readonly awake: number;
  readonly snoozed: number;
  readonly next: number | null;
}

// One pass over the index of the open flags, which holds all that is asked for; every page counts them for its head.
const tallied = statement<TallyRow, [number, number]>(`
  SELECT asset, severity, count(*) FILTER (WHERE NOT runs) AS awake, count(*) FILTER (WHERE runs) AS snoozed,
    min(snoozed_until) FILTER (WHERE runs) AS next
  FROM (SELECT asset, severity, snoozed_until, ${RUNS} AS runs FROM flag WHERE status = 'open')
  GROUP BY asset, severity`);

// Few, and all of one rule: read from the index of what is open by rule.
const aboutSites = statement<TallyRow & { readonly raisedOn: string }, [number, number]>(`
  SELECT subject AS asset, asset AS raisedOn, severity, NOT runs AS awake, runs AS snoozed, iif(runs, snoozed_until, NULL) AS next
  FROM (SELECT *, ${RUNS} AS runs FROM flag WHERE status = 'open' AND rule = '${STALE_INGEST}' AND subject <> '')`);

/** What is not resolved, of each site that has any of it. */
export function tallySites(db: Db, now: number): ReadonlyMap<string, OpenTally> {
  const sites = new Map<string, OpenTally>();
  const until = longestSnooze(now);
  for (const row of tallied(db).all(now, until)) add(sites, row);
  for (const { raisedOn, ...row } of aboutSites(db).all(now, until)) {
    add(sites, row);
    const raised = sites.get(raisedOn) ?? NOTHING_OPEN;
    sites.set(raisedOn, { ...raised, aboutOthers: plus(raised.aboutOthers ?? NOTHING_OPEN, row) });
  }
  return sites;
}

function add(sites: Map<string, OpenTally>, row: TallyRow): void {
  const site = sites.get(row.asset) ?? NOTHING_OPEN;
  sites.set(row.asset, { ...site, ...plus(site, row), nextReturn: soonest(site.nextReturn, row.next) });
}

const plus = ({ open, snoozed }: Pick<OpenTally, "open" | "snoozed">, row: TallyRow) => ({
  open: { ...open, [row.severity]: open[row.severity] + row.awake },
  snoozed: snoozed + row.snoozed,
});

/** The sum of all sites, each flag once. */
export function inboxTally(sites: Iterable<OpenTally>): InboxTally {
  const open = { error: 0, warn: 0, info: 0 };
  const sum = { sites: 0, snoozed: 0, nextReturn: null as number | null };
  for (const site of sites) {
    const others = site.aboutOthers ?? NOTHING_OPEN;
    open.error += site.open.error - others.open.error;
    open.warn += site.open.warn - others.open.warn;
    open.info += site.open.info - others.open.info;
    if (openIn(site) > openIn(others)) sum.sites++;
    sum.snoozed += site.snoozed - others.snoozed;
    sum.nextReturn = soonest(sum.nextReturn, site.nextReturn);
  }
  return { open, ...sum };
}

/** How many flags are open, of every severity. */
export function openIn({ open }: Pick<OpenTally, "open">): number {
  return open.error + open.warn + open.info;
}

function soonest(one: number | null, other: number | null): number | null {
  return one === null || other === null ? (one ?? other) : Math.min(one, other);
}

/** What an operator has made of an open thing, of which one holds. */
export const OPEN_STATES = ["unread", "acknowledged", "snoozed"] as const;

/** Open things of one severity that stand alike. */
interface OpenCount {
  readonly severity: Severity;
  readonly state: (typeof OPEN_STATES)[number];
  readonly flags: number;
}

const byState = statement<OpenCount, [number, number]>(`
  SELECT severity, state, count(*) AS flags FROM (
    SELECT severity, CASE WHEN ${RUNS} THEN 'snoozed' WHEN acked_at IS NULL THEN 'unread' ELSE 'acknowledged' END AS state
    FROM flag WHERE status = 'open'
  ) GROUP BY severity, state`);

/** Counts what is not resolved by severity and state: unread and acknowledged together are the open ones. */
export function countOpenByState(db: Db, now: number): OpenCount[] {
  return byState(db).all(now, longestSnooze(now));
}

/** How often operators answered a rule's flags by tuning it. */

/**
 * What the given rules raised since an instant (milliseconds since the epoch), each lasting thing once, and how much of it was
 * answered by tuning.
 */
export function countTuned(db: Db, rules: readonly string[], since: number) {
  const row = db
    .select({
      raised: sql<number>`count(DISTINCT ${flag.chain})`,
      tuned: sql<number>`count(DISTINCT CASE WHEN ${flag.tuned_at} IS NOT NULL THEN ${flag.chain} END)`,
    })
    .from(flag)
    .where(and(sql`${flag.raised_at} >= ${since}`, inArray(flag.rule, [...rules])))
    .get();
  return row ?? { raised: 0, tuned: 0 };
}
