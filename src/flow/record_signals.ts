/** Recording what the rules said of a provider's figures of a site, in the caller's transaction: flags, verdicts, failures, tally. */
import { isRetired } from "../assets/mod.ts";
import type { Tx } from "../db/mod.ts";
import { isResolvedByHand, type JudgedRule, reconcileFlags, reviseOpen } from "../flags/mod.ts";
import { utcDayOf } from "../lib/utc_day.ts";
import { endFailures, noteFailure, noteRecovery } from "../monitoring/mod.ts";
import { sourceName } from "../rules/mod.ts";
import { endSignalWaiting, isStillWaiting, type WaitingSignals } from "../signals/mod.ts";
import type { JudgedSignals } from "./judge_signals.ts";
import { failuresOf, type RecordedBy, raisedByChance, recordVerdicts, watched } from "./record_verdicts.ts";
import { appendTally } from "./tally_store.ts";
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
  const metrics = judging.metrics.flatMap(({ metric, judged }) => {
    const { day: date, verdict } = judged;
    const novelty = noveltyOf(tx, { asset, source, metric, date, verdict });
    return novelty === "same" ? [] : [{ metric, judged, isCounted: novelty === "revision" }];
  });
  if (metrics.length > 0) {
    const judged = metrics
      .flatMap(({ judged: { rules } }) => rules)
      .map((rule) => inCalendar(unlessDone(tx, asset, rule), told?.timeZone ?? ""))
      .filter((rule) => !reviseOpen(tx, asset, rule, by.now));
    const { raised } = reconcileFlags(tx, { asset, origin: "rule", judged, ...by, actor: "rule" });
    const tally = recordVerdicts(tx, turn, metrics, raisedByChance(raised), by.now);
    if (tally.tests + tally.notTested + tally.raised > 0) {
      appendTally(tx, { date: utcDayOf(by.now), asset, source, report: told?.attempt ?? null, tally });
    }
  }
  const known = new Set(judging.metrics.map(({ metric }) => metric));
  for (const failure of failuresOf(tx, turn)) {
    if (!known.has(failure.subject)) noteRecovery(tx, failure, by.now);
  }
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

/** The days of a flag are those of the provider's calendar, which its inputs name where it is known. */
function inCalendar(judged: JudgedRule, timeZone: string): JudgedRule {
  const { verdict } = judged;
  if (verdict.state !== "fires" || timeZone === "") return judged;
  return { ...judged, verdict: { ...verdict, inputs: { ...verdict.inputs, time_zone: timeZone } } };
}

/** Leaves a site and source out that cannot be judged, until further days of it change. */
export function leaveSignalsOut(tx: Tx, turn: WaitingSignals, now: number): void {
  if (!isStillWaiting(tx, turn)) return;
  const reason = `what ${sourceName(turn.source)} told could not be judged and was left out`;
  noteFailure(tx, watched(turn, ""), { reason, now });
  endSignalWaiting(tx, turn);
}
