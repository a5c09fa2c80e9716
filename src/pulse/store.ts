import { eq, ne } from "drizzle-orm";
import type { ReportFilter } from "../assets/mod.ts";
import { type Db, statement, type Tx } from "../db/mod.ts";
import type { UtcDay } from "../lib/utc_day.ts";
import {
  type Appended,
  type Ignored,
  type NewReport,
  type ReportRow,
  readIgnored,
  reportStore,
} from "../reports/mod.ts";
import { PULSE } from "./kind.ts";
import { pulseFreshness } from "./table.ts";
import { awaitJudging } from "./waiting_store.ts";

/** A stored nightly report. */
export interface StoredPulse {
  readonly id: number;
  readonly asset: string;
  readonly date: UtcDay;
  readonly revision: number;
  /** Milliseconds since the epoch. */
  readonly receivedAt: number;
  readonly generatedAt: number;
  readonly body: string;
}

/** What a row says of a nightly report, whether or not its body can be read. */
export interface PulseRow extends Omit<StoredPulse, "body"> {
  /** What of it was not stored; null where the row says of nothing. */
  readonly ignored: Ignored | null;
}

const reports = reportStore(PULSE);

// Of the report accepted last, not the greatest: a clock that was set back is believed again.
const setFreshness = statement<never, [string, number]>(
  `INSERT INTO pulse_freshness (asset, received_at) VALUES (?, ?)
   ON CONFLICT (asset) DO UPDATE SET received_at = excluded.received_at, ahead_seen_at = NULL`,
);

/** Appends a report as the next revision of its day, to be judged. */
export function appendPulse(tx: Tx, report: NewReport<object>): Appended {
  const appended = reports.append(tx, report);
  awaitJudging(tx, report.asset);
  setFreshness(tx).run(report.asset, report.received_at);
  return appended;
}

/** The newest day, not ahead of `now`, on which a site has a nightly report. */
export const findNewestPulseDay = reports.newestDay;

/** The latest nightly report of a site: the newest revision of its newest day that does not lie ahead of `now`. */
export function findLatestSent(db: Db, asset: string, now: number): StoredPulse | undefined {
  const row = reports.latest(db, asset, now);
  return row === undefined ? undefined : toStored(db, row);
}

/** The body of a report, as it was sent. */
export const findPulseBody = reports.bodyOf;

/** What the row of a report says, or undefined. */
export function findPulseRow(db: Db, asset: string, date: UtcDay, revision: number): PulseRow | undefined {
  const row = reports.find(db, asset, date, revision);
  return row === undefined ? undefined : toRow(row);
}

/** The revisions of a day, newest first, at most `limit`: rows alone. */
export function listRevisions(db: Db, asset: string, date: UtcDay, limit: number): PulseRow[] {
  return reports.list(db, { asset, from: date, to: date, allRevisions: true }, limit).map(toRow);
}

/** One report by its id, or undefined. */
export function findPulseById(db: Db, id: number): StoredPulse | undefined {
  const row = reports.findById(db, id);
  return row === undefined ? undefined : toStored(db, row);
}

/** Nightly reports, newest first by date then revision, at most `limit`. */
export function listPulses(db: Db, filter: ReportFilter, limit: number): StoredPulse[] {
  return reports.list(db, filter, limit).map((row) => toStored(db, row));
}

/** When a site was last heard. */
export interface Heard {
  readonly asset: string;
  /** By the service's own clock, never ahead of it: a report received under a clock that was fast counts from when that was seen. */
  readonly receivedAt: number;
  /** It was received ahead of this clock, which is not written down yet. */
  readonly isNewlyAhead: boolean;
}

const everyFreshness = statement<{ asset: string; received_at: number; ahead_seen_at: number | null }, []>(
  "SELECT asset, received_at, ahead_seen_at FROM pulse_freshness",
);

/** When each site last reported. */
export function listFreshness(db: Db, now: number): Heard[] {
  return everyFreshness(db)
    .all()
    .map(({ asset, received_at, ahead_seen_at }) => {
      const at = ahead_seen_at ?? received_at;
      return { asset, receivedAt: Math.min(at, now), isNewlyAhead: at > now };
    });
}

/** When a site last sent a nightly report. */
export interface LastNight {
  readonly asset: string;
  /** Milliseconds since the epoch, by the service's own clock; of a report received under a clock that was fast, when that was seen. */
  readonly at: number;
  /** The newest day that it has a report of; null where none is of a day that has come. */
  readonly date: UtcDay | null;
}

const lastNights = statement<LastNight, [string]>(
  `SELECT f.asset, coalesce(f.ahead_seen_at, f.received_at) AS at,
     (SELECT p.date FROM pulse p WHERE p.asset = f.asset AND p.date <= ? ORDER BY p.date DESC LIMIT 1) AS date
   FROM pulse_freshness f`,
);

/** When each site last sent a nightly report, and of which day at the most `newest`. Of one received ahead of the clock the moment lies ahead. */
export function listLastNights(db: Db, newest: UtcDay): LastNight[] {
  return lastNights(db).all(newest);
}

/** Whether a site, or any but the one left out, has sent a nightly report. */
export function hasNightlyReport(
  db: Db,
  of: { readonly site?: string | undefined; readonly except: string },
): boolean {
  const { site, except } = of;
  const row = db
    .select({ asset: pulseFreshness.asset })
    .from(pulseFreshness)
    .where(site === undefined ? ne(pulseFreshness.asset, except) : eq(pulseFreshness.asset, site))
    .limit(1)
    .get();
  return row !== undefined;
}

/**
 * Writes down when the last report of a site was first seen to lie ahead of the clock. Without it the silence would begin anew
 * with every look, and end by itself on the day the clock had shown.
 */
export function noteAhead(tx: Tx, asset: string, now: number): void {
  tx.update(pulseFreshness).set({ ahead_seen_at: now }).where(eq(pulseFreshness.asset, asset)).run();
}

function toStored(db: Db, row: ReportRow): StoredPulse {
  const { received_at: receivedAt, generated_at: generatedAt, id, asset, date, revision } = row;
  return { id, asset, date, revision, receivedAt, generatedAt, body: reports.bodyOf(db, row) };
}

function toRow({ received_at: receivedAt, generated_at: generatedAt, ...row }: ReportRow): PulseRow {
  const { id, asset, date, revision, ignored } = row;
  return { id, asset, date, revision, receivedAt, generatedAt, ignored: readIgnored(ignored) };
}

/** Reports read at once while looking back. */
const STRETCH = 1_000;
/** How much earlier than asked for a report must have come to end the look back: a clock may have been set by some hours. */
const CLOCK_MS = 86_400_000;

const acceptedBefore = statement<{ id: number; asset: string; received_at: number }, [number]>(
  `SELECT id, asset, received_at FROM pulse WHERE id < ? ORDER BY id DESC LIMIT ${STRETCH}`,
);

/**
 * Nightly reports received from one instant to another, by site; a site without one is left out. Looks back from the newest, so that
 * years of history cost nothing.
 */
export function countReceived(db: Db, since: number, until: number): Map<string, number> {
  const counts = new Map<string, number>();
  for (let before = Number.MAX_SAFE_INTEGER; ; ) {
    const rows = acceptedBefore(db).all(before);
    for (const { asset, received_at } of rows) {
      if (received_at < since - CLOCK_MS) return counts;
      if (received_at >= since && received_at <= until) counts.set(asset, (counts.get(asset) ?? 0) + 1);
    }
    const last = rows[STRETCH - 1];
    if (last === undefined) return counts;
    before = last.id;
  }
}
