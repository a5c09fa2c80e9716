/** The flags of a site on the days of its charts, each with the chart it stands over. */
import type { Db } from "../../db/mod.ts";
import { type ChainedFlag, type FlagRow, listChainedFlags, listFlags, titleOf } from "../../flags/mod.ts";
import { parseInstant } from "../../lib/instant.ts";
import { addDays, parseUtcDay, startOfDay, type UtcDay, utcDayOf } from "../../lib/utc_day.ts";
import type { DayOffset } from "../../pulse/mod.ts";
import { ruleOf, SENT } from "../../rules/mod.ts";
import type { ChartFlag } from "../component/chart_marks.tsx";
import type { ChartDays } from "../component/chart_scale.ts";
import { SEVERITIES, type Severity } from "../component/severity.tsx";
import { paths } from "../paths.ts";
import { flagsShown } from "../shown_days.ts";
import { CODE, type Half } from "./named.ts";

/** Most flags that are read for the charts of a page, the newest ones. */
const MOST_FLAGS = 300;
/** A flag is raised after the day it is about: up to a week later when its report came late. */
const LATEST_DAYS = 8;

/** Which chart: whose figure, and which. */
export type LaneKey = `${Half}/${string}`;

export const laneKey = (half: Half, metric: string): LaneKey => `${half}/${metric}`;

/** A flag on its day; without a chart where it is about no figure that has one. */
export interface DayFlag extends ChartFlag {
  readonly lane: LaneKey | undefined;
  /** Of the lasting thing, as its last flag has it. */
  readonly status: FlagRow["status"];
  readonly href: string;
}

/** The chart a flag stands over. */
export function laneOf({
  rule,
  metric,
  source,
}: Pick<FlagRow, "rule" | "metric" | "source">): LaneKey | undefined {
  const chart = rule === null ? undefined : ruleOf(rule)?.chart;
  if (chart !== undefined) return laneKey(CODE, chart);
  return metric === null ? undefined : laneKey(source ?? SENT, metric);
}

/** Each lasting thing once, at the first of the days that it is about; oldest first. */
export function flagsBetween(
  db: Db,
  of: { readonly asset: string; readonly offset: DayOffset },
  days: ChartDays,
  now: number,
): DayFlag[] {
  const { asset, offset } = of;
  const until = startOfDay(addDays(days.to, LATEST_DAYS));
  const rows = listChainedFlags(db, { asset, from: startOfDay(days.from), to: until }, MOST_FLAGS);
  const began = new Map<string, DayFlag>();
  const newest = new Map<string, ChainedFlag>();
  // The newest come first, so that the earliest row of a chain is the one that stays, with how its last one stands.
  for (const row of rows.map(flagsShown(db, of))) {
    const { first } = row.chain;
    const last = newest.get(first) ?? row;
    newest.set(first, last);
    const date = dayOf(row, isSentLane(laneOf(row)) ? offset : 0);
    if (date < days.from || date > days.to) continue;
    began.set(first, {
      lane: laneOf(row),
      date,
      severity: row.severity,
      message: titleOf(row, now),
      status: last.status,
      href: paths.flag(last.id),
    });
  }
  return [...began.values()].reverse();
}

const isSentLane = (lane: LaneKey | undefined): boolean => lane?.startsWith(`${SENT}/`) === true;

/** The day a flag is about: the judged day, the day that the report which sent it is shown on, or the day it was raised. */
function dayOf(
  { rule_inputs, raised_at }: Pick<ChainedFlag, "rule_inputs" | "raised_at">,
  offset: DayOffset,
): UtcDay {
  const dayIn = (named: unknown) => (typeof named === "string" ? parseUtcDay(named) : undefined);
  const report = dayIn((rule_inputs?.["report"] as { readonly date?: unknown } | undefined)?.date);
  const judged = dayIn(rule_inputs?.["day"]) ?? (report && addDays(report, offset));
  return judged ?? utcDayOf(parseInstant(raised_at) ?? 0);
}

/** The worst open flag of each chart. */
export function worstByLane(db: Db, asset: string): ReadonlyMap<LaneKey, Severity> {
  const worst = new Map<LaneKey, Severity>();
  for (const row of listFlags(db, { asset, status: "open" }, MOST_FLAGS)) {
    const lane = laneOf(row);
    if (lane === undefined) continue;
    const known = worst.get(lane);
    if (known === undefined || urgency(row.severity) < urgency(known)) worst.set(lane, row.severity);
  }
  return worst;
}

/** 0 for the worst; what has no flag comes last. */
export function urgency(severity: Severity | undefined): number {
  return severity === undefined ? SEVERITIES.length : SEVERITIES.indexOf(severity);
}
