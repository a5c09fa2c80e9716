/** What judging came to: one row per judged report, summed on reading. */

import { and, asc, count, desc, eq, gt, gte, inArray, isNotNull, sql } from "drizzle-orm";
import { index, integer, primaryKey, real, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { addDays, startOfDay, type UtcDay } from "../base/time.ts";
import { countTuned } from "../flags/inbox.ts";
import { FLOW_RULES } from "../sites/rule_catalogue.ts";
import { type Db, statement, type Tx } from "../store/store.ts";
import type { DispersionBasis } from "./dispersion.ts";
import type { NotTestedReason } from "./verdict.ts";

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
function listDayTallies(db: Db, from: UtcDay): (Tally & { readonly date: UtcDay })[] {
  return db
    .select({ date: sql<UtcDay>`${flowTally.date}`, ...SUMS })
    .from(flowTally)
    .where(gte(flowTally.date, from))
    .groupBy(flowTally.date)
    .orderBy(asc(flowTally.date))
    .all();
}

/** Sites with the most flags raised by flow rules since a day; those without a flag are left out. */
function noisiestSites(db: Db, from: UtcDay, limit: number): (Tally & { readonly asset: string })[] {
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

/** Queries of the calibration panel over what the rules last said of every metric. */

/** The measured dispersion of one metric, with the day it was last judged on. */
export interface SpreadRow {
  readonly asset: string;
  /** Who told it; `pulse` for what the site sent. */
  readonly source: string;
  readonly metric: string;
  readonly date: UtcDay;
  /** Null when the metric was tested. */
  readonly notTested: NotTestedReason | null;
  /** Null where the test stopped before it came to the dispersion. */
  readonly phi: number | null;
  readonly basis: DispersionBasis | null;
  /** Days it was measured on. */
  readonly days: number | null;
}

/** A page of metrics, the widest dispersion first; of the sites whose identifier holds `q`. */
export function listSpreads(
  db: Db,
  page: { readonly q: string; readonly limit: number; readonly offset: number },
): SpreadRow[] {
  return (
    db
      .select({
        asset: flowVerdict.asset,
        source: flowVerdict.source,
        metric: flowVerdict.metric,
        date: sql<UtcDay>`${flowVerdict.date}`,
        notTested: sql<NotTestedReason | null>`${flowVerdict.reason}`,
        phi: flowVerdict.phi,
        basis: sql<DispersionBasis | null>`${flowVerdict.basis}`,
        days: flowVerdict.spread_days,
      })
      .from(flowVerdict)
      .where(ofSites(page.q))
      // As the index has them, and NULL after every number: a page costs no more than its rows and those before it.
      .orderBy(
        desc(flowVerdict.phi),
        asc(flowVerdict.asset),
        asc(flowVerdict.metric),
        asc(flowVerdict.source),
      )
      .limit(page.limit)
      .offset(page.offset)
      .all()
  );
}

/** How many counts were ever judged; of the sites whose identifier holds `q`. */
export function countSpreads(db: Db, q: string): number {
  return db.select({ metrics: count() }).from(flowVerdict).where(ofSites(q)).get()?.metrics ?? 0;
}

/** Why metrics were not tested when they were last judged, the most frequent reason first. */
export function countNotTested(db: Db): { readonly reason: NotTestedReason; readonly metrics: number }[] {
  const reason = sql<NotTestedReason>`${flowVerdict.reason}`;
  return db
    .select({ reason, metrics: count() })
    .from(flowVerdict)
    .where(isNotNull(flowVerdict.reason))
    .groupBy(flowVerdict.reason)
    .orderBy(desc(count()), asc(flowVerdict.reason))
    .all();
}

/** A figure that is no count has no dispersion to measure. */
const IS_COUNT = sql`coalesce(${flowVerdict.reason}, '') <> 'not_a_count'`;

function ofSites(q: string) {
  return q === "" ? IS_COUNT : and(IS_COUNT, sql`instr(lower(${flowVerdict.asset}), ${q.toLowerCase()}) > 0`);
}

/** What makes alpha a managed setting: tests run, flags raised, and the flags that chance alone would have raised. */

/** Spans of the panel, in days that end today. */
export const CALIBRATION_DAYS = [7, 30, 90] as const;

const NOISIEST_DAYS = 30;
const NOISIEST_SITES = 10;

/** One span of the panel. */
export interface CalibrationSpan extends Tally {
  readonly days: number;
  readonly from: UtcDay;
  /** Flags of the flow rules raised in the span, percent-drop among them, which is no test of chance. */
  readonly flags: number;
  /** Those of them after which an operator tuned the rule. */
  readonly tuned: number;
}

/** The panel, without the list of metrics. */
export interface Calibration {
  readonly spans: readonly CalibrationSpan[];
  /** Why metrics were not tested when they were last judged. */
  readonly notTested: readonly { readonly reason: NotTestedReason; readonly metrics: number }[];
  /** Sites with the most flags raised in `noisiestDays`; those without a flag are left out. */
  readonly noisiest: readonly (Tally & { readonly asset: string })[];
  readonly noisiestDays: number;
}

/** Gathers the panel; days are those of judging, and `today` is the last of each span. */
export function calibrationOf(db: Db, today: UtcDay): Calibration {
  const days = listDayTallies(db, firstDay(today, Math.max(...CALIBRATION_DAYS)));
  return {
    spans: CALIBRATION_DAYS.map((span) => {
      const from = firstDay(today, span);
      const { raised: flags, tuned } = countTuned(db, FLOW_RULES, startOfDay(from));
      const sum = days.filter(({ date }) => date >= from).reduce(plus, NO_TALLY);
      return { days: span, from, ...sum, flags, tuned };
    }),
    notTested: countNotTested(db),
    noisiest: noisiestSites(db, firstDay(today, NOISIEST_DAYS), NOISIEST_SITES),
    noisiestDays: NOISIEST_DAYS,
  };
}

/** Flags that chance alone would have raised in the days that end today, both tails: for the heading of the inbox. */
export function expectedByChance(db: Db, today: UtcDay, days: number): number {
  return sumTallies(db, firstDay(today, days)).expected;
}

function firstDay(today: UtcDay, days: number): UtcDay {
  return addDays(today, 1 - days);
}
