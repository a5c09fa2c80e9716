/** What judging came to: what the rules last said of each series, and the tally of tests and flags. */

import { and, asc, desc, eq, gt, gte, inArray, ne, sql } from "drizzle-orm";
import { index, integer, primaryKey, real, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { dayNumber, type UtcDay } from "../base/time.ts";
import type { SeriesSource } from "../flags/flags.ts";
import { SENT } from "../sites/rule_catalogue.ts";
import { type Db, statement, type Tx } from "../store/store.ts";
import type { MetricVerdict } from "./flow_inputs.ts";

/**
 * What the flow rules last said of each series: tested with its figures, or not tested and why. What lists and sums ask of all
 * series stands in columns of its own: taking a thousand verdicts apart for a page would hold up every request beside it.
 */

export const flowVerdict = sqliteTable(
  "flow_verdict",
  {
    asset: text("asset").notNull(),
    source: text("source").notNull(),
    metric: text("metric").notNull(),
    judged_at: integer("judged_at").notNull(),
    date: text("date").notNull(),
    /** Why it was not tested; null when it was. */
    reason: text("reason"),
    /** The measured dispersion, where the test came that far. */
    phi: real("phi"),
    basis: text("basis"),
    spread_days: integer("spread_days"),
    verdict: text("verdict").notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.asset, t.source, t.metric] }),
    index("flow_verdict_by_reason").on(t.reason, t.asset),
    index("flow_verdict_by_spread").on(sql`${t.phi} DESC`, t.asset, t.metric),
  ],
);

/** The newest verdict of a series. */
export interface StoredVerdict {
  readonly asset: string;
  /** Who gave the figures; `pulse` for those a site sent. */
  readonly source: string;
  readonly metric: string;
  /** Milliseconds since the epoch. */
  readonly judgedAt: number;
  /** The day that was judged. */
  readonly date: UtcDay;
  readonly verdict: MetricVerdict;
}

/** A ratio or a position is never tested: it is none of those that could not be. */
const IS_COUNT = sql`coalesce(${flowVerdict.reason}, '') <> 'not_a_count'`;

type Row = [
  asset: string,
  source: string,
  metric: string,
  judgedAt: number,
  date: string,
  reason: string | null,
  phi: number | null,
  basis: string | null,
  days: number | null,
  verdict: string,
];

const put = statement<never, Row>(
  `INSERT INTO flow_verdict (asset, source, metric, judged_at, date, reason, phi, basis, spread_days, verdict)
   VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
   ON CONFLICT (asset, source, metric) DO UPDATE SET judged_at = excluded.judged_at, date = excluded.date,
     reason = excluded.reason, phi = excluded.phi, basis = excluded.basis, spread_days = excluded.spread_days,
     verdict = excluded.verdict`,
);

/** Keeps the newest verdict of a series. */
export function putVerdict(tx: Tx, stored: StoredVerdict): void {
  const { asset, source, metric, judgedAt, date } = stored;
  const { flow } = stored.verdict;
  const spread = "dispersion" in flow ? flow.dispersion : undefined;
  const reason = flow.outcome === "tested" ? null : flow.reason;
  const [phi, basis, days] = [spread?.phi ?? null, spread?.basis ?? null, spread?.days ?? null];
  const verdict = JSON.stringify(stored.verdict);
  put(tx).run(asset, source, metric, judgedAt, date, reason, phi, basis, days, verdict);
}

/** The newest verdicts of a site's series from a source, by metric; of what it sent where none is named, of the metrics named or of all. */
export function listVerdicts(
  db: Db,
  asset: string,
  { source = SENT, metrics }: { readonly source?: SeriesSource; readonly metrics?: readonly string[] } = {},
): StoredVerdict[] {
  return db
    .select()
    .from(flowVerdict)
    .where(
      and(
        eq(flowVerdict.asset, asset),
        eq(flowVerdict.source, source),
        metrics === undefined ? undefined : inArray(flowVerdict.metric, [...metrics]),
      ),
    )
    .orderBy(asc(flowVerdict.metric))
    .all()
    .map((row) => ({
      asset: row.asset,
      source: row.source,
      metric: row.metric,
      judgedAt: row.judged_at,
      date: row.date as UtcDay,
      verdict: JSON.parse(row.verdict) as MetricVerdict,
    }));
}

const newest = statement<{ date: UtcDay; reason: string | null; verdict: string }, [string, string, string]>(
  "SELECT date, reason, verdict FROM flow_verdict WHERE asset = ? AND source = ? AND metric = ?",
);

/** A verdict beside the one before on the same series. */
type Novelty =
  /** It says what was said last, to the last figure. */
  | "same"
  /** Other figures of the day that was judged last, which was tested; or was not, and is not now. */
  | "revision"
  /** Nothing was counted of this day yet. */
  | "new";

/** How a verdict stands beside what was last said of its series. */
export function noveltyOf(tx: Tx, judged: Omit<StoredVerdict, "judgedAt">): Novelty {
  const { asset, source, metric, date, verdict } = judged;
  const stored = newest(tx).first(asset, source, metric);
  if (stored?.date !== date) return "new";
  if (stored.verdict === JSON.stringify(verdict)) return "same";
  return stored.reason !== null && verdict.flow.outcome === "tested" ? "new" : "revision";
}

const datesOf = statement<{ metric: string; date: UtcDay }, [string, string]>(
  "SELECT metric, date FROM flow_verdict WHERE asset = ? AND source = ?",
);

/** The day, as a number, on which each figure of a site from a source was judged last. */
export function judgedDays(db: Db, asset: string, source: SeriesSource): ReadonlyMap<string, number> {
  return new Map(
    datesOf(db)
      .all(asset, source)
      .map(({ metric, date }) => [metric, dayNumber(date)]),
  );
}

const judgedOf = statement<{ asset: string }, [string, string, number]>(
  "SELECT DISTINCT asset FROM flow_verdict WHERE asset = ? AND source = ? AND judged_at <= ?",
);

const judgedOfAll = statement<{ asset: string }, [string, number]>(
  "SELECT DISTINCT asset FROM flow_verdict WHERE source = ? AND judged_at <= ?",
);

/** The sites with a verdict on a series from a source that was given up to an instant; of one site, or of all. */
export function listJudgedBy(db: Db, source: SeriesSource, until: number, asset?: string): string[] {
  const rows =
    asset === undefined ? judgedOfAll(db).all(source, until) : judgedOf(db).all(asset, source, until);
  return rows.map((row) => row.asset);
}

/** How many counts were tested and how many were not when last judged; of a site, or of all but the one left out. */
export function countOutcomes(
  db: Db,
  of: { readonly site?: string | undefined; readonly except: string },
): { readonly tested: number; readonly notTested: number } {
  const row = db
    .select({ all: sql<number>`count(*)`, notTested: sql<number>`count(${flowVerdict.reason})` })
    .from(flowVerdict)
    .where(
      and(
        of.site === undefined ? ne(flowVerdict.asset, of.except) : eq(flowVerdict.asset, of.site),
        IS_COUNT,
      ),
    )
    .get();
  const { all = 0, notTested = 0 } = row ?? {};
  return { tested: all - notTested, notTested };
}

// The tally: one row per judged report, summed on reading.

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
