/** Queries of the calibration panel over what the rules last said of every metric. */

import { and, asc, count, desc, isNotNull, sql } from "drizzle-orm";
import { addDays, startOfDay, type UtcDay } from "../base/time.ts";
import { countTuned } from "../flags/inbox.ts";
import { FLOW_RULES } from "../sites/rule_catalogue.ts";
import type { Db } from "../store/store.ts";
import type { DispersionBasis } from "./dispersion.ts";
import type { NotTestedReason } from "./verdict.ts";
import {
  flowVerdict,
  listDayTallies,
  NO_TALLY,
  noisiestSites,
  plus,
  sumTallies,
  type Tally,
} from "./verdicts.ts";

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

// What makes alpha a managed setting: tests run, flags raised, and the flags that chance alone would have raised.

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
export type Calibration = ReturnType<typeof calibrationOf>;

/** Gathers the panel; days are those of judging, and `today` is the last of each span. */
export function calibrationOf(db: Db, today: UtcDay) {
  const days = listDayTallies(db, firstDay(today, Math.max(...CALIBRATION_DAYS)));
  return {
    spans: CALIBRATION_DAYS.map((span): CalibrationSpan => {
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
