import { and, asc, desc, eq, gte, ne, sql } from "drizzle-orm";
import { type Db, prepared, type Tx } from "../db/mod.ts";
import type { UtcDay } from "../lib/utc_day.ts";
import type { MetricVerdict } from "./metric_verdict.ts";
import { flowTally, flowVerdict } from "./table.ts";

const p = sql.placeholder;

/** What the rules last said of a metric. */
export interface StoredVerdict {
  readonly asset: string;
  readonly metric: string;
  /** Milliseconds since the epoch. */
  readonly judgedAt: number;
  /** The day that was judged. */
  readonly date: UtcDay;
  readonly verdict: MetricVerdict;
}

const putVerdictQuery = prepared((db) =>
  db
    .insert(flowVerdict)
    .values({
      asset: p("asset"),
      metric: p("metric"),
      judged_at: p("judged_at"),
      date: p("date"),
      verdict: p("verdict"),
    })
    .onConflictDoUpdate({
      target: [flowVerdict.asset, flowVerdict.metric],
      set: {
        judged_at: sql`excluded.judged_at`,
        date: sql`excluded.date`,
        verdict: sql`excluded.verdict`,
      },
    })
    .prepare(),
);

/** Keeps the newest verdict of a metric. */
export function putVerdict(tx: Tx, stored: StoredVerdict): void {
  const { asset, metric, judgedAt, date, verdict } = stored;
  putVerdictQuery(tx).run({ asset, metric, judged_at: judgedAt, date, verdict: JSON.stringify(verdict) });
}

/** The newest verdict of every metric of a site, by metric. */
export function listVerdicts(db: Db, asset: string): StoredVerdict[] {
  return db
    .select()
    .from(flowVerdict)
    .where(eq(flowVerdict.asset, asset))
    .orderBy(asc(flowVerdict.metric))
    .all()
    .map(toStored);
}

/** How many metrics were tested and how many were not when last judged; of a site, or of all but the one left out. */
export function countOutcomes(
  db: Db,
  of: { readonly site?: string | undefined; readonly except: string },
): { readonly tested: number; readonly notTested: number } {
  const isTested = sql`json_extract(${flowVerdict.verdict}, '$.flow.outcome') = 'tested'`;
  const row = db
    .select({ all: sql<number>`count(*)`, tested: sql<number>`coalesce(sum(${isTested}), 0)` })
    .from(flowVerdict)
    .where(of.site === undefined ? ne(flowVerdict.asset, of.except) : eq(flowVerdict.asset, of.site))
    .get();
  const { all = 0, tested = 0 } = row ?? {};
  return { tested, notTested: all - tested };
}

function toStored(row: typeof flowVerdict.$inferSelect): StoredVerdict {
  return {
    asset: row.asset,
    metric: row.metric,
    judgedAt: row.judged_at,
    date: row.date as UtcDay,
    verdict: JSON.parse(row.verdict) as MetricVerdict,
  };
}

/** Tests run, flags raised and flags expected by chance. */
export interface Tally {
  readonly tests: number;
  readonly notTested: number;
  readonly raised: number;
  readonly expected: number;
}

/** Adds one judging to the tally of its day and site. */
export function addTally(tx: Tx, date: UtcDay, asset: string, tally: Tally): void {
  tx.insert(flowTally)
    .values({
      date,
      asset,
      tests: tally.tests,
      not_tested: tally.notTested,
      raised: tally.raised,
      expected: tally.expected,
    })
    .onConflictDoUpdate({
      target: [flowTally.date, flowTally.asset],
      set: {
        tests: sql`${flowTally.tests} + excluded.tests`,
        not_tested: sql`${flowTally.not_tested} + excluded.not_tested`,
        raised: sql`${flowTally.raised} + excluded.raised`,
        expected: sql`${flowTally.expected} + excluded.expected`,
      },
    })
    .run();
}

/** The tallies since a day, added up: of one site, or of all. */
export function sumTallies(db: Db, from: UtcDay, asset?: string): Tally {
  const row = db
    .select({
      tests: sql<number>`coalesce(sum(${flowTally.tests}), 0)`,
      notTested: sql<number>`coalesce(sum(${flowTally.not_tested}), 0)`,
      raised: sql<number>`coalesce(sum(${flowTally.raised}), 0)`,
      expected: sql<number>`coalesce(sum(${flowTally.expected}), 0.0)`,
    })
    .from(flowTally)
    .where(and(gte(flowTally.date, from), asset === undefined ? undefined : eq(flowTally.asset, asset)))
    .get();
  return row ?? { tests: 0, notTested: 0, raised: 0, expected: 0 };
}

/** Sites with the most flags raised by flow rules since a day. */
export function noisiestSites(db: Db, from: UtcDay, limit: number): (Tally & { readonly asset: string })[] {
  return db
    .select({
      asset: flowTally.asset,
      tests: sql<number>`sum(${flowTally.tests})`,
      notTested: sql<number>`sum(${flowTally.not_tested})`,
      raised: sql<number>`sum(${flowTally.raised})`,
      expected: sql<number>`sum(${flowTally.expected})`,
    })
    .from(flowTally)
    .where(gte(flowTally.date, from))
    .groupBy(flowTally.asset)
    .orderBy(desc(sql`sum(${flowTally.raised})`), asc(flowTally.asset))
    .limit(limit)
    .all();
}
