/**
 * The queue of nightly reports. A report is judged in three steps: its readings are put in place (one write), each of its metrics is
 * judged on the history as it then stands (pure, a few at a time so that the event loop stays free), and the verdicts and flags are
 * written together with the place reached (one write, or several of a few milliseconds each). A crash between them repeats what was not
 * written and leads to the same.
 */
import { isRetired } from "../assets/mod.ts";
import { dayTextAt } from "../lib/day_text.ts";
import { logOf } from "../platform/log.ts";
import { findPulseById, listTurns, type Pulse, replaceReadings } from "../pulse/mod.ts";
import {
  type JudgedMetric,
  type JudgedReport,
  judgeReported,
  seriesOfSite,
  type TakenReport,
} from "./judge_report.ts";
import { packsOf } from "./pieces.ts";
import { leaveOut, recordPiece } from "./record_report.ts";
import { findProgress } from "./tally_store.ts";
import { type Failed, type FollowDeps, type Line, type Round, Slices, Tries, writeEach } from "./turns.ts";

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
export class ReportLine implements Line {
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
    const { db } = this.#deps.store;
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
        const series = seriesOfSite(db, report.asset);
        for (const [metric, figures] of rest) {
          metrics.push(judgeReported(db, this.#deps, { report, series }, metric, figures));
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
    const newId = () => this.#deps.ids.uuid();
    for (const pack of packsOf(judged)) {
      const now = this.#deps.clock.now();
      await writeEach(
        this.#deps.writer,
        pack
          .filter(({ report }) => !failed.has(report.id))
          .map((piece) => ({
            of: piece.report.id,
            write: (tx) => recordPiece(tx, piece, { now, newId }),
          })),
        failed,
      );
    }
  }

  async #leaveOut({ asset, pulse }: Turn, error: unknown): Promise<void> {
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
  }
}
