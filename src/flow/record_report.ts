/** Recording what the rules said of a report, in the caller's transaction: flags, verdicts, monitoring failures, tally. */
import { isRetired } from "../assets/mod.ts";
import type { Tx } from "../db/mod.ts";
import { type JudgedRule, latestMilestone, raiseResolved, reconcileFlags } from "../flags/mod.ts";
import { utcDayOf } from "../lib/utc_day.ts";
import { endFailures, noteFailure, noteRecovery } from "../monitoring/mod.ts";
import { endWaiting, findNewestPulseDay, type Pulse, type StoredPulse } from "../pulse/mod.ts";
import { MILESTONE_TOTAL, RULES, raisedTitle, SENT } from "../rules/mod.ts";
import type { JudgedMetric } from "./judge_report.ts";
import type { Piece } from "./pieces.ts";
import { recordLasting } from "./record_lasting.ts";
import { failuresOf, type RecordedBy, raisedByChance, recordVerdicts, watched } from "./record_verdicts.ts";
import { appendTally, endProgress, findProgress, plus, putProgress } from "./tally_store.ts";

/**
 * Records a piece of a report, and with its last one that the report is judged. Throws when the piece is not the next of its
 * report, so that nothing is ever recorded twice.
 */
export function recordPiece(tx: Tx, piece: Piece, by: RecordedBy): void {
  const { report, from, metrics, isLast } = piece;
  if (isRetired(tx, report.asset)) {
    leaveUnjudged(tx, report, by.now);
    return;
  }
  const progress = findProgress(tx, report.id);
  if (progress.done !== from) throw new Error(`${from} is not the next metric: ${progress.done} is`);
  const raised = recordFlags(tx, report, metrics, by);
  const tally = plus(progress.tally, recordVerdicts(tx, sentBy(report.asset), metrics, raised, by.now));
  if (!isLast) {
    putProgress(tx, report.id, { done: from + metrics.length, tally });
    return;
  }
  recoverRest(tx, report, by.now);
  if (tally.tests + tally.notTested > 0) {
    const { asset, id } = report;
    appendTally(tx, { date: utcDayOf(by.now), asset, source: SENT, report: id, tally });
  }
  if (progress.done > 0) endProgress(tx, report.id);
  endWaiting(tx, report.id);
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
  endWaiting(tx, report.id);
}

/** Leaves a report out that cannot be judged, so that those after it are. */
export function leaveOut(
  tx: Tx,
  of: { readonly asset: string; readonly pulse: number; readonly named: string },
  now: number,
): void {
  const reason = `${of.named} could not be judged and was left out`;
  noteFailure(tx, watched(sentBy(of.asset), ""), { reason, now });
  endProgress(tx, of.pulse);
  endWaiting(tx, of.pulse);
}
