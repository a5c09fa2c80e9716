/** What the flow rule expects of the days of a chart, and what it says of one: asked of the rule itself, on the days as they are stored. */

import { addDays, dayNumber, daysBetween, type UtcDay, utcDayOf } from "../../base/time.ts";
import { daysMoved } from "../../reports/shown_day.ts";
import { type ExpectedRange, evaluateFlow, expectedRange } from "../../rules/flow.ts";
import { type FlowSeries, findFlowSeries } from "../../rules/flow_series.ts";
import { HISTORY_DAYS } from "../../rules/report_rules.ts";
import type { FlowVerdict } from "../../rules/verdict.ts";
import type { ConstantsStore } from "../../sites/constants_store.ts";
import { flowThresholds } from "../../sites/constants_store.ts";
import { SENT } from "../../sites/rule_catalogue.ts";
import type { FlowThresholds } from "../../sites/thresholds.ts";
import type { Db } from "../../store/store.ts";
import type { Lane, SiteDays } from "./site_days.tsx";

export interface ExpectedDeps {
  readonly db: Db;
  readonly constants: Pick<ConstantsStore, "current">;
}

export interface JudgedDays {
  readonly ranges: ReadonlyMap<UtcDay, ExpectedRange>;
  /** What the rule says of a day, by the days that pages show. */
  readonly verdictOf: (day: UtcDay) => FlowVerdict;
}

/** The counts of a chart's days as the rule in force judges them; of what is no count, and of the code, there is nothing to expect. */
export function readJudged(
  { db, constants }: ExpectedDeps,
  { half: source, metric, unit, days: all }: Pick<Lane, "half" | "metric" | "unit" | "days">,
  { asset, offset: sentOffset }: Pick<SiteDays, "asset" | "offset">,
  now: number,
): JudgedDays | undefined {
  if (unit !== "count") return undefined;
  const days = all.filter(({ state }) => state !== "none").map(({ day }) => day);
  const [first] = days;
  if (first === undefined) return undefined;
  const offset = source === SENT ? sentOffset : 0;
  const reach = daysBetween(first, utcDayOf(now)) + HISTORY_DAYS;
  const series = findFlowSeries(db, { asset, source, metric }, now, reach);
  if (series === undefined) return undefined;
  const thresholds = flowThresholds(constants.current().constants, asset, source, metric);
  const rule = JSON.stringify([thresholds, series.steps]);
  const ranges = new Map<UtcDay, ExpectedRange>();
  for (const day of days) {
    const range = rangeOf(series, addDays(day, -offset), thresholds, rule);
    if (range !== undefined) ranges.set(day, range);
  }
  return {
    ranges,
    verdictOf: (day) => daysMoved(evaluateFlow(series, addDays(day, -offset), thresholds), offset),
  };
}

/** So many ranges are kept: those of a page of charts that is looked at again and again. */
const MOST_KEPT = 20_000;
const kept = new Map<number | bigint, ExpectedRange | null>();

/** A range takes a tenth of a millisecond; it is kept by the very days it is made of, and the rule, so that it is never an old one. */
function rangeOf(
  { firstDay, counts, states, ...rest }: FlowSeries,
  day: UtcDay,
  thresholds: FlowThresholds,
  rule: string,
): ExpectedRange | undefined {
  const end = dayNumber(day) - firstDay;
  const from = Math.max(0, end - HISTORY_DAYS);
  const before = {
    ...rest,
    firstDay: firstDay + from,
    counts: counts.slice(from, end + 1),
    states: states.slice(from, end + 1),
  };
  const last = before.counts.length - 1;
  if (last < 0) return undefined;
  // Of the day itself no count is read.
  before.counts[last] = 0;
  const key = [before.counts, before.states, `${day} ${rule}`].reduce<bigint>(
    (seed, part) => Bun.hash.xxHash64(part, seed),
    0n,
  );
  const known = kept.get(key);
  if (known !== undefined) return known ?? undefined;
  const range = expectedRange(before, day, thresholds);
  if (kept.size >= MOST_KEPT) kept.clear();
  kept.set(key, range ?? null);
  return range;
}
