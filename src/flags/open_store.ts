/**
 * What is open, counted; the one place that says what the words mean. A flag that is not resolved is `snoozed` while its snooze runs.
 * Else it is **open**, and waits for somebody: `acknowledged` once somebody has seen it, `unread` before. Every count of open flags
 * that a page, its head or a scrape shows is one of these; the API's `status=open` lists open and snoozed ones together, each with
 * its `snoozed_until`. A lasting thing is one flag: those it renews are resolved.
 */
import { type Db, statement } from "../db/mod.ts";
import type { Severity } from "./contract.ts";
import { longestSnooze } from "./snooze_until.ts";

/** Whether a flag's snooze runs, as `snoozeRuns` says it: ?1 is now, ?2 the end of the longest snooze from now. */
const RUNS = "coalesce(snoozed_until, 0) > ?1 AND snoozed_until <= ?2";

/** What is not resolved, counted. */
export interface OpenTally {
  /** Open and not snoozed, by severity. */
  readonly open: Readonly<Record<Severity, number>>;
  readonly snoozed: number;
  /** When the next snooze ends, in milliseconds since the epoch. */
  readonly nextReturn: number | null;
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

/** What is not resolved, of each site that has any of it. */
export function tallySites(db: Db, now: number): ReadonlyMap<string, OpenTally> {
  const sites = new Map<string, OpenTally>();
  for (const { asset, severity, awake, snoozed, next } of tallied(db).all(now, longestSnooze(now))) {
    const site = sites.get(asset) ?? NOTHING_OPEN;
    sites.set(asset, {
      open: { ...site.open, [severity]: awake },
      snoozed: site.snoozed + snoozed,
      nextReturn: soonest(site.nextReturn, next),
    });
  }
  return sites;
}

/** The sum of sites. */
export function inboxTally(sites: Iterable<OpenTally>): InboxTally {
  const open = { error: 0, warn: 0, info: 0 };
  const sum = { sites: 0, snoozed: 0, nextReturn: null as number | null };
  for (const site of sites) {
    open.error += site.open.error;
    open.warn += site.open.warn;
    open.info += site.open.info;
    if (openIn(site) > 0) sum.sites++;
    sum.snoozed += site.snoozed;
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
