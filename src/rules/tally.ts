/** What judging came to: one row per judged report, summed on reading. */

import { and, asc, desc, eq, gt, gte, inArray, sql } from "drizzle-orm";
import { index, integer, real, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { UtcDay } from "../base/time.ts";
import { type Db, statement, type Tx } from "../store/store.ts";

/** What judging one report came to: tests run, flags raised. Append-only; the calibration panel adds the rows up. */
export const flowTally = sqliteTable(
  "flow_tally",
  {
    id: integer("id").primaryKey(),
    /** The UTC day of judging. */
    date: text("date").notNull(),
    asset: text("asset").notNull(),
    source: text("source").notNull(),
    /** The judged report, or the attempt to pull that told the figures; null in a sum from before each report had its row. */
    report: integer("report"),
    tests: integer("tests").notNull(),
    not_tested: integer("not_tested").notNull(),
    raised: integer("raised").notNull(),
    expected: real("expected").notNull(),
  },
  // Holds all that is added up, so that adding up reads nothing else.
  (t) => [index("flow_tally_by_date").on(t.date, t.asset, t.tests, t.not_tested, t.raised, t.expected)],
);

/**
 * How far a report is recorded whose verdicts take more than one transaction: metrics done, and the tally so far. It goes with the
 * report's place among those that wait.
 */
export const flowProgress = sqliteTable("flow_progress", {
  report: integer("report").primaryKey(),
  done: integer("done").notNull(),
  tests: integer("tests").notNull(),
  not_tested: integer("not_tested").notNull(),
  raised: integer("raised").notNull(),
  expected: real("expected").notNull(),
});

/** Tests run, flags raised and flags expected by chance. */
export interface Tally {
  readonly tests: number;
  readonly notTested: number;
  readonly raised: number;
  readonly expected: number;
}

/** A report of which nothing is judged yet. */
export const NO_TALLY: Tally = { tests: 0, notTested: 0, raised: 0, expected: 0 };

/** Both together. */
export function plus(one: Tally, other: Tally): Tally {
  return {
    tests: one.tests + other.tests,
    notTested: one.notTested + other.notTested,
    raised: one.raised + other.raised,
    expected: one.expected + other.expected,
  };
}

const insertTally = statement<never, [string, string, string, number | null, number, number, number, number]>(
  `INSERT INTO flow_tally (date, asset, source, report, tests, not_tested, raised, expected)
   VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
);

/** Appends what judging one report came to, or the figures of a site from a provider. */
export function appendTally(
  tx: Tx,
  judged: {
    /** The UTC day of judging. */
    readonly date: UtcDay;
    readonly asset: string;
    readonly source: string;
    /** The judged report; of a provider's figures the attempt that told them, null where that is not known. */
    readonly report: number | null;
    readonly tally: Tally;
  },
): void {
  const { date, asset, source, report, tally } = judged;
  const { tests, notTested, raised, expected } = tally;
  insertTally(tx).run(date, asset, source, report, tests, notTested, raised, expected);
}

const SUMS = {
  tests: sql<number>`coalesce(sum(${flowTally.tests}), 0)`,
  notTested: sql<number>`coalesce(sum(${flowTally.not_tested}), 0)`,
  raised: sql<number>`coalesce(sum(${flowTally.raised}), 0)`,
  expected: sql<number>`coalesce(sum(${flowTally.expected}), 0.0)`,
};

/** The tallies since a day, added up: of one site, or of all. */
export function sumTallies(db: Db, from: UtcDay, asset?: string): Tally {
  const row = db
    .select(SUMS)
    .from(flowTally)
    .where(and(gte(flowTally.date, from), asset === undefined ? undefined : eq(flowTally.asset, asset)))
    .get();
  return row ?? NO_TALLY;
}

const testedSeries = statement<{ tests: number | null }, [string]>(
  `SELECT sum(min(tests, series)) AS tests FROM (
     SELECT sum(tests) AS tests,
       (SELECT count(*) FROM flow_verdict AS v WHERE v.asset = t.asset AND v.source = t.source) AS series
     FROM flow_tally AS t WHERE date = ? GROUP BY asset, source)`,
);

/** How many series were tested on a UTC day, each once however many reports of the day told of it. */
export function countTestedSeries(db: Db, day: UtcDay): number {
  return testedSeries(db).first(day)?.tests ?? 0;
}

/** The tallies of each day since one, oldest first: the sums of every span of days, in one read. */
export function listDayTallies(db: Db, from: UtcDay): (Tally & { readonly date: UtcDay })[] {
  return db
    .select({ date: sql<UtcDay>`${flowTally.date}`, ...SUMS })
    .from(flowTally)
    .where(gte(flowTally.date, from))
    .groupBy(flowTally.date)
    .orderBy(asc(flowTally.date))
    .all();
}

/** Sites with the most flags raised by flow rules since a day; those without a flag are left out. */
export function noisiestSites(db: Db, from: UtcDay, limit: number): (Tally & { readonly asset: string })[] {
  // Found among the few reports that raised a flag, and added up for those sites alone.
  const noisiest = db
    .select({ asset: flowTally.asset })
    .from(flowTally)
    .where(and(gte(flowTally.date, from), gt(flowTally.raised, 0)))
    .groupBy(flowTally.asset)
    .orderBy(desc(SUMS.raised), asc(flowTally.asset))
    .limit(limit)
    .all();
  return db
    .select({ asset: flowTally.asset, ...SUMS })
    .from(flowTally)
    .where(
      and(
        gte(flowTally.date, from),
        inArray(
          flowTally.asset,
          noisiest.map(({ asset }) => asset),
        ),
      ),
    )
    .groupBy(flowTally.asset)
    .orderBy(desc(SUMS.raised), asc(flowTally.asset))
    .all();
}

/** How far a report is recorded. */
interface Progress {
  /** Metrics of the report that are done, in its own order. */
  readonly done: number;
  readonly tally: Tally;
}

const progressOf = statement<
  { done: number; tests: number; notTested: number; raised: number; expected: number },
  [number]
>("SELECT done, tests, not_tested AS notTested, raised, expected FROM flow_progress WHERE report = ?");

const putProgressQuery = statement<never, [number, number, number, number, number, number]>(
  `INSERT INTO flow_progress (report, done, tests, not_tested, raised, expected) VALUES (?, ?, ?, ?, ?, ?)
   ON CONFLICT (report) DO UPDATE SET done = excluded.done, tests = excluded.tests, not_tested = excluded.not_tested,
     raised = excluded.raised, expected = excluded.expected`,
);

const removeProgress = statement<never, [number]>("DELETE FROM flow_progress WHERE report = ?");

/** How far a report is recorded; nothing of it where no row says otherwise. */
export function findProgress(db: Db, report: number): Progress {
  const row = progressOf(db).first(report);
  if (row === undefined) return { done: 0, tally: NO_TALLY };
  const { done, ...tally } = row;
  return { done, tally };
}

/** Notes how far a report is recorded. */
export function putProgress(tx: Tx, report: number, { done, tally }: Progress): void {
  const { tests, notTested, raised, expected } = tally;
  putProgressQuery(tx).run(report, done, tests, notTested, raised, expected);
}

/** The report is recorded whole, or left out. */
export function endProgress(tx: Tx, report: number): void {
  removeProgress(tx).run(report);
}
