/**
 * The queue of what providers told: a site and source with a settled day that is new or changed. It is judged as it stands (pure, a few
 * at a time so that the event loop stays free), then recorded together with its leaving the queue. What changed in between has a new place
 * in the queue, and what was read before it is not recorded; a crash repeats what was not written and leads to the same.
 */
import { EVERY_SITE, findStepMark, listStepChanges, type StepMark } from "../annotations/mod.ts";
import { listAttachments } from "../credentials/mod.ts";
import { logOf } from "../platform/log.ts";
import { awaitSignalJudging, LateSources, listSignalTurns, type WaitingSignals } from "../signals/mod.ts";
import { hasUnjudgedDay, type JudgedSignals, judgeSignals, REACH_DAYS, WAITS } from "./judge_signals.ts";
import { leaveSignalsOut, recordSignals } from "./record_signals.ts";
import { MOVED_BY_CONSENT } from "./signal_series.ts";
import { type Failed, type FollowDeps, type Line, type Round, Slices, Tries, writeEach } from "./turns.ts";
import { listJudgedBy } from "./verdict_store.ts";

/** Sites and sources that have their turn in one round, each with up to four figures. */
const MOST_TURNS = 32;

const DAY_MS = 86_400_000;

/** Judges what providers told. */
export class SignalLine implements Line {
  readonly #deps: FollowDeps;
  readonly #tries = new Tries<string>();
  /** The place that had the last turn. */
  #last = 0;
  /** Up to where entries on the timelines were looked at; at the start not at all. */
  #seen: StepMark = { annotation: 0, strike: 0 };
  /** Whether days may have become testable since the last look: at the start they may, whatever was missed. */
  #isCollected = true;

  constructor(deps: FollowDeps) {
    this.#deps = deps;
  }

  get followed(): number {
    return this.#tries.behind;
  }

  /** Providers were asked: what waited for that may be tested now. */
  collected(): void {
    this.#isCollected = true;
  }

  async round(): Promise<Round> {
    await this.#lookForSteps();
    if (this.#isCollected) await this.#lookForDays();
    const failed: Failed<string> = new Map();
    const turns = listSignalTurns(this.#deps.store.db, this.#last, MOST_TURNS);
    if (turns.length === 0) return "idle";
    this.#last = turns.at(-1)?.id ?? 0;
    const judged = await this.#judge(turns, failed);
    await this.#record(judged, failed);
    const byKey = new Map(turns.map((turn) => [keyOf(turn), turn]));
    await this.#tries.answerFor([...byKey.keys()], failed, (key, error) =>
      this.#leaveOut(byKey.get(key), error),
    );
    return "done";
  }

  async #judge(turns: readonly WaitingSignals[], failed: Failed<string>): Promise<JudgedSignals[]> {
    const { store, thresholdsOf, clock } = this.#deps;
    const judged: JudgedSignals[] = [];
    const slices = new Slices();
    const now = clock.now();
    const deps = { db: store.db, thresholdsOf, late: new LateSources(store.db, now) };
    for (const turn of turns) {
      try {
        judged.push(judgeSignals(deps, turn, now));
      } catch (error) {
        failed.set(keyOf(turn), error);
      }
      await slices.next();
    }
    return judged;
  }

  /** Each is far less than the writer takes at a time, which takes no more of them than that. */
  async #record(judged: readonly JudgedSignals[], failed: Failed<string>): Promise<void> {
    const { writer, clock, ids } = this.#deps;
    const by = { now: clock.now(), newId: () => ids.uuid() };
    await writeEach(
      writer,
      judged.map((judging) => ({ of: keyOf(judging.turn), write: (tx) => recordSignals(tx, judging, by) })),
      failed,
    );
  }

  /**
   * A change of consent mode that is told after the days it lies among, or struck, changes what may be compared: what was judged before
   * is judged again. At the start everything told is looked at; where that says nothing new, nothing is written.
   */
  async #lookForSteps(): Promise<void> {
    const { store, writer, clock } = this.#deps;
    const mark = findStepMark(store.db);
    if (mark.annotation === this.#seen.annotation && mark.strike === this.#seen.strike) return;
    const now = clock.now();
    const sites = new Set(
      listStepChanges(store.db, this.#seen, now - REACH_DAYS * DAY_MS).flatMap(({ asset, changedAt }) =>
        listJudgedBy(store.db, MOVED_BY_CONSENT, changedAt, asset === EVERY_SITE ? undefined : asset),
      ),
    );
    if (sites.size > 0) {
      await writer.write(
        (tx) => {
          for (const asset of sites) awaitSignalJudging(tx, asset, MOVED_BY_CONSENT, now);
        },
        { behind: true },
      );
    }
    this.#seen = mark;
  }

  /**
   * A day waits to be tested until collections agree on it, and no change of a figure says that they do: after each run, and at the
   * start, the sites with a final day that was not judged wait to be judged.
   */
  async #lookForDays(): Promise<void> {
    const { store, writer, clock } = this.#deps;
    this.#isCollected = false;
    const now = clock.now();
    const slices = new Slices();
    const assets: string[] = [];
    for (const { asset, provider } of listAttachments(store.db)) {
      if (provider === WAITS && hasUnjudgedDay(store.db, asset, provider, now)) assets.push(asset);
      await slices.next();
    }
    if (assets.length === 0) return;
    await writer.write(
      (tx) => {
        for (const asset of assets) awaitSignalJudging(tx, asset, WAITS, now);
      },
      { behind: true },
    );
  }

  async #leaveOut(turn: WaitingSignals | undefined, error: unknown): Promise<void> {
    if (turn === undefined) return;
    const { writer, clock } = this.#deps;
    await writer.write((tx) => leaveSignalsOut(tx, turn, clock.now()), { behind: true });
    const { asset, source } = turn;
    logOf("flow").error("figures could not be judged and are left out", {
      asset,
      source,
      reason: String(error),
    });
  }
}

const keyOf = ({ asset, source }: WaitingSignals): string => `${asset} ${source}`;
