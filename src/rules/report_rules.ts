/** What both queues of judging share: what the rules say of a series, how that is recorded, and how a queue is followed. */

import type { AssetId } from "../base/contract.ts";
import { isStorageFailure } from "../base/storage_fault.ts";
import { dayNumber, newestDay, type UtcDay } from "../base/time.ts";
import type { RuleInputs, SeriesSource } from "../flags/flags.ts";
import { type ChangedFlag, findHeldInputs, holdOpen, type JudgedRule, release } from "../flags/reconcile.ts";
import { listOpenRules } from "../flags/store.ts";
import {
  listLasting,
  type Monitored,
  type MonitoringFailure,
  noteFailure,
  noteRecovery,
} from "../health/monitoring.ts";
import type { Pulse, StoredPulse } from "../reports/pulse.ts";
import { listSeries, readBlocks, readBlocksOf } from "../reports/series.ts";
import { blockOf, firstDayOf, MISSING, type Stretch, stretchOf } from "../reports/series_days.ts";
import { isCount, raisedTitle, ruleOf, SENT, seriesName } from "../sites/rule_catalogue.ts";
import type { FlowThresholds } from "../sites/thresholds.ts";
import type { Core } from "../store/core.ts";
import type { Db, Tx } from "../store/store.ts";
import type { Writer } from "../store/writer.ts";
import {
  evaluateMetric,
  expectedByChance,
  judgedRules,
  type LastingRule,
  lastingRules,
  type MetricVerdict,
  type SeriesName,
} from "./flow_inputs.ts";
import { type FlowSeries, newestFinalDay, trimmed } from "./flow_series.ts";
import { isMoved, readsYearAgo } from "./lasting.ts";
import { type FailedJudging, orFailed } from "./verdict.ts";
import { putVerdict, type Tally } from "./verdicts.ts";

// What the rules say of one series on one day, whoever told its figures. Pure.

/** Days of history a verdict may read: a year, and the span of the dispersion before it. */
export const HISTORY_DAYS = 488;

/** The thresholds that hold for a metric of a site from a source. */
export type ThresholdsOf = (asset: string, metric: string, source: SeriesSource) => FlowThresholds;

/** A series with what the rules say of its day. */
export interface JudgedSeries {
  readonly day: UtcDay;
  readonly verdict: MetricVerdict;
  readonly rules: readonly JudgedRule[];
  readonly lasting: readonly LastingRule[];
}

/** Judges a day of a series. It never throws: what no rule can work with is not tested, with its reason. */
export function evaluateSeries(
  name: SeriesName,
  series: FlowSeries,
  day: UtcDay,
  thresholdsOf: () => FlowThresholds,
): JudgedSeries {
  if (!isCount(name.source, name.metric)) return notACount(day);
  // The rules answer whatever they are asked; so must what is made of their answers.
  const judged = orFailed(day, () => {
    const thresholds = thresholdsOf();
    const verdict = evaluateMetric(series, day, thresholds);
    return {
      day,
      verdict,
      rules: judgedRules(name, verdict, thresholds),
      lasting: lastingRules(name, verdict, thresholds),
    };
  });
  return "outcome" in judged ? failedSeries(day, judged) : judged;
}

/** A series on which no rule can say anything. */
export function failedSeries(day: UtcDay, verdict: FailedJudging): JudgedSeries {
  return { day, verdict: { flow: verdict, percentDrop: verdict }, rules: [], lasting: [] };
}

/** A figure that no rule on counts judges. */
function notACount(day: UtcDay): JudgedSeries {
  const verdict = { outcome: "not_tested", reason: "not_a_count", day } as const;
  return { day, verdict: { flow: verdict, percentDrop: verdict }, rules: [], lasting: [] };
}

/** Why a series could not be judged; undefined when it could. */
export function failureOf(verdict: MetricVerdict): string | undefined {
  const failed = Object.values({ ...verdict }).find(
    (one): one is FailedJudging => one?.outcome === "not_tested" && one.reason === "failed",
  );
  return failed?.detail;
}

// milestone-total: a total that passed 1, 2 or 5 times a power of ten. Always info; resolved at once.

/** The first milestone. */
const FIRST_MILESTONE = 1_000;

const STEPS = [1, 2, 5] as const;

/**
 * The highest milestone above `previous` and up to `latest`; undefined for a first reading or for a total that passed none. One
 * jump is one event, however many steps it takes: a total that leaps to the largest number there is passes dozens.
 */
export function milestonePassed(previous: number | undefined, latest: number): number | undefined {
  if (previous === undefined || !Number.isFinite(latest)) return undefined;
  let highest: number | undefined;
  for (let power = FIRST_MILESTONE; power <= latest; power *= 10) {
    for (const step of STEPS) if (step * power <= latest) highest = step * power;
  }
  return highest !== undefined && highest > previous ? highest : undefined;
}

/** What judging reads beside the history. */
interface EvaluationDeps {
  readonly thresholdsOf: ThresholdsOf;
  /** Metrics that another rule judges already. */
  readonly isJudgedElsewhere: (asset: string, metric: string) => boolean;
}

/** A report with what it says, taken up to be judged. */
export interface TakenReport {
  readonly report: StoredPulse;
  readonly pulse: Pulse;
}

/** What the rules say of one metric of a report. */
export interface JudgedMetric {
  readonly metric: string;
  /** Undefined where the report has no daily count of it, or another rule judges it. */
  readonly judged: JudgedSeries | undefined;
  /** The milestone its total passed. */
  readonly passed: { readonly milestone: number; readonly total: number } | undefined;
}

/** A report with what the rules say of its metrics, from the one at place `from` on. */
export interface JudgedReport {
  readonly report: StoredPulse;
  readonly from: number;
  readonly metrics: readonly JudgedMetric[];
}

/** Metrics whose history is read in one go. */
const READ_AT_ONCE = 32;

/**
 * Days before the report's own that are read first, and suffice: the longest window with its cohorts, the shares and wandering of the
 * weeks before it. Only the same weeks a year ago, the beginning of a series and the highest total may lie further back.
 */
const REACH_DAYS = 148;

/**
 * Judges metrics of a report, one after another. A metric whose figures no rule can work with is not tested, with its reason: it must not
 * stop the others. Only storage that fails is the caller's to bear.
 */
export function* evaluateReport(
  db: Db,
  deps: EvaluationDeps,
  report: StoredPulse,
  metrics: readonly (readonly [metric: string, figures: Pulse["metrics"][string]])[],
): Generator<JudgedMetric> {
  const { asset, date } = report;
  const day = dayNumber(date);
  // Judged as of its acceptance, also when that is made up later; a report that was accepted did not lie ahead itself.
  const newest = dayNumber(newestDay(Math.max(report.receivedAt, report.generatedAt)));
  const [from, to] = [day - HISTORY_DAYS, Math.min(day + HISTORY_DAYS, newest)];
  const nearFrom = day - REACH_DAYS;
  const olderTo = firstDayOf(blockOf(nearFrom)) - 1;
  const ids = new Map(listSeries(db, asset, SENT).map(({ id, metric }) => [metric, id]));
  const isCounted = (metric: string, { last24h }: Pulse["metrics"][string]) =>
    last24h !== undefined && !deps.isJudgedElsewhere(asset, metric);
  for (let start = 0; start < metrics.length; start += READ_AT_ONCE) {
    const some = metrics.slice(start, start + READ_AT_ONCE);
    const read = some
      .filter(([metric, figures]) => figures.total !== undefined || isCounted(metric, figures))
      .flatMap(([metric]) => ids.get(metric) ?? []);
    const near = readBlocksOf(db, read, nearFrom, to);
    const young = new Set(read.filter((id) => near.get(id)?.[0]?.block !== blockOf(nearFrom)));
    const ofYoung = readBlocksOf(db, [...young], from, olderTo);
    for (const [metric, figures] of some) {
      const { total } = figures;
      const counts = isCounted(metric, figures);
      if (!counts && total === undefined) {
        yield { metric, judged: undefined, passed: undefined };
        continue;
      }
      const judge = (history: Stretch | FailedJudging): JudgedMetric =>
        "outcome" in history
          ? { metric, judged: counts ? failedSeries(date, history) : undefined, passed: undefined }
          : {
              metric,
              judged: counts ? judgeHistory(deps, asset, metric, date, history) : undefined,
              passed: total === undefined ? undefined : milestoneOf(day, history, total),
            };
      const id = ids.get(metric) ?? -1;
      const blocks = near.get(id) ?? [];
      const last = orFailed(date, () => stretchOf(blocks, nearFrom, to));
      if (!("outcome" in last) && last.states[0] !== MISSING && !mayPass(day, last, total)) {
        const judged = judge(last);
        if (judged.judged === undefined || isWithin(judged.judged, day)) {
          yield judged;
          continue;
        }
      }
      const older = young.has(id) ? (ofYoung.get(id) ?? []) : readBlocks(db, id, from, olderTo);
      const all = [...older, ...blocks];
      // Nothing is known before its first block, and most of the reach of a young series would be made to be trimmed.
      const first = Math.max(from, firstDayOf(all[0]?.block ?? 0));
      yield judge(orFailed(date, () => stretchOf(all, first, to)));
    }
  }
}

/** Whether the verdict rests on no day further back than those that suffice before a day as late as this one. */
function isWithin({ day, verdict }: JudgedSeries, earliest: number): boolean {
  return dayNumber(day) >= earliest && !readsYearAgo(verdict.lasting);
}

function judgeHistory(
  deps: EvaluationDeps,
  asset: string,
  metric: string,
  date: UtcDay,
  { firstDay, values: counts, states }: Stretch,
): JudgedSeries {
  const series = trimmed({ firstDay, counts, states });
  const day = newestFinalDay(series) ?? date;
  return evaluateSeries({ source: SENT, metric }, series, day, () => deps.thresholdsOf(asset, metric, SENT));
}

/** Whether a total passes a milestone as far as some last days know; where none of them has a total, an earlier one may. */
function mayPass(day: number, last: Stretch, total: number | undefined): boolean {
  return total !== undefined && milestoneOf(day, last, total, -1) !== undefined;
}

/** A total of a day before the newest one passes nothing. */
function milestoneOf(
  day: number,
  { firstDay, totals, lastDay }: Stretch,
  total: number,
  before?: number,
): JudgedMetric["passed"] {
  if (lastDay > day) return undefined;
  let highest = before;
  for (let place = 0; place < day - firstDay; place++) {
    const told = totals[place] ?? Number.NaN;
    if (told > (highest ?? -1)) highest = told;
  }
  const milestone = milestonePassed(highest, total);
  return milestone === undefined ? undefined : { milestone, total };
}

// Keeping what the rules said of the series of a site and source, in the caller's transaction: verdicts, monitoring failures, tally.

/** Time and ids come from the caller. */
export interface RecordedBy {
  readonly now: number;
  readonly newId: () => string;
}

/** Whose series. */
interface SeriesOwner {
  readonly asset: string;
  readonly source: SeriesSource;
}

/** Flags of the flow test among those raised; percent-drop is no test of chance. */
export function raisedByChance(raised: readonly ChangedFlag[]): number {
  return raised.filter(({ rule }) => ruleOf(rule)?.isTestOfChance === true).length;
}

/**
 * Keeps the verdicts, and says of each metric that cannot be judged, or can be again, that it is so. What they come to is the tally,
 * to which a figure that is no count does not belong: no test of it was ever due.
 */
export function recordVerdicts(
  tx: Tx,
  owner: SeriesOwner,
  metrics: readonly {
    readonly metric: string;
    readonly judged: JudgedSeries | undefined;
    /** Whether its day was counted before: a figure and day are one test. */
    readonly isCounted?: boolean;
  }[],
  raised: number,
  now: number,
): Tally {
  const { asset, source } = owner;
  const failing = new Set(failuresOf(tx, owner).map(({ subject }) => subject));
  let [tests, notTested, expected] = [0, 0, 0];
  for (const { metric, judged, isCounted } of metrics) {
    if (judged === undefined) continue;
    const { day, verdict } = judged;
    putVerdict(tx, { asset, source, metric, judgedAt: now, date: day, verdict });
    const reason = failureOf(verdict);
    if (reason !== undefined) noteFailure(tx, watched(owner, metric), { reason, now });
    else if (failing.has(metric)) noteRecovery(tx, watched(owner, metric), now);
    if (isCounted === true) continue;
    if (verdict.flow.outcome === "tested") tests++;
    else if (verdict.flow.reason !== "not_a_count") notTested++;
    expected += expectedByChance(verdict);
  }
  return { tests, notTested, raised, expected };
}

/** What is watched of a series; as its metric, '' stands for all that the source told of the site. */
export function watched({ asset, source }: SeriesOwner, metric: string): Monitored {
  return { kind: "rule", asset, source, subject: metric };
}

/** The failures to judge what a source told of a site. */
export function failuresOf(tx: Tx, { asset, source }: SeriesOwner): MonitoringFailure[] {
  return listLasting(tx, { kind: "rule", asset }).filter((failure) => failure.source === source);
}

// Recording what was said of lasting changes, in the caller's transaction: one open flag for as long as one lasts.

/**
 * Raises, brings up to date or resolves the flags. That of a change that stays keeps its first day and the level before it, once
 * these are known, and is over where the level is back at the one before.
 */
export function recordLasting(
  tx: Tx,
  asset: AssetId,
  rules: readonly LastingRule[],
  { now, newId }: RecordedBy,
  timeZone = "",
): void {
  const openRules = new Set(listOpenRules(tx, asset));
  for (const { rule, source, metric, state, inputs: found, severity, kind } of rules) {
    if (state !== "fires" && !openRules.has(rule)) continue;
    const held = { rule, asset, source, subject: metric };
    const open = openRules.has(rule) ? findHeldInputs(tx, held) : undefined;
    const lasts = open !== undefined && state !== "over" && isStillBeyond(found, open);
    if (open !== undefined && !lasts) release(tx, { ...held, now });
    if (state === "over" || (state === "stays" && !lasts)) continue;
    const { since, level_before, since_known } = lasts && open["since_known"] === true ? open : found;
    const inputs = {
      ...found,
      since,
      level_before,
      since_known,
      ...(timeZone !== "" && { time_zone: timeZone }),
    };
    holdOpen(tx, {
      ...held,
      severity,
      kind,
      metric,
      message: raisedTitle(rule, seriesName(metric, source), inputs, now),
      inputs,
      reading: { day: found["day"], level: found["level"], distance: found["distance"] },
      now,
      newId,
    });
  }
}

/** Whether the level lies on the flag's side of the one before it, by as much as a flag needs. */
function isStillBeyond(found: RuleInputs, { level_before, direction }: RuleInputs): boolean {
  const [level, before] = [Number(found["level"]), Number(level_before)];
  return (
    level < before === (direction === "decline") && isMoved(level, before, Number(found["lasting_percent"]))
  );
}

// What following one queue and following another have in common: taking turns, writing each by itself, trying again.

/** What following needs. */
export type FollowDeps = EvaluationDeps & Core;

/** What came of a look at a queue. Storage that fails is thrown. */
export type Round = "idle" | "done";

/** Why things of a round failed, by what names them. */
export type Failed<K> = Map<K, unknown>;

/** How often a thing is tried before it is left out. */
const MOST_TRIES = 3;

/** Writes for each in one transaction, each in its own savepoint: one that fails takes no other with it. */
export async function writeEach<K>(
  writer: Pick<Writer, "write">,
  writes: readonly { readonly of: K; readonly write: Parameters<Writer["write"]>[0] }[],
  failed: Failed<K>,
): Promise<void> {
  const settled = await Promise.allSettled(
    writes.map(({ write }) => writer.write(write, { lowPriority: true, isRepeatable: true })),
  );
  for (const [place, outcome] of settled.entries()) {
    const one = writes[place];
    // The first failure is the cause of those after it.
    if (outcome.status === "rejected" && one !== undefined && !failed.has(one.of)) {
      failed.set(one.of, outcome.reason);
    }
  }
}

/** Tries of what failed, while it may still be tried. */
export class Tries<K> {
  readonly #tries = new Map<K, number>();
  #behind = 0;

  /** How many were judged or left out. */
  get behind(): number {
    return this.#behind;
  }

  /**
   * What becomes of the things of a round: those that failed too often are left out. Throws when storage failed, which is no fault of
   * theirs.
   */
  async answerFor(
    all: readonly K[],
    failed: ReadonlyMap<K, unknown>,
    leaveOut: (one: K, error: unknown) => Promise<void>,
  ): Promise<void> {
    let storage: unknown;
    for (const one of all) {
      const error = failed.get(one);
      if (isStorageFailure(error)) {
        storage ??= error;
        continue;
      }
      if (error !== undefined) {
        const tries = (this.#tries.get(one) ?? 0) + 1;
        this.#tries.set(one, tries);
        if (tries < MOST_TRIES) continue;
        await leaveOut(one, error);
      }
      this.#tries.delete(one);
      this.#behind++;
    }
    if (storage !== undefined) throw storage;
  }
}
