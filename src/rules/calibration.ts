/** Queries of the calibration panel over what the rules last said of every metric. */

import { and, asc, count, desc, sql } from "drizzle-orm";
import { addDays, startOfDay, type UtcDay } from "../base/time.ts";
import { countTuned } from "../flags/inbox.ts";
import { FLOW_RULES } from "../sites/rule_catalogue.ts";
import type { Db } from "../store/store.ts";
import type { DispersionBasis } from "./dispersion.ts";
import type { NotTestedReason } from "./verdict.ts";
import { flowVerdict, listDayTallies, NO_TALLY, plus } from "./verdicts.ts";

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

/** A figure that is no count has no dispersion to measure. */
const IS_COUNT = sql`coalesce(${flowVerdict.reason}, '') <> 'not_a_count'`;

function ofSites(q: string) {
  return q === "" ? IS_COUNT : and(IS_COUNT, sql`instr(lower(${flowVerdict.asset}), ${q.toLowerCase()}) > 0`);
}

// What makes alpha a managed setting: tests run, flags raised, and the flags that chance alone would have raised.

/** Spans of the panel, in days that end today. */
export const CALIBRATION_DAYS = [7, 30, 90] as const;

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
