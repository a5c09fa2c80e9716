/**
 * The flow rules on what was told, off the path of any answer: every accepted report is judged once, soon after its answer, those of one
 * site in the order of acceptance; and what a provider told is judged when a settled day is new or changed. Sites have their turns, so
 * that one that floods delays no other. What was told just before a crash is made up at the next start.
 *
 * Nothing that a site sends or a provider tells stops the rules: what cannot be judged is tried a few times, then left out, and that is
 * noted. Storage that fails is no fault of theirs: it is waited for.
 */

import { logOf } from "../base/log.ts";
import { ReportWorker } from "./report_worker.ts";
import { SignalWorker } from "./signal_worker.ts";
import type { FollowDeps, Round } from "./turns.ts";

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
    this.#again = true;
    this.#accepted++;
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined;
      // Said after the last look and before this: nobody would look again until the next report.
      if (this.#again && !this.#stopped) this.kick();
    });
  }

  /** Says that providers were asked. */
  collected(): void {
    this.#signals.collected();
    this.kick();
  }

  /** Resolves when everything accepted so far is judged. */
  async settle(): Promise<void> {
    this.kick();
    await this.#running;
  }

  /** Stops after the round under way; a rest ends at once. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#halted.resolve();
    await this.#running;
  }

  async #run(): Promise<void> {
    let rest: number = REST_MS.first;
    await Bun.sleep(AFTER_ANSWER_MS);
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
