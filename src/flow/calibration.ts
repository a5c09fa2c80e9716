/** What makes alpha a managed setting: tests run, flags raised, and the flags that chance alone would have raised. */
import type { Db } from "../db/mod.ts";
import { countTuned } from "../flags/mod.ts";
import { addDays, startOfDay, type UtcDay } from "../lib/utc_day.ts";
import { FLOW_RULES } from "../rules/mod.ts";
import { countNotTested } from "./calibration_store.ts";
import { listDayTallies, NO_TALLY, noisiestSites, plus, sumTallies, type Tally } from "./tally_store.ts";
import type { NotTestedReason } from "./verdict.ts";

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
