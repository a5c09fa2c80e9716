/**
 * What is open, counted; the one place that says what the words mean. A flag that is not resolved is `snoozed` while its snooze runs.
 * Else it is **open**, and waits for somebody: `acknowledged` once somebody has seen it, `unread` before. Every count of open flags
 * that a page, its head or a scrape shows is one of these; the API's `status=open` lists open and snoozed ones together, each with
 * its `snoozed_until`. A lasting thing is one flag: those it renews are resolved. A flag about a silent site counts for that site
 * and for the service's own, where it was raised; once in the sum of all sites.
 */

import { STALE_INGEST } from "../sites/catalogue.ts";
import { type Db, statement } from "../store/db_open.ts";
import type { Severity } from "./input_change.ts";
import { longestSnooze } from "./rebuild.ts";

/** Whether a flag's snooze runs, as `snoozeRuns` says it: ?1 is now, ?2 the end of the longest snooze from now. */
const RUNS = "coalesce(snoozed_until, 0) > ?1 AND snoozed_until <= ?2";

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

interface TallyRow {
  readonly asset: string;
  readonly severity: Severity;
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
export interface OpenCount {
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
