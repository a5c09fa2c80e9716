/**
 * The flow rules on nightly reports, off the path of the answer: every accepted report is judged once, soon after its answer, those of one
 * site in the order of acceptance, and the sites in turn, so that one that floods delays no other. Those that were accepted just
 * before a crash are made up at the next start.
 *
 * A report is judged in three steps: its readings are put in place (one write), each of its metrics is judged on the history as it
 * then stands (pure, a few at a time so that the event loop stays free), and the verdicts and flags are written together with the
 * place reached (one write, or several of a few milliseconds each). A crash between them repeats what was not written and leads to
 * the same.
 *
 * Nothing that a site sends stops the rules: a report that cannot be judged is tried a few times, then left out, and that is noted.
 * Storage that fails is no fault of a report: it is waited for.
 */

import { isRetired } from "../assets/mod.ts";
import { isStorageFailure, type Store, type Writer } from "../db/mod.ts";
import { dayTextAt } from "../lib/day_text.ts";
import type { Clock } from "../platform/clock.ts";
import type { Ids } from "../platform/ids.ts";
import { logOf } from "../platform/log.ts";
import { findPulseById, listTurns, type Pulse, replaceReadings } from "../pulse/mod.ts";
import {
  type JudgeDeps,
  type JudgedMetric,
  type JudgedReport,
  judgeReported,
  seriesOfSite,
  type TakenReport,
} from "./judge_report.ts";
import { packsOf } from "./pieces.ts";
import { leaveOut, recordPiece } from "./record_report.ts";
import { findProgress } from "./tally_store.ts";

/** What following needs. */
export interface FollowDeps extends JudgeDeps {
  readonly store: Store;
  readonly writer: Pick<Writer, "write">;
  readonly clock: Clock;
  readonly ids: Ids;
}

/** Sites that have their turn in one round. */
const MOST_SITES = 32;
/** Metrics whose readings are put in place in one write; a report that has more is placed alone. */
const MOST_READINGS = 400;
/** Characters of reports that are read in one stretch; a report that has more is read alone. */
const MOST_READ = 256 * 1024;
/** Longest stretch of judging before the event loop gets its turn, in milliseconds. */
const SLICE_MS = 2;
/** What an accepted report leaves to its answer, and to those that come with it, before it is judged, in milliseconds. */
const AFTER_ANSWER_MS = 5;
/** How long judging pauses after a round for each report that was accepted during it, and at most, in milliseconds: a flood is taken first. */
const PAUSE_MS = { each: 0.1, most: 50 } as const;
/** How often a report is tried before it is left out. */
const MOST_TRIES = 3;
/** How long is waited after storage failed, the first time and at most, in milliseconds. */
const REST_MS = { first: 1_000, most: 30_000 } as const;

/** A site's turn. */
interface Turn {
  readonly asset: string;
  readonly pulse: number;
}

type Round = "idle" | "done" | "storage_failed";

/** Follows accepted reports with the flow rules. */
export class FlowFollower {
  readonly #deps: FollowDeps;
  readonly #halted = Promise.withResolvers<void>();
  /** How often each report failed, while it may still be tried. */
  readonly #tries = new Map<number, number>();
  #running: Promise<void> | undefined;
  #again = false;
  #stopped = false;
  /** The site that had the last turn. */
  #last = "";
  #followed = 0;
  /** Reports accepted since the last pause. */
  #accepted = 0;
  #restingSince: number | undefined;

  constructor(deps: FollowDeps) {
    this.#deps = deps;
  }

  /** Reports that were judged or left out since the start. */
  get followed(): number {
    return this.#followed;
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
      let round: Round = "done";
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

  /** One report of each of the next sites with one. */
  async #round(): Promise<Round> {
    const failed = new Map<number, unknown>();
    let turns: readonly Turn[] = [];
    try {
      turns = listTurns(this.#deps.store.db, this.#last, MOST_SITES);
      if (turns.length === 0) return "idle";
      const taken = this.#take(turns, failed);
      turns = turns.slice(0, taken.turns);
      this.#last = turns.at(-1)?.asset ?? "";
      await this.#place(taken.reports, failed);
      await this.#record(await this.#judge(taken.reports, failed), failed);
      return await this.#answerFor(turns, failed);
    } catch (error) {
      logOf("flow").error("judging waits, since storage failed", { reason: String(error) });
      return "storage_failed";
    }
  }

  /** Reads the reports, as many as can be read in one stretch and placed in one write. */
  #take(
    turns: readonly Turn[],
    failed: Map<number, unknown>,
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

  async #place(taken: readonly TakenReport[], failed: Map<number, unknown>): Promise<void> {
    await this.#writeEach(
      taken.map(({ report, pulse }) => ({
        report,
        write: (tx) => replaceReadings(tx, report, pulse.metrics),
      })),
      failed,
    );
  }

  /** Judges each report whose readings are in place; the event loop gets its turn every few milliseconds. */
  async #judge(taken: readonly TakenReport[], failed: Map<number, unknown>): Promise<JudgedReport[]> {
    const { db } = this.#deps.store;
    const judged: JudgedReport[] = [];
    // The turn that put the readings in place has done its share.
    await Bun.sleep(0);
    let sliceStarted = performance.now();
    for (const { report, pulse } of taken) {
      if (failed.has(report.id)) continue;
      try {
        const metrics: JudgedMetric[] = [];
        const { done: from } = findProgress(db, report.id);
        const rest = isRetired(db, report.asset) ? [] : Object.entries(pulse.metrics).slice(from);
        const series = seriesOfSite(db, report.asset);
        for (const [metric, figures] of rest) {
          metrics.push(judgeReported(db, this.#deps, { report, series }, metric, figures));
          if (performance.now() - sliceStarted <= SLICE_MS) continue;
          await Bun.sleep(0);
          sliceStarted = performance.now();
        }
        judged.push({ report, from, metrics });
      } catch (error) {
        failed.set(report.id, error);
      }
    }
    return judged;
  }

  async #record(judged: readonly JudgedReport[], failed: Map<number, unknown>): Promise<void> {
    const newId = () => this.#deps.ids.uuid();
    for (const pack of packsOf(judged)) {
      const now = this.#deps.clock.now();
      await this.#writeEach(
        pack
          .filter(({ report }) => !failed.has(report.id))
          .map((piece) => ({
            report: piece.report,
            write: (tx) => recordPiece(tx, piece, { now, newId }),
          })),
        failed,
      );
    }
  }

  /** Writes for each report in one transaction, each in its own savepoint: one that fails takes no other with it. */
  async #writeEach(
    writes: readonly {
      readonly report: { readonly id: number };
      readonly write: Parameters<Writer["write"]>[0];
    }[],
    failed: Map<number, unknown>,
  ): Promise<void> {
    const settled = await Promise.allSettled(
      writes.map(({ write }) => this.#deps.writer.write(write, { behind: true, isRepeatable: true })),
    );
    for (const [place, outcome] of settled.entries()) {
      const id = writes[place]?.report.id;
      if (outcome.status === "rejected" && id !== undefined) failed.set(id, outcome.reason);
    }
  }

  /** What becomes of the reports of a round: those that failed too often are left out. Throws when storage failed. */
  async #answerFor(turns: readonly Turn[], failed: ReadonlyMap<number, unknown>): Promise<Round> {
    let storage: unknown;
    for (const turn of turns) {
      const error = failed.get(turn.pulse);
      if (isStorageFailure(error)) storage ??= error;
      else if (error !== undefined && !(await this.#isLeftOut(turn, error))) continue;
      else {
        this.#tries.delete(turn.pulse);
        this.#followed++;
      }
    }
    if (storage !== undefined) throw storage;
    return "done";
  }

  /** Counts a failed try; leaves the report out after the last one. */
  async #isLeftOut({ asset, pulse }: Turn, error: unknown): Promise<boolean> {
    const tries = (this.#tries.get(pulse) ?? 0) + 1;
    this.#tries.set(pulse, tries);
    if (tries < MOST_TRIES) return false;
    const report = findPulseById(this.#deps.store.db, pulse);
    const now = this.#deps.clock.now();
    const named =
      report === undefined
        ? "a report that is not there"
        : `the report of ${dayTextAt(report.date, now)}, revision ${report.revision},`;
    await this.#deps.writer.write((tx) => leaveOut(tx, { asset, pulse, named }, now), { behind: true });
    logOf("flow").error("a report could not be judged and is left out", {
      asset,
      report: pulse,
      reason: String(error),
    });
    return true;
  }
}
