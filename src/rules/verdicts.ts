/** What judging came to: what the rules last said of each series, and the tally of tests and flags. */

import { and, asc, eq, gte, inArray, ne, sql } from "drizzle-orm";
import { index, integer, primaryKey, real, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { dayNumber, type UtcDay } from "../base/time.ts";
import type { SeriesSource } from "../flags/flags.ts";
import { SENT } from "../sites/rule_catalogue.ts";
import { columnsOf, replacing } from "../store/rows.ts";
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
    /** Who gave the figures; `pulse` for those a site sent. */
    source: text("source").notNull(),
    metric: text("metric").notNull(),
    judgedAt: integer("judged_at").notNull(),
    date: text("date").$type<UtcDay>().notNull(),
    /** The day that was judged, and why it was not tested; null when it was. */
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
export interface StoredVerdict
  extends Readonly<
    Pick<typeof flowVerdict.$inferSelect, "asset" | "source" | "metric" | "judgedAt" | "date">
  > {
  readonly verdict: MetricVerdict;
}

/** A ratio or a position is never tested: it is none of those that could not be. */
const IS_COUNT = sql`coalesce(${flowVerdict.reason}, '') <> 'not_a_count'`;

const put = replacing(flowVerdict);

/** Keeps the newest verdict of a series. */
export function putVerdict(tx: Tx, { verdict, ...of }: StoredVerdict): void {
  const { flow } = verdict;
  const spread = "dispersion" in flow ? flow.dispersion : undefined;
  put(tx, {
    ...of,
    reason: flow.outcome === "tested" ? null : flow.reason,
    phi: spread?.phi ?? null,
    basis: spread?.basis ?? null,
    spread_days: spread?.days ?? null,
    verdict: JSON.stringify(verdict),
  });
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
    .map(({ verdict, ...row }) => ({ ...row, verdict: JSON.parse(verdict) as MetricVerdict }));
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

// The tally: one row per site, source and day, summed on reading.

/** What the judging of a day came to, by site and source: tests run, flags raised. The calibration panel adds the rows up. */
export const flowTally = sqliteTable(
  "flow_tally",
  {
    /** The UTC day of judging. */
    date: text("date").notNull(),
    asset: text("asset").notNull(),
    source: text("source").notNull(),
    tests: integer("tests").notNull(),
    notTested: integer("not_tested").notNull(),
    raised: integer("raised").notNull(),
    expected: real("expected").notNull(),
  },
  (t) => [primaryKey({ columns: [t.date, t.asset, t.source] })],
);

/**
 * How far a report is recorded whose verdicts take more than one transaction: metrics done, and the tally so far. It goes with the
 * report's place among those that wait.
 */
export const flowProgress = sqliteTable("flow_progress", {
  report: integer("report").primaryKey(),
  done: integer("done").notNull(),
  tests: integer("tests").notNull(),
  notTested: integer("not_tested").notNull(),
  raised: integer("raised").notNull(),
  expected: real("expected").notNull(),
});

/** Tests run, flags raised and flags expected by chance. */
export type Tally = Readonly<
  Pick<typeof flowTally.$inferSelect, "tests" | "notTested" | "raised" | "expected">
>;

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

const add = statement<never, [UtcDay, string, string, number, number, number, number]>(
  `INSERT INTO flow_tally (date, asset, source, tests, not_tested, raised, expected) VALUES (?, ?, ?, ?, ?, ?, ?)
   ON CONFLICT DO UPDATE SET tests = tests + excluded.tests, not_tested = not_tested + excluded.not_tested,
     raised = raised + excluded.raised, expected = expected + excluded.expected`,
);

/** Adds what judging one report came to, or the figures of a site from a provider. */
export function addTally(
  tx: Tx,
  of: { readonly date: UtcDay; readonly asset: string; readonly source: SeriesSource },
  { tests, notTested, raised, expected }: Tally,
): void {
  add(tx).run(of.date, of.asset, of.source, tests, notTested, raised, expected);
}

const SUMS = {
  tests: sql<number>`coalesce(sum(${flowTally.tests}), 0)`,
  notTested: sql<number>`coalesce(sum(${flowTally.notTested}), 0)`,
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
  `SELECT sum(min(tests, (SELECT count(*) FROM flow_verdict AS v WHERE v.asset = t.asset AND v.source = t.source))) AS tests
   FROM flow_tally AS t WHERE date = ?`,
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

const progressOf = statement<Tally & { readonly done: number }, [number]>(
  `SELECT ${columnsOf(flowProgress)} FROM flow_progress WHERE report = ?`,
);

/** How far a report is recorded: how many of its metrics, in its own order, and their tally; nothing of it where no row says otherwise. */
export const findProgress = (db: Db, report: number): Tally & { readonly done: number } =>
  progressOf(db).first(report) ?? { done: 0, ...NO_TALLY };

/** Notes how far a report is recorded. */
export const putProgress = replacing(flowProgress);

const removeProgress = statement<never, [number]>("DELETE FROM flow_progress WHERE report = ?");

/** The report is recorded whole, or left out. */
export function endProgress(tx: Tx, report: number): void {
  removeProgress(tx).run(report);
}
