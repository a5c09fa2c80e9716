/**
 * The queue of what providers told: a site and source with a settled day that is new or changed. It is judged as it stands (pure, a few
 * at a time so that the event loop stays free), then recorded together with its leaving the queue. What changed in between has a new place
 * in the queue, and what was read before it is not recorded; a crash repeats what was not written and leads to the same.
 */

import { Slices } from "../base/concurrency.ts";
import { logOf } from "../base/log.ts";
import { calendarDay, DAY_MS, dayNumber, dayOfNumber, type UtcDay, utcDayOf } from "../base/time.ts";
import { isResolvedByHand, type JudgedRule, reconcileFlags, reviseOpen } from "../flags/reconcile.ts";
import { endFailures, noteFailure, noteRecovery } from "../health/monitoring.ts";
import { type Provider, SIGNAL_METRICS, WINDOW_DAYS } from "../providers/adapter.ts";
import { listAttachments, listAttachmentsOf } from "../providers/properties.ts";
import { findSeries, listSeries, readBlocks } from "../reports/series.ts";
import { daysOf, EXCLUDED, FINAL } from "../reports/series_days.ts";
import {
  awaitSignalJudging,
  endSignalWaiting,
  isStillWaiting,
  listSignalTurns,
  type WaitingSignals,
} from "../signals/answer_record.ts";
import { isAwaited, type Lateness, LateSources } from "../signals/late_source.ts";
import { findLastTold, type LastTold, movingDays } from "../signals/signal_list.ts";
import { EVERY_SITE, findStepMark, listStepChanges, type StepMark } from "../sites/annotations.ts";
import { isCount, sourceName } from "../sites/rule_catalogue.ts";
import { isRetired } from "../sites/sites.ts";
import type { Db, Tx } from "../store/store.ts";
import {
  consentSteps,
  type FlowSeries,
  MOVED_BY_CONSENT,
  newestFinalDay,
  stretchOfSignal,
  trimmed,
} from "./flow_series.ts";
import {
  evaluateSeries,
  type Failed,
  type FollowDeps,
  failedSeries,
  failuresOf,
  HISTORY_DAYS,
  type JudgedSeries,
  type RecordedBy,
  type Round,
  raisedByChance,
  recordLasting,
  recordVerdicts,
  type ThresholdsOf,
  Tries,
  watched,
  writeEach,
} from "./report_rules.ts";
import { orFailed } from "./verdict.ts";
import { addTally, judgedDays, listJudgedBy, NO_TALLY, noveltyOf, plus, type Tally } from "./verdicts.ts";

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

// Judging what a provider told of a site: each of its counts on its final days, in turn. Reads and decides; writes nothing.
//
// Days are those of the provider's own calendar. A day that is provisional, missing or excluded stops a test with its reason wherever
// it is compared, so that neither a lag nor a distorted day is ever taken for a change.

/** Days before today that a verdict can reach back to: a newest final day is sought as far back as days are pulled. */
const REACH_DAYS = WINDOW_DAYS + HISTORY_DAYS;

/** The provider whose days wait to be tested: it goes on telling of a day after that is settled. */
const WAITS: Provider = "analytics";

/** Days after such a day when it is tested though two collections in a row never agreed on it. */
const LATEST_DAYS = 5;

/** A site and source with what the rules say of its figures; those without any final day are left out. */
interface JudgedSignals {
  readonly turn: WaitingSignals;
  /** What the figures were last told by. */
  readonly told: LastTold | undefined;
  /** Each figure on each day since it was judged last, else on that day; days ascending. */
  readonly metrics: readonly { readonly metric: string; readonly judged: JudgedSeries }[];
}

/** What judging a source reads beside its days. */
interface SignalDeps {
  readonly db: Db;
  readonly thresholdsOf: ThresholdsOf;
  /** How late the source of the site's account is. */
  readonly lateness: Lateness | undefined;
}

/** Judges every figure of a site and source. A figure that no rule can work with is not tested, with its reason. */
function evaluateSignals(deps: SignalDeps, turn: WaitingSignals, now: number): JudgedSignals {
  const { db, thresholdsOf } = deps;
  const { asset, source } = turn;
  const today = utcDayOf(now);
  const told = findLastTold(db, asset, source);
  const calendar = { asset, source, timeZone: told?.timeZone ?? "" };
  const steps = consentSteps(db, calendar, today, REACH_DAYS);
  const ids = new Map(listSeries(db, asset, source).map(({ id, metric }) => [metric, id]));
  const judgedOn = judgedDays(db, asset, source);
  const isTestable = testable(deps, turn, told, now);
  const metrics = SIGNAL_METRICS[source].flatMap((metric) => {
    const id = ids.get(metric);
    if (id === undefined) return [];
    const history = orFailed(today, () => stretchOfSignal(db, id, today, REACH_DAYS));
    if ("outcome" in history) return [{ metric, judged: failedSeries(today, history) }];
    const newest = newestFinalDay(history);
    if (newest === undefined) return [];
    const days = isCount(source, metric)
      ? daysToJudge(history, judgedOn.get(metric), isTestable)
      : [dayNumber(newest)];
    return days.map((day) => {
      const series = { ...upTo(history, day), ...(steps.length > 0 && { steps }) };
      const judge = () => thresholdsOf(asset, metric, source);
      return { metric, judged: evaluateSeries({ source, metric }, series, dayOfNumber(day), judge) };
    });
  });
  return { turn, told, metrics };
}

/** Whether a figure of a site has a final day that was not judged. */
export function hasUnjudgedDay(db: Db, asset: string, source: Provider, now: number): boolean {
  const today = utcDayOf(now);
  const judged = judgedDays(db, asset, source);
  return listSeries(db, asset, source).some(({ id, metric }) => {
    const history = orFailed(today, () => stretchOfSignal(db, id, today, WINDOW_DAYS));
    const newest = "outcome" in history ? undefined : newestFinalDay(history);
    return newest !== undefined && dayNumber(newest) > (judged.get(metric) ?? Number.NEGATIVE_INFINITY);
  });
}

/**
 * Which days may be tested. An analytics day waits until two collections in a row agree on it, and one that a late source lacks until
 * its data arrives; neither for ever. What is waited for is read from what was collected: a restart changes nothing of it.
 */
function testable(
  { db, lateness }: SignalDeps,
  { asset, source }: WaitingSignals,
  told: LastTold | undefined,
  now: number,
): (day: number) => boolean {
  if (source !== WAITS || told === undefined) return () => true;
  const today = calendarDay(now, told.timeZone);
  const moving = movingDays(db, { asset, provider: source }, told, today - LATEST_DAYS + 1);
  return (day) => (day <= today - LATEST_DAYS || !moving.has(day)) && !isAwaited(day, lateness, today);
}

/**
 * Every final day since the one that was judged last, up to the first that waits: none is skipped and none is judged out of turn.
 * Where there is none, the one that was judged last, which may have been revised. Of a series that was never judged, or whose judged day is no day of it any more, the newest that
 * does not wait.
 */
function daysToJudge(
  { firstDay, states }: FlowSeries,
  last: number | undefined,
  isTestable: (day: number) => boolean,
): number[] {
  const finals = [...states.keys()].flatMap((place) => (states[place] === FINAL ? firstDay + place : []));
  const newest = finals.at(-1);
  if (newest === undefined) return [];
  const isKnown = last !== undefined && (last <= newest || states[last - firstDay] === EXCLUDED);
  if (!isKnown || last < newest - WINDOW_DAYS) return finals.filter(isTestable).slice(-1);
  const since = finals.filter((day) => day > last);
  const waits = since.findIndex((day) => !isTestable(day));
  const next = since.slice(0, waits < 0 ? since.length : waits);
  // A new day ends what was said of the one before, whatever became of that.
  return next.length > 0 ? next : [last];
}

/**
 * What a verdict on a day reads. It begins so many days before that day and not before today, or the same days would not always lead
 * to the same verdict.
 */
function upTo({ firstDay, counts, states }: FlowSeries, day: number): FlowSeries {
  const begin = Math.max(0, day - HISTORY_DAYS - firstDay);
  return trimmed({
    firstDay: firstDay + begin,
    counts: counts.slice(begin),
    states: states.slice(begin),
  });
}
