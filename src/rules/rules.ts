/**
 * The rules on stored figures, off the path of any answer. This file runs them: each accepted report once, soon after its answer and in
 * the order of acceptance per site; a provider's figures when a settled day is new or changed. Sites take turns, so that one that floods
 * delays no other, and what a crash cut off is made up at the next start.
 *
 * - Nightly report → flag: `report_worker.ts` (readings, evaluation, record) → `report_rules.ts` (one metric) → `flow_inputs.ts` (which
 *   rule fires, with which inputs) → `flags/reconcile.ts`.
 * - Provider's day → flag: `signal_worker.ts` → `signal_rules.ts` (which days may be tested) → the same.
 * - Silence → flag: `freshness.ts`, every minute.
 *
 * Begin with `flow.ts` (the Poisson test), then `flow_inputs.ts`. Nothing that a site sends stops the rules: a metric that fails is tried
 * again, then left out, and noted as a monitoring failure; storage that fails is waited for.
 *
 * A new rule on a metric family:
 * 1. Its line in `RULES` (`sites/rule_catalogue.ts`): id (spelled there alone, and exported as a constant), severity and kind, thresholds;
 *    its sentence is its `title` there, made by `raisedTitle`. Thresholds in a table of their own are one more entry in
 *    each of `sites/thresholds.ts` (`THRESHOLDS`, `FlowThresholds`), `constants_schema.ts`, `constants_document.ts` and
 *    `constants_store.ts`; where the rule is not tunable, `tower/settings/thresholds.ts` leaves them out. What a site overrides is listed in
 *    `tower/site/thresholds.tsx`, and tests take theirs from `test/support/thresholds.ts`.
 * 2. A pure function of a `FlowSeries` and a day that answers a verdict, beside `percent_drop.ts`; never throwing (`orFailed`).
 *    A rule of one metric by name, or on a figure that is no count: a `JudgedRule` added in `evaluateSeries` (`report_rules.ts`).
 * 3. `evaluateMetric`, `firedRule` and `judgedRules` of `flow_inputs.ts` call it and record its inputs. Flags, history and the API follow.
 * 4. The words of its proof on the flag's page: `tower/flags/judged_words.ts`. Its line in the tables of
 *    `.github/docs/rules.md`, which `test/readme/facts_test.ts` holds.
 */

import { logOf } from "../base/log.ts";
import type { FollowDeps, Round } from "./report_rules.ts";
import { ReportWorker } from "./report_worker.ts";
import { SignalWorker } from "./signal_worker.ts";

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
