/**
 * The queue of what providers told: a site and source with a settled day that is new or changed. It is judged as it stands (pure, a few
 * at a time so that the event loop stays free), then recorded together with its leaving the queue. What changed in between has a new place
 * in the queue, and what was read before it is not recorded; a crash repeats what was not written and leads to the same.
 */

import { Slices } from "../base/concurrency.ts";
import { logOf } from "../base/log.ts";
import { DAY_MS, dayNumber, type UtcDay, utcDayOf } from "../base/time.ts";
import { reviseOpen } from "../flags/lasting.ts";
import { isResolvedByHand, type JudgedRule, reconcileFlags } from "../flags/reconcile.ts";
import { endFailures, noteFailure, noteRecovery } from "../health/monitoring.ts";
import type { Provider } from "../providers/adapter.ts";
import { listAttachments, listAttachmentsOf } from "../providers/attachments.ts";
import { findSeries, readBlocks } from "../reports/series.ts";
import { daysOf } from "../reports/series_days.ts";
import {
  awaitSignalJudging,
  endSignalWaiting,
  isStillWaiting,
  listSignalTurns,
  type WaitingSignals,
} from "../signals/answer_record.ts";
import { LateSources } from "../signals/late_source.ts";
import { EVERY_SITE } from "../sites/annotation_schema.ts";
import { findStepMark, listStepChanges, type StepMark } from "../sites/annotations.ts";
import { sourceName } from "../sites/rule_catalogue.ts";
import { isRetired } from "../sites/sites.ts";
import type { Tx } from "../store/store.ts";
import { MOVED_BY_CONSENT } from "./flow_series.ts";
import {
  type Failed,
  type FollowDeps,
  failuresOf,
  type RecordedBy,
  type Round,
  raisedByChance,
  recordLasting,
  recordVerdicts,
  Tries,
  watched,
  writeEach,
} from "./report_rules.ts";
import { evaluateSignals, hasUnjudgedDay, type JudgedSignals, REACH_DAYS, WAITS } from "./signal_rules.ts";
import { addTally, listJudgedBy, NO_TALLY, noveltyOf, plus, type Tally } from "./verdicts.ts";

// Recording what the rules said of a provider's figures of a site, in the caller's transaction: flags, verdicts, failures, tally.

/**
 * Records a judging, and that it is no longer waited for. Where further days changed since it was taken up, it is left to the next
 * turn: what was read is no longer what is stored. A figure of which nothing new can be said (its day and every number that the rules
 * used are those of the verdict before) is left as it is, with its flag and what was made of it.
 */
function recordSignals(tx: Tx, judging: JudgedSignals, by: RecordedBy): void {
  const { turn } = judging;
  const { asset, source } = turn;
  if (!isStillWaiting(tx, turn)) return;
  endSignalWaiting(tx, turn);
  if (isRetired(tx, asset)) {
    endFailures(tx, { kind: "rule", asset }, by.now);
    return;
  }
  const days = Map.groupBy(judging.metrics, ({ judged: { day } }) => day);
  let tally = NO_TALLY;
  for (const day of [...days.keys()].sort())
    tally = plus(tally, recordDay(tx, judging, days.get(day) ?? [], by));
  if (tally.tests + tally.notTested + tally.raised > 0) {
    addTally(tx, { date: utcDayOf(by.now), asset, source }, tally);
  }
  const known = new Set(judging.metrics.map(({ metric }) => metric));
  for (const failure of failuresOf(tx, turn)) {
    if (!known.has(failure.subject)) noteRecovery(tx, failure, by.now);
  }
}

/** Records what was said of one day. */
function recordDay(
  tx: Tx,
  { turn, told }: JudgedSignals,
  judgings: JudgedSignals["metrics"],
  by: RecordedBy,
): Tally {
  const { asset, source } = turn;
  const metrics = judgings.flatMap(({ metric, judged }) => {
    const { day: date, verdict } = judged;
    const novelty = noveltyOf(tx, { asset, source, metric, date, verdict });
    return novelty === "same" ? [] : [{ metric, judged, isCounted: novelty === "revision" }];
  });
  if (metrics.length === 0) return NO_TALLY;
  const judged = metrics
    .flatMap(({ judged: { rules } }) => rules)
    .map((rule) => withSource(tx, asset, unlessDone(tx, asset, rule), told?.timeZone ?? ""))
    .filter((rule) => !reviseOpen(tx, asset, rule, by.now));
  const { raised } = reconcileFlags(tx, { asset, origin: "rule", judged, ...by, actor: "rule" });
  const lasting = metrics.flatMap(({ judged: one }) => one.lasting);
  recordLasting(tx, asset, lasting, by, told?.timeZone);
  return recordVerdicts(tx, turn, metrics, raisedByChance(raised), by.now);
}

/**
 * What an operator resolved by hand stays resolved for its day: a late revision of that day, or of one it is compared with, is no new
 * event. The day after is one.
 */
function unlessDone(tx: Tx, asset: string, judged: JudgedRule): JudgedRule {
  const { rule, source, metric, verdict } = judged;
  if (verdict.state !== "fires" || source === null || metric === null) return judged;
  const { day } = verdict.inputs;
  const isDone = typeof day === "string" && isResolvedByHand(tx, { asset, source, metric, rule, day });
  return isDone ? { ...judged, verdict: { state: "next_reading" } } : judged;
}

/**
 * The inputs of a flag name the provider's calendar, where it is known, and how many of the tested days the provider left out: they
 * count as 0, and nobody saw one.
 */
function withSource(tx: Tx, asset: string, judged: JudgedRule, timeZone: string): JudgedRule {
  const { source, metric, verdict } = judged;
  if (verdict.state !== "fires" || source === null || metric === null) return judged;
  const { from, to } = verdict.inputs["observed"] as { readonly from: UtcDay; readonly to: UtcDay };
  const omitted = omittedDays(tx, { asset, source, metric }, dayNumber(from), dayNumber(to));
  const inputs = {
    ...verdict.inputs,
    ...(omitted > 0 && { omitted_days: omitted }),
    ...(timeZone !== "" && { time_zone: timeZone }),
  };
  return { ...judged, verdict: { ...verdict, inputs } };
}

function omittedDays(tx: Tx, of: Parameters<typeof findSeries>[1], from: number, to: number): number {
  const series = findSeries(tx, of);
  const blocks = series === undefined ? [] : readBlocks(tx, series, from, to);
  return blocks
    .flatMap(({ block, days }) => [...daysOf(days, block)])
    .filter(([day, { basis }]) => basis === "omitted" && day >= from && day <= to).length;
}

/** Leaves a site and source out that cannot be judged, until further days of it change. */
function leaveSignalsOut(tx: Tx, turn: WaitingSignals, now: number): void {
  if (!isStillWaiting(tx, turn)) return;
  const reason = `what ${sourceName(turn.source)} told could not be judged and was left out`;
  noteFailure(tx, watched(turn, ""), { reason, now });
  endSignalWaiting(tx, turn);
}

/** Sites and sources that have their turn in one round, each with up to four figures. */
const MOST_TURNS = 32;

/** Judges what providers told. */
export class SignalWorker {
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
    const { db } = store;
    const late = new LateSources(db, now);
    for (const turn of turns) {
      const { asset, source } = turn;
      try {
        const account = listAttachmentsOf(db, asset).find(({ provider }) => provider === source);
        const lateness =
          source === WAITS && account !== undefined ? await late.of(account.credential) : undefined;
        judged.push(evaluateSignals({ db, thresholdsOf, lateness }, turn, now));
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
    const { store, clock } = this.#deps;
    const mark = findStepMark(store.db);
    if (mark.annotation === this.#seen.annotation && mark.strike === this.#seen.strike) return;
    const now = clock.now();
    const sites = new Set(
      listStepChanges(store.db, this.#seen, now - REACH_DAYS * DAY_MS).flatMap(({ asset, changedAt }) =>
        listJudgedBy(store.db, MOVED_BY_CONSENT, changedAt, asset === EVERY_SITE ? undefined : asset),
      ),
    );
    await this.#awaitJudging([...sites], MOVED_BY_CONSENT);
    this.#seen = mark;
  }

  /**
   * A day waits to be tested until collections agree on it, and no change of a figure says that they do: after each run, and at the
   * start, the sites with a final day that was not judged wait to be judged.
   */
  async #lookForDays(): Promise<void> {
    const { store, clock } = this.#deps;
    this.#isCollected = false;
    const now = clock.now();
    const slices = new Slices();
    const assets: string[] = [];
    for (const { asset, provider } of listAttachments(store.db)) {
      if (provider === WAITS && hasUnjudgedDay(store.db, asset, provider, now)) assets.push(asset);
      await slices.next();
    }
    await this.#awaitJudging(assets, WAITS);
  }

  async #awaitJudging(assets: readonly string[], source: Provider): Promise<void> {
    if (assets.length === 0) return;
    const put = (tx: Tx) => {
      for (const asset of assets) awaitSignalJudging(tx, asset, source);
    };
    await this.#deps.writer.write(put, { lowPriority: true });
  }

  async #leaveOut(turn: WaitingSignals | undefined, error: unknown): Promise<void> {
    if (turn === undefined) return;
    const { writer, clock } = this.#deps;
    await writer.write((tx) => leaveSignalsOut(tx, turn, clock.now()), { lowPriority: true });
    const { asset, source } = turn;
    logOf("flow").error("figures could not be judged and are left out", {
      asset,
      source,
      reason: String(error),
    });
  }
}

const keyOf = ({ asset, source }: WaitingSignals): string => `${asset} ${source}`;
