/**
 * The rules on stored figures, off the path of any answer. This file runs them: each accepted report once, soon after its answer and in
 * the order of acceptance per site; a provider's figures when a settled day is new or changed. Sites take turns, so that one that floods
 * delays no other, and what a crash cut off is made up at the next start.
 *
 * - Nightly report → flag: `ReportWorker` below (readings, evaluation, record) → `report_rules.ts` (one metric) → `flow_inputs.ts` (which
 *   rule fires, with which inputs) → `flags/reconcile.ts`.
 * - Provider's day → flag: `signal_queue.ts` (which days may be tested) → the same.
 * - Silence → flag: `freshness.ts`, every minute.
 *
 * Begin with `flow.ts` (the Poisson test), then `flow_inputs.ts`. Nothing that a site sends stops the rules: a metric that fails is tried
 * again, then left out, and noted as a monitoring failure; storage that fails is waited for.
 *
 * A new rule on a metric family:
 * 1. Its line in `RULES` (`sites/rule_catalogue.ts`): id (spelled there alone, and exported as a constant), what it judges, severity, kind, thresholds;
 *    its sentence is its `title` there, made by `raisedTitle`. Thresholds in a table of their own are one more entry in
 *    each of `sites/thresholds.ts` (`THRESHOLDS`, `FlowThresholds`), `sites/constants_schema.ts`, `sites/constants.toml` and
 *    `flowThresholds` (`sites/constants_store.ts`); where the rule is not tunable, `tower/settings/thresholds.ts`, which lists what a site overrides, leaves them out. Its flags are called by its id (`shortName`), its inputs in `sites/glossary.ts` (`INPUT_WORDS`).
 * 2. A pure function of a `FlowSeries` and a day that answers a verdict, beside `percent_drop.ts`; never throwing (`orFailed` in `verdict.ts`).
 *    A rule of one metric by name, or on a figure that is no count: a `JudgedRule` added in `evaluateSeries` (`report_rules.ts`), its verdict a
 *    part of `MetricVerdict`, in words in `tower/site/verdict.tsx` and, day by day, in
 *    `resultWords` (`tower/site/metric_page.tsx`). On a provider's figure its inputs hold `day` and `observed`: revisions of that day go by them. What keeps an open flag, and what ends it, is said at `Verdict` (`flags/reconcile.ts`).
 * 3. `evaluateMetric`, `firedRule` and `judgedRules` of `flow_inputs.ts` call it and record its inputs. Flags, history and the API follow.
 * 4. The words of its proof on the flag's page: `tower/flags/judged.tsx`. Its line in the tables of
 *    `.github/docs/rules.md`, which `test/readme/facts_test.ts` holds.
 */

import { Slices } from "../base/concurrency.ts";
import { logOf } from "../base/log.ts";
import { dayTextAt, utcDayOf } from "../base/time.ts";
import { latestMilestone } from "../flags/queries.ts";
import { type JudgedRule, reconcileFlags } from "../flags/reconcile.ts";
import { raiseResolved } from "../flags/store.ts";
import { endFailures, noteFailure, noteRecovery } from "../health/monitoring.ts";
import {
  endWaiting,
  findNewestPulseDay,
  findPulseById,
  listTurns,
  type Pulse,
  type StoredPulse,
} from "../reports/pulse.ts";
import { replaceReadings } from "../reports/readings.ts";
import { MILESTONE_TOTAL, RULES, raisedTitle, SENT } from "../sites/rule_catalogue.ts";
import { isRetired } from "../sites/sites.ts";
import type { Tx } from "../store/store.ts";
import {
  evaluateReport,
  type Failed,
  type FollowDeps,
  failureOf,
  failuresOf,
  type JudgedMetric,
  type JudgedReport,
  type RecordedBy,
  type Round,
  raisedByChance,
  recordLasting,
  recordVerdicts,
  type TakenReport,
  Tries,
  watched,
  writeEach,
} from "./report_rules.ts";
import { SignalWorker } from "./signal_queue.ts";
import { addTally, endProgress, findProgress, plus, putProgress } from "./verdicts.ts";

/** What an accepted report leaves to its answer, and to those that come with it, before it is judged, in milliseconds. */
const AFTER_ANSWER_MS = 5;
/** How long judging pauses after a round for each report that was accepted during it, and at most, in milliseconds: a flood is taken first. */
const PAUSE_MS = { each: 0.1, most: 50 } as const;
/** How long is waited after storage failed, the first time and at most, in milliseconds. */
const REST_MS = { first: 1_000, most: 30_000 } as const;

/** Follows what is told with the flow rules. */
export class FlowFollower {
  readonly #deps: FollowDeps;
  readonly #halted = Promise.withResolvers<void>();
  readonly #reports: ReportWorker;
  readonly #signals: SignalWorker;
  #running: Promise<void> | undefined;
  #again = false;
  #stopped = false;
  /** Reports accepted since the last pause. */
  #accepted = 0;
  #restingSince: number | undefined;

  constructor(deps: FollowDeps) {
    this.#deps = deps;
    this.#reports = new ReportWorker(deps);
    this.#signals = new SignalWorker(deps);
  }

  /** Reports that were judged or left out since the start. */
  get followed(): number {
    return this.#reports.followed;
  }

  /** How often what a provider told of a site was judged or left out since the start. */
  get followedSignals(): number {
    return this.#signals.followed;
  }

  /** Since when storage keeps the rules from judging, in milliseconds since the epoch; undefined while it does not. */
  get restingSince(): number | undefined {
    return this.#restingSince;
  }

  /** Says that there may be something to judge. */
  kick(): void {
    this.#accepted++;
    this.#look(AFTER_ANSWER_MS);
  }

  /** Says that providers were asked. */
  collected(): void {
    this.#signals.collected();
    this.kick();
  }

  /** Resolves when everything accepted so far is judged. */
  async settle(): Promise<void> {
    this.#look(0);
    await this.#running;
  }

  /** Stops after the round under way; a rest ends at once. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#halted.resolve();
    await this.#running;
  }

  #look(afterMs: number): void {
    this.#again = true;
    this.#running ??= this.#run(afterMs).finally(() => {
      this.#running = undefined;
      // Said after the last look and before this: nobody would look again until the next report.
      if (this.#again && !this.#stopped) this.#look(afterMs);
    });
  }

  async #run(afterMs: number): Promise<void> {
    let rest: number = REST_MS.first;
    await Bun.sleep(afterMs);
    while (this.#again && !this.#stopped) {
      this.#again = false;
      let round: Round | "storage_failed" = "done";
      while (!this.#stopped && round !== "idle") {
        round = await this.#round();
        if (round === "storage_failed") {
          await this.#rest(rest);
          rest = Math.min(rest * 2, REST_MS.most);
        } else {
          rest = REST_MS.first;
          this.#restingSince = undefined;
          await Bun.sleep(Math.min(PAUSE_MS.most, this.#accepted * PAUSE_MS.each));
          this.#accepted = 0;
        }
      }
    }
  }

  async #rest(ms: number): Promise<void> {
    this.#restingSince ??= this.#deps.clock.now();
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, ms);
    await Promise.race([promise, this.#halted.promise]);
    clearTimeout(timer);
  }

  /** Reports first: a site waits for what is said of them, a provider's figures are a day old. */
  async #round(): Promise<Round | "storage_failed"> {
    try {
      const rounds = [await this.#reports.round(), await this.#signals.round()];
      return rounds.includes("done") ? "done" : "idle";
    } catch (error) {
      logOf("flow").error("judging waits, since storage failed", { reason: String(error) });
      return "storage_failed";
    }
  }
}

// The queue of nightly reports. A report is judged in three steps: its readings are put in place (one write), each of its metrics is
// judged on the history as it then stands (pure, a few at a time so that the event loop stays free), and the verdicts and flags are
// written together with the place reached (one write, or several of a few milliseconds each). A crash between them repeats what was not
// written and leads to the same.

/**
 * A write holds up the event loop, and with it every answer. A report that is small enough is recorded whole, several in one commit; a
 * larger one in pieces of a few milliseconds, each of which says how far the report has come.
 */

/** Some metrics of a report, recorded in one write. */
export interface Piece {
  readonly report: JudgedReport["report"];
  /** Place of the first metric in the report. */
  readonly from: number;
  readonly metrics: readonly JudgedMetric[];
  /** Whether the report ends with it. */
  readonly isLast: boolean;
}

/** Most that one write records, about two milliseconds: a verdict weighs 1. */
export const PIECE_WEIGHT = 120;
/** What a flag weighs, with its records and its place in every index. */
const FLAG_WEIGHT = 10;
/** What a monitoring failure weighs: its event, and its row among those that last. */
const FAILURE_WEIGHT = 3;

/** The pieces of a report, in order; one at least. */
export function piecesOf({ report, from, metrics }: JudgedReport): Piece[] {
  const pieces: Piece[] = [];
  let start = 0;
  do {
    let [end, weight] = [start, 0];
    while (end < metrics.length) {
      weight += weightOf(metrics[end] as JudgedMetric);
      if (weight > PIECE_WEIGHT && end > start) break;
      end++;
    }
    const isLast = end === metrics.length;
    pieces.push({ report, from: from + start, metrics: metrics.slice(start, end), isLast });
    start = end;
  } while (start < metrics.length);
  return pieces;
}

function weightOf({ judged, passed }: JudgedMetric): number {
  const flags = (judged?.rules ?? []).filter(({ verdict }) => verdict.state === "fires").length;
  const isFailed = judged !== undefined && failureOf(judged.verdict) !== undefined;
  return 1 + FLAG_WEIGHT * (flags + (passed === undefined ? 0 : 1)) + (isFailed ? FAILURE_WEIGHT : 0);
}

// Recording what the rules said of a report, in the caller's transaction: flags, verdicts, monitoring failures, tally.

/**
 * Records a piece of a report, and with its last one that the report is judged. Throws when the piece is not the next of its
 * report, so that nothing is ever recorded twice.
 */
function recordPiece(tx: Tx, piece: Piece, by: RecordedBy): void {
  const { report, from, metrics, isLast } = piece;
  if (isRetired(tx, report.asset)) {
    leaveUnjudged(tx, report, by.now);
    return;
  }
  const progress = findProgress(tx, report.id);
  if (progress.done !== from) throw new Error(`${from} is not the next metric: ${progress.done} is`);
  const raised = recordFlags(tx, report, metrics, by);
  const tally = plus(progress, recordVerdicts(tx, sentBy(report.asset), metrics, raised, by.now));
  if (!isLast) {
    putProgress(tx, { report: report.id, done: from + metrics.length, ...tally });
    return;
  }
  recoverRest(tx, report, by.now);
  if (tally.tests + tally.notTested > 0) {
    addTally(tx, { date: utcDayOf(by.now), asset: report.asset, source: SENT }, tally);
  }
  if (progress.done > 0) endProgress(tx, report.id);
  endWaiting(tx, report.asset, report.id);
}

/** Puts a report's flags in place; answers how many of the flow test's were raised. */
function recordFlags(
  tx: Tx,
  { asset, date, revision }: StoredPulse,
  metrics: readonly JudgedMetric[],
  { now, newId }: RecordedBy,
): number {
  const judged = metrics.flatMap(({ judged: one }): readonly JudgedRule[] => one?.rules ?? []);
  const { raised } = reconcileFlags(tx, { asset, origin: "rule", judged, now, actor: "rule", newId });
  const lasting = metrics.flatMap(({ judged: one }) => one?.lasting ?? []);
  recordLasting(tx, asset, lasting, { now, newId });
  for (const { metric, passed } of metrics) {
    if (passed === undefined || passed.milestone <= (latestMilestone(tx, asset, SENT, metric) ?? 0)) continue;
    const rule_inputs = { ...passed, report: { date, revision } };
    raiseResolved(
      tx,
      {
        asset,
        rule: MILESTONE_TOTAL,
        source: SENT,
        subject: metric,
        origin: "rule",
        ...RULES[MILESTONE_TOTAL].raised,
        metric,
        message: raisedTitle(MILESTONE_TOTAL, metric, rule_inputs, now),
        rule_inputs,
      },
      { id: newId(), now, actor: "rule", resolution: "milestone" },
    );
  }
  return raisedByChance(raised);
}

/** A report was judged, so the one before that could not be is behind; and what the newest day no longer has cannot fail. */
function recoverRest(tx: Tx, { asset, date, body }: StoredPulse, now: number): void {
  const failures = failuresOf(tx, sentBy(asset));
  if (failures.length === 0) return;
  const isNewest = (findNewestPulseDay(tx, asset, now) ?? date) <= date;
  const { metrics } = JSON.parse(body) as Pulse;
  for (const failure of failures) {
    const isGone = isNewest && !Object.hasOwn(metrics, failure.subject);
    if (failure.subject === "" || isGone) noteRecovery(tx, failure, now);
  }
}

/** What a site sends. */
function sentBy(asset: string) {
  return { asset, source: SENT } as const;
}

/** Nothing judges a retired site: its report waits no longer, and what failed before is not watched any more. */
function leaveUnjudged(tx: Tx, report: StoredPulse, now: number): void {
  endFailures(tx, { kind: "rule", asset: report.asset }, now);
  endProgress(tx, report.id);
  endWaiting(tx, report.asset, report.id);
}

/** Leaves a report out that cannot be judged, so that those after it are. */
function leaveOut(
  tx: Tx,
  of: { readonly asset: string; readonly pulse: number; readonly named: string },
  now: number,
): void {
  const reason = `${of.named} could not be judged and was left out`;
  noteFailure(tx, watched(sentBy(of.asset), ""), { reason, now });
  endProgress(tx, of.pulse);
  endWaiting(tx, of.asset, of.pulse);
}

/** Sites that have their turn in one round. */
const MOST_SITES = 32;
/** Metrics whose readings are put in place in one write; a report that has more is placed alone. */
const MOST_READINGS = 400;
/** Characters of reports that are read in one stretch; a report that has more is read alone. */
const MOST_READ = 256 * 1024;

/** A site's turn. */
interface Turn {
  readonly asset: string;
  readonly pulse: number;
}

/** Judges nightly reports. */
class ReportWorker {
  readonly #deps: FollowDeps;
  readonly #tries = new Tries<number>();
  /** The site that had the last turn. */
  #last = "";

  constructor(deps: FollowDeps) {
    this.#deps = deps;
  }

  get followed(): number {
    return this.#tries.behind;
  }

  /** One report of each of the next sites with one. */
  async round(): Promise<Round> {
    const failed: Failed<number> = new Map();
    const listed = listTurns(this.#deps.store.db, this.#last, MOST_SITES);
    if (listed.length === 0) return "idle";
    const taken = this.#take(listed, failed);
    const turns = listed.slice(0, taken.turns);
    this.#last = turns.at(-1)?.asset ?? "";
    await this.#place(taken.reports, failed);
    await this.#record(await this.#judge(taken.reports, failed), failed);
    const siteOf = new Map(turns.map(({ asset, pulse }) => [pulse, asset]));
    await this.#tries.answerFor([...siteOf.keys()], failed, (pulse, error) =>
      this.#leaveOut({ asset: siteOf.get(pulse) ?? "", pulse }, error),
    );
    return "done";
  }

  /** Reads the reports, as many as can be read in one stretch and placed in one write. */
  #take(
    turns: readonly Turn[],
    failed: Failed<number>,
  ): { readonly reports: TakenReport[]; readonly turns: number } {
    const reports: TakenReport[] = [];
    let [readings, read] = [0, 0];
    for (const [place, { pulse: id }] of turns.entries()) {
      try {
        const report = findPulseById(this.#deps.store.db, id);
        if (report === undefined) throw new Error("the report that waits is not there");
        read += report.body.length;
        if (reports.length > 0 && read > MOST_READ) return { reports, turns: place };
        const pulse = JSON.parse(report.body) as Pulse;
        readings += Object.keys(pulse.metrics).length;
        if (reports.length > 0 && readings > MOST_READINGS) return { reports, turns: place };
        reports.push({ report, pulse });
      } catch (error) {
        failed.set(id, error);
      }
    }
    return { reports, turns: turns.length };
  }

  async #place(taken: readonly TakenReport[], failed: Failed<number>): Promise<void> {
    await writeEach(
      this.#deps.writer,
      taken.map(({ report, pulse }) => ({
        of: report.id,
        write: (tx) => replaceReadings(tx, report, pulse.metrics),
      })),
      failed,
    );
  }

  /** Judges each report whose readings are in place; the event loop gets its turn every few milliseconds. */
  async #judge(taken: readonly TakenReport[], failed: Failed<number>): Promise<JudgedReport[]> {
    // The connection that put the readings in place has their pages at hand; another would read them anew after each commit.
    const { main: db } = this.#deps.store;
    const judged: JudgedReport[] = [];
    // The turn that put the readings in place has done its share.
    await Bun.sleep(0);
    const slices = new Slices();
    for (const { report, pulse } of taken) {
      if (failed.has(report.id)) continue;
      try {
        const metrics: JudgedMetric[] = [];
        const { done: from } = findProgress(db, report.id);
        const rest = isRetired(db, report.asset) ? [] : Object.entries(pulse.metrics).slice(from);
        for (const metric of evaluateReport(db, this.#deps, report, rest)) {
          metrics.push(metric);
          await slices.next();
        }
        judged.push({ report, from, metrics });
      } catch (error) {
        failed.set(report.id, error);
      }
    }
    return judged;
  }

  async #record(judged: readonly JudgedReport[], failed: Failed<number>): Promise<void> {
    const { clock, ids } = this.#deps;
    await writeEach(
      this.#deps.writer,
      judged.flatMap(piecesOf).map((piece) => ({
        of: piece.report.id,
        write: (tx) => recordPiece(tx, piece, { now: clock.now(), newId: () => ids.uuid() }),
      })),
      failed,
    );
  }

  async #leaveOut({ asset, pulse }: Turn, error: unknown): Promise<void> {
    const report = findPulseById(this.#deps.store.db, pulse);
    const now = this.#deps.clock.now();
    const named =
      report === undefined
        ? "a report that is not there"
        : `the report of ${dayTextAt(report.date, now)}, revision ${report.revision},`;
    await this.#deps.writer.write((tx) => leaveOut(tx, { asset, pulse, named }, now), { lowPriority: true });
    logOf("flow").error("a report could not be judged and is left out", {
      asset,
      report: pulse,
      reason: String(error),
    });
  }
}
