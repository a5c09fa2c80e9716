import { and, desc, eq, gte, lte, ne, type SQL, sql } from "drizzle-orm";
import type { ReportFilter } from "../assets/mod.ts";
import { type Db, prepared, rowDigester, type Tx } from "../db/mod.ts";
import type { UtcDay } from "../lib/utc_day.ts";
import { newestDay } from "../platform/not_ahead.ts";
import { pulse, pulseFreshness } from "./table.ts";
import { awaitJudging } from "./waiting_store.ts";

const p = sql.placeholder;

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

const insertPulse = prepared((db) =>
  db
    .insert(pulse)
    .values({
      asset: p("asset"),
      date: p("date"),
      revision: p("revision"),
      received_at: p("received_at"),
      generated_at: p("generated_at"),
      body: p("body"),
      row_digest: p("row_digest"),
    })
    .prepare(),
);

const digestOf = rowDigester(["asset", "date", "revision", "received_at", "generated_at", "body"]);

const lastRevision = prepared((db) =>
  db
    .select({ revision: pulse.revision })
    .from(pulse)
    .where(and(eq(pulse.asset, p("asset")), eq(pulse.date, p("date"))))
    .orderBy(desc(pulse.revision))
    .limit(1)
    .prepare(),
);

const newestReportDay = prepared((db) =>
  db
    .select({ date: pulse.date })
    .from(pulse)
    .where(and(eq(pulse.asset, p("asset")), lte(pulse.date, p("upTo"))))
    .orderBy(desc(pulse.date))
    .limit(1)
    .prepare(),
);

const setFreshness = prepared((db) =>
  db
    .insert(pulseFreshness)
    .values({ asset: p("asset"), received_at: p("received_at"), date: p("date") })
    .onConflictDoUpdate({
      target: pulseFreshness.asset,
      set: {
        // Of the report accepted last, not the greatest: a clock that was set back is believed again.
        received_at: sql`excluded.received_at`,
        ahead_seen_at: null,
        date: sql`max(excluded.date, ${pulseFreshness.date})`,
      },
    })
    .prepare(),
);

const byId = prepared((db) =>
  db
    .select()
    .from(pulse)
    .where(eq(pulse.id, p("id")))
    .prepare(),
);

/** Appends a report as the next revision of its day, to be judged; returns the revision, counted from 1. */
export function appendPulse(
  tx: Tx,
  report: {
    readonly asset: string;
    readonly date: UtcDay;
    readonly received_at: number;
    readonly generated_at: number;
    readonly body: string;
  },
): number {
  const last = lastRevision(tx).get({ asset: report.asset, date: report.date });
  const revision = (last?.revision ?? 0) + 1;
  const row = { ...report, revision };
  insertPulse(tx).run({ ...row, row_digest: digestOf(row) });
  awaitJudging(tx, report.asset);
  setFreshness(tx).run({ asset: report.asset, received_at: report.received_at, date: report.date });
  return revision;
}

/** The newest day, not ahead of `now`, on which a site has a nightly report. */
export function findNewestPulseDay(db: Db, asset: string, now: number): UtcDay | undefined {
  return newestReportDay(db).get({ asset, upTo: newestDay(now) })?.date as UtcDay | undefined;
}

/** The latest nightly report of a site: the newest revision of its newest day that does not lie ahead of `now`. */
export function findLatestSent(db: Db, asset: string, now: number): StoredPulse | undefined {
  const row = db
    .select()
    .from(pulse)
    .where(and(eq(pulse.asset, asset), lte(pulse.date, newestDay(now))))
    .orderBy(desc(pulse.date), desc(pulse.revision))
    .limit(1)
    .get();
  return row === undefined ? undefined : toStored(row);
}

/** One report, or undefined. */
export function findPulse(db: Db, asset: string, date: UtcDay, revision: number): StoredPulse | undefined {
  const row = db
    .select()
    .from(pulse)
    .where(and(eq(pulse.asset, asset), eq(pulse.date, date), eq(pulse.revision, revision)))
    .get();
  return row === undefined ? undefined : toStored(row);
}

/** One report by its id, or undefined. */
export function findPulseById(db: Db, id: number): StoredPulse | undefined {
  const row = byId(db).get({ id });
  return row === undefined ? undefined : toStored(row);
}

/** Nightly reports, newest first by date then revision, at most `limit`. */
export function listPulses(db: Db, filter: ReportFilter, limit: number): StoredPulse[] {
  return db
    .select()
    .from(pulse)
    .where(where(filter))
    .orderBy(desc(pulse.date), desc(pulse.revision))
    .limit(limit)
    .all()
    .map(toStored);
}

function where(filter: ReportFilter): SQL | undefined {
  const { asset, from, to, after } = filter;
  return and(
    eq(pulse.asset, asset),
    from === undefined ? undefined : gte(pulse.date, from),
    to === undefined ? undefined : lte(pulse.date, to),
    after === undefined
      ? undefined
      : sql`(${pulse.date}, ${pulse.revision}) < (${after.date}, ${after.revision})`,
    filter.allRevisions
      ? undefined
      : sql`${pulse.revision} = (SELECT max(later.revision) FROM pulse later WHERE later.asset = ${asset} AND later.date = ${pulse.date})`,
  );
}

/** When a site was last heard. */
export interface Heard {
  readonly asset: string;
  /** By the service's own clock, never ahead of it: a report received under a clock that was fast counts from when that was seen. */
  readonly receivedAt: number;
  /** It was received ahead of this clock, which is not written down yet. */
  readonly isNewlyAhead: boolean;
}

/** When each site last reported. */
export function listFreshness(db: Db, now: number): Heard[] {
  return db
    .select()
    .from(pulseFreshness)
    .all()
    .map(({ asset, received_at, ahead_seen_at }) => {
      const at = ahead_seen_at ?? received_at;
      return { asset, receivedAt: Math.min(at, now), isNewlyAhead: at > now };
    });
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

function toStored(row: typeof pulse.$inferSelect): StoredPulse {
  return {
    id: row.id,
    asset: row.asset,
    date: row.date as UtcDay,
    revision: row.revision,
    receivedAt: row.received_at,
    generatedAt: row.generated_at,
    body: row.body,
  };
}

/** Nightly reports received from one instant to another, by site; a site without one is left out. */
export function countReceived(db: Db, since: number, until: number): Map<string, number> {
  const rows = db
    .select({ asset: pulse.asset, reports: sql<number>`count(*)` })
    .from(pulse)
    .where(and(gte(pulse.received_at, since), lte(pulse.received_at, until)))
    .groupBy(pulse.asset)
    .all();
  return new Map(rows.map(({ asset, reports }) => [asset, reports]));
}
