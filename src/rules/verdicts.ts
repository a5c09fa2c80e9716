/** What judging came to: what the rules last said of each series, the tally of tests and flags, and what both say of the rules themselves. */

import { and, asc, count, desc, eq, gte, inArray, lt, ne, sql } from "drizzle-orm";
import { index, integer, primaryKey, real, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { addDays, dayNumber, startOfDay, type UtcDay, utcDayOf } from "../base/time.ts";
import type { RuleInputs, SeriesSource } from "../flags/flags.ts";
import { countTuned } from "../flags/inbox.ts";
import { type FlowFlag, listFlowFlags, listFlowFlagsRaised } from "../flags/queries.ts";
import { FLOW_RULES, ruleOf, SENT } from "../sites/rule_catalogue.ts";
import { columnsOf, replacing } from "../store/rows.ts";
import { type Db, statement, type Tx } from "../store/store.ts";
import type { DispersionBasis } from "./dispersion.ts";
import type { MetricVerdict } from "./flow_inputs.ts";
import type { NotTestedReason } from "./verdict.ts";

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
    // The columns that lists and sums over all series read. By site, as a night writes them: ordered by dispersion, which moves daily, each
    // row would dirty a page of its own.
    index("flow_verdict_listed").on(
      t.asset,
      t.metric,
      t.source,
      t.date,
      t.reason,
      t.phi,
      t.basis,
      t.spread_days,
    ),
  ],
);

/** The newest verdict of a series. */
export interface StoredVerdict
  extends Readonly<
    Pick<typeof flowVerdict.$inferSelect, "asset" | "source" | "metric" | "judgedAt" | "date">
  > {
  readonly verdict: MetricVerdict;
}

/** A ratio or a position is never tested: it is none of those that could not be, and has no dispersion to measure. */
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

const sumBetween = (db: Db, from: UtcDay, before: UtcDay | undefined): Tally => {
  const isEarlier = before === undefined ? undefined : lt(flowTally.date, before);
  const sums = db
    .select(SUMS)
    .from(flowTally)
    .where(and(gte(flowTally.date, from), isEarlier));
  return sums.get() ?? NO_TALLY;
};

/** The days before today by connection: nothing is judged on them any more, and of ten thousand sites they are 300,000 rows. */
const settledSums = new WeakMap<Db, { readonly of: string; readonly sums: Tally }>();

/** The tallies of all sites since a day, added up; the sum of those before `today` is kept. */
export function sumTallies(db: Db, from: UtcDay, today = from): Tally {
  const of = `${from} ${today}`;
  const known = settledSums.get(db);
  const sums = known?.of === of ? known.sums : sumBetween(db, from, today);
  settledSums.set(db, { of, sums });
  return plus(sums, sumBetween(db, today, undefined));
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
function listDayTallies(db: Db, from: UtcDay): (Tally & { readonly date: UtcDay })[] {
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

// Queries of the calibration panel over what the rules last said of every metric.

/** The measured dispersion of one metric, with the day it was last judged on; without a dispersion where the test stopped before it. */
export type SpreadRow = ReturnType<typeof listSpreads>[number];

/** A page of metrics, the widest dispersion first; of the sites whose identifier holds `q`. */
export function listSpreads(
  db: Db,
  page: { readonly q: string; readonly limit: number; readonly offset: number },
) {
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
      // NULL comes after every number.
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

function ofSites(q: string) {
  return q === "" ? IS_COUNT : and(IS_COUNT, sql`instr(lower(${flowVerdict.asset}), ${q.toLowerCase()}) > 0`);
}

// What makes alpha a managed setting: tests run, flags raised, and the flags that chance alone would have raised.

/** Spans of the panel, in days that end today. */
const CALIBRATION_DAYS = [7, 30, 90] as const;

/** One span of the panel. */
export type CalibrationSpan = ReturnType<typeof calibrationOf>[number];

/** Gathers the spans; days are those of judging, and `today` is the last of each span. */
export function calibrationOf(db: Db, today: UtcDay) {
  const days = listDayTallies(db, firstDay(today, Math.max(...CALIBRATION_DAYS)));
  return CALIBRATION_DAYS.map((span) => {
    const from = firstDay(today, span);
    // Of all flow rules, percent-drop among them, which is no test of chance; and those after which an operator tuned the rule.
    const { raised: flags, tuned } = countTuned(db, FLOW_RULES, startOfDay(from));
    const sum = days.filter(({ date }) => date >= from).reduce(plus, NO_TALLY);
    return { days: span, from, ...sum, flags, tuned };
  });
}

function firstDay(today: UtcDay, days: number): UtcDay {
  return addDays(today, 1 - days);
}

// Whether a flow flag stands out among all tests of its day, or lies within what so many tests give by chance. A mark for pages alone,
// worked out on reading: every flag is raised and listed either way.

/** Of the flags that stand out, the share that chance may have given. */
const FALSE_SHARE = 0.1;

/** How a flag is marked. */
export interface ChanceMark {
  /** Why it stands out; null where it lies within what chance gives. */
  readonly standsOut: "error" | "count_of_0" | "second_day" | "improbable" | null;
  /** The UTC day whose tests it is held against, and how many series were tested on it. */
  readonly day: UtcDay;
  readonly tests: number;
}

/**
 * The greatest probability that stands out among a number of tests, by Benjamini and Hochberg: the k-th smallest that is at most
 * k · 0.1 / tests, for the largest such k; -1 where none is. Only flags have a place in the order. The other tests have a
 * probability of alpha or more, so they could move the bound only where a tenth of all series is flagged, and then only up.
 */
export function greatestStandingOut(chances: readonly number[], tests: number): number {
  const ordered = chances.toSorted((one, other) => one - other);
  const last = ordered.findLastIndex((chance, place) => chance * tests <= (place + 1) * FALSE_SHARE);
  return ordered[last] ?? -1;
}

/** The probability that a flag rests on: the second condition's where that was worked out, else the specification's test's. */
function finalChance(inputs: RuleInputs): number | undefined {
  const { direction, poisson, second } = inputs as {
    readonly direction?: unknown;
    readonly poisson?: unknown;
    readonly second?: { readonly state?: unknown; readonly mid_p?: unknown };
  };
  const tails = (second?.state === "judged" ? second.mid_p : poisson) as
    | Readonly<Record<string, unknown>>
    | undefined;
  const chance = tails?.[direction === "drop" ? "at_most" : "at_least"];
  return typeof chance === "number" ? chance : undefined;
}

/**
 * The marks of the open flags of the flow test, or of one flag; one that is no test of chance, or does not say its probability, has none.
 * `isEarly`: a day that is not over is taken to test as many series as the day before, since its first flags are read before its other tests.
 */
export function chanceMarks(db: Db, id?: string, isEarly = false): ReadonlyMap<string, ChanceMark> {
  const days = new Map<UtcDay, { readonly tests: number; readonly bound: number }>();
  const boundOf = (day: UtcDay) => {
    const known = days.get(day);
    if (known !== undefined) return known;
    const tests = Math.max(countTestedSeries(db, day), isEarly ? countTestedSeries(db, addDays(day, -1)) : 0);
    const flags = listFlowFlagsRaised(db, startOfDay(day), startOfDay(addDays(day, 1)));
    const worked = { tests, bound: greatestStandingOut(flags.flatMap(chanceOf), tests) };
    days.set(day, worked);
    return worked;
  };
  return new Map(
    listFlowFlags(db, id).flatMap((flag) =>
      chanceOf(flag).map((chance) => {
        const day = utcDayOf(flag.raisedAt);
        const { tests, bound } = boundOf(day);
        return [flag.id, { standsOut: reasonOf(flag, chance <= bound), day, tests }] as const;
      }),
    ),
  );
}

/** The flags among them that lie within what chance gives. */
export function withinChance(marks: ReadonlyMap<string, ChanceMark>): readonly string[] {
  return [...marks].flatMap(([id, { standsOut }]) => (standsOut === null ? [id] : []));
}

function chanceOf({ rule, inputs }: FlowFlag): number[] {
  const chance = ruleOf(rule)?.isTestOfChance === true ? finalChance(inputs) : undefined;
  return chance === undefined ? [] : [chance];
}

function reasonOf(
  { severity, inputs, isSecondDay }: FlowFlag,
  isImprobable: boolean,
): ChanceMark["standsOut"] {
  if (severity === "error") return "error";
  if ((inputs["observed"] as { readonly count?: unknown } | undefined)?.count === 0) return "count_of_0";
  if (isSecondDay) return "second_day";
  return isImprobable ? "improbable" : null;
}
