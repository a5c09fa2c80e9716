/** What the rules last said of each series. */

import { and, asc, eq, inArray, ne, sql } from "drizzle-orm";
import { index, integer, primaryKey, real, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { dayNumber, type UtcDay } from "../base/time.ts";
import type { SeriesSource } from "../flags/flags.ts";
import { SENT } from "../sites/flag_titles.ts";
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
