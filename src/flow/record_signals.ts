/** Recording what the rules said of a provider's figures of a site, in the caller's transaction: flags, verdicts, failures, tally. */
import { isRetired } from "../assets/mod.ts";
import type { Tx } from "../db/mod.ts";
import { isResolvedByHand, type JudgedRule, reconcileFlags, reviseOpen } from "../flags/mod.ts";
import { dayNumber } from "../lib/day_number.ts";
import { type UtcDay, utcDayOf } from "../lib/utc_day.ts";
import { endFailures, noteFailure, noteRecovery } from "../monitoring/mod.ts";
import { sourceName } from "../rules/mod.ts";
import { daysOf, findSeries, readBlocks } from "../series/mod.ts";
import { endSignalWaiting, isStillWaiting, type WaitingSignals } from "../signals/mod.ts";
import type { JudgedSignals } from "./judge_signals.ts";
import { recordLasting } from "./record_lasting.ts";
import { failuresOf, type RecordedBy, raisedByChance, recordVerdicts, watched } from "./record_verdicts.ts";
import { appendTally, NO_TALLY, plus, type Tally } from "./tally_store.ts";
import { noveltyOf } from "./verdict_store.ts";

/**
 * Records a judging, and that it is no longer waited for. Where further days changed since it was taken up, it is left to the next
 * turn: what was read is no longer what is stored. A figure of which nothing new can be said (its day and every number that the rules
 * used are those of the verdict before) is left as it is, with its flag and what was made of it.
 */
export function recordSignals(tx: Tx, judging: JudgedSignals, by: RecordedBy): void {
  const { turn, told } = judging;
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
    appendTally(tx, { date: utcDayOf(by.now), asset, source, report: told?.attempt ?? null, tally });
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
export function leaveSignalsOut(tx: Tx, turn: WaitingSignals, now: number): void {
  if (!isStillWaiting(tx, turn)) return;
  const reason = `what ${sourceName(turn.source)} told could not be judged and was left out`;
  noteFailure(tx, watched(turn, ""), { reason, now });
  endSignalWaiting(tx, turn);
}
