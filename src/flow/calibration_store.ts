/** Queries of the calibration panel over what the rules last said of every metric. */
import { and, asc, count, desc, isNotNull, sql } from "drizzle-orm";
import type { Db } from "../db/mod.ts";
import type { UtcDay } from "../lib/utc_day.ts";
import type { DispersionBasis } from "./dispersion.ts";
import { flowVerdict } from "./table.ts";
import type { NotTestedReason } from "./verdict.ts";

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
