/** What an attempt came to, in one transaction: its record, what it told anew, the days of the series, and what the rules have to judge. */
import type { Tx } from "../db/mod.ts";
import { dailyScope, recordRead } from "../health/mod.ts";
import { dayOfNumber } from "../lib/day_number.ts";
import { type Fault, needsPerson, type Provider, SIGNAL_METRICS } from "../provider/contract.ts";
import { nextRetryAt } from "../provider/fault.ts";
import { addSeries, type DayChange, findSeries, noteMetrics, putDays } from "../series/mod.ts";
import { connectionHeldUntil, findConnectionHold, recordAttempt } from "./attempt_store.ts";
import type { PullOutcome, PullTarget } from "./contract.ts";
import { isTold } from "./decide.ts";
import type { Judged } from "./judge.ts";
import { appendObservation, findKnownProperty } from "./observation_store.ts";
import type { ObservedFigure } from "./observed.ts";
import { targetId } from "./target_store.ts";
import { awaitSignalJudging } from "./waiting_store.ts";

/** One attempt as it went. Times are milliseconds since the epoch. */
export interface Attempted {
  readonly workspace: string;
  /** The run's row in `job_run`. */
  readonly run: number;
  /** The time zone as far as it is known without the answer. */
  readonly target: PullTarget;
  readonly startedAt: number;
  readonly finishedAt: number;
  readonly requests: number;
}

/** What came of recording that there was no answer. */
export interface RecordedFault {
  readonly outcome: PullOutcome;
  /** False where it stands, but could not be told to the health of its capability. */
  readonly isMonitored: boolean;
}

/** What came of recording it: its outcome, or that what it was judged by is not what is stored any more. */
export type Recorded = (RecordedFault & { readonly isForRules: boolean }) | { readonly outcome: "stale" };

/** Records a judged answer. Where something was told of the site since it was judged, nothing is written: it is to be judged again. */
export function recordAnswer(tx: Tx, attempted: Attempted, judged: Judged): Recorded {
  if (!judged.ok) return { ...recordFault(tx, attempted, judged.fault), isForRules: false };
  const { decision, timeZone, newest } = judged;
  const { run, startedAt, finishedAt, requests } = attempted;
  const target: PullTarget = { ...attempted.target, timeZone };
  if (findKnownProperty(tx, target).newest !== newest) return { outcome: "stale" };
  const { outcome, figures, changed, firstData, isForRules, covered } = decision;
  const attempt = recordAttempt(tx, run, {
    target,
    startedAt,
    tookMs: finishedAt - startedAt,
    outcome,
    category: null,
    nextRetryAt: null,
    requests,
    changed,
  });
  endSlowProbe(tx, { ...attempted, target });
  if (isTold(decision)) {
    appendObservation(
      tx,
      { attempt, target: targetId(tx, target), observedAt: startedAt },
      { firstData, figures },
    );
    putFigures(tx, target, figures);
  }
  if (isForRules) awaitSignalJudging(tx, target.asset, target.provider, finishedAt);
  const scope = dailyScope(attempted.workspace, target);
  const times = { attempt: `pull:${attempt}`, startedAt, observedAt: finishedAt };
  const coveredDate = covered === undefined ? null : dayOfNumber(covered);
  return { outcome, isForRules, isMonitored: recordRead(tx, scope, times, { ok: true, coveredDate }) };
}

/** Records that an account was asked for its list. */
export function recordListed(tx: Tx, attempted: Attempted, outcome: "empty" | "unchanged"): RecordedFault {
  const { workspace, run, target, startedAt, finishedAt, requests } = attempted;
  const tookMs = finishedAt - startedAt;
  const noted = { outcome, category: null, nextRetryAt: null, requests, changed: 0 } as const;
  const id = recordAttempt(tx, run, { target, startedAt, tookMs, ...noted });
  const times = { attempt: `pull:${id}`, startedAt, observedAt: finishedAt };
  return {
    outcome,
    isMonitored: recordRead(tx, dailyScope(workspace, target), times, { ok: true, coveredDate: null }),
  };
}

/** An answer shows that what held the account was put right: nothing else of it waits for its slow probe any more. */
export function endSlowProbe(tx: Tx, { run, startedAt, finishedAt, target }: OfAccount): void {
  const { provider, connectionRevision } = target;
  const account: PullTarget = { asset: "", provider, connectionRevision, property: "", timeZone: "" };
  const hold = findConnectionHold(tx, account, finishedAt);
  if (hold === undefined || !needsPerson(hold.category) || startedAt < hold.since) return;
  const noted = { outcome: "unchanged", category: null, nextRetryAt: null, requests: 0, changed: 0 } as const;
  recordAttempt(tx, run, { target: account, startedAt, tookMs: finishedAt - startedAt, ...noted });
}

/**
 * Records that there was no answer. What concerns everything that is asked over the same connection is noted of the account, too:
 * nothing else of it is asked until then.
 */
export function recordFault(tx: Tx, attempted: Attempted, fault: Fault): RecordedFault {
  const { run, target, startedAt, finishedAt, requests } = attempted;
  const retryAt = nextRetryAt(fault, finishedAt);
  const outcome = fault.category === "incomplete_report" ? "incomplete" : "failed";
  const attempt = {
    target,
    startedAt,
    tookMs: finishedAt - startedAt,
    outcome,
    category: fault.category,
    nextRetryAt: retryAt,
    requests,
    changed: 0,
  } as const;
  const id = recordAttempt(tx, run, attempt);
  const isOfAccount = fault.scope === "credential";
  if (isOfAccount && target.asset !== "") noteAccountFault(tx, attempted, fault);
  const times = { attempt: `pull:${id}`, startedAt, observedAt: finishedAt };
  const { category, code } = fault;
  const result = { ok: false, category, code, nextRetryAt: retryAt, isOfAccount } as const;
  const isMonitored = recordRead(tx, dailyScope(attempted.workspace, target), times, result);
  return { outcome, isMonitored };
}

/** What is noted of everything over a connection, whichever question showed it. */
export type OfAccount = Pick<Attempted, "run" | "startedAt" | "finishedAt"> & {
  readonly target: Pick<PullTarget, "provider" | "connectionRevision">;
};

/** Notes a fault of a whole account: nothing of it is asked until its time, whoever asks. */
export function noteAccountFault(tx: Tx, met: OfAccount, fault: Fault): void {
  const { run, startedAt, finishedAt } = met;
  const { provider, connectionRevision } = met.target;
  const account: PullTarget = { asset: "", provider, connectionRevision, property: "", timeZone: "" };
  const retryAt = nextRetryAt(fault, finishedAt);
  if (retryAt === null || (connectionHeldUntil(tx, account, finishedAt) ?? 0) >= retryAt) return;
  recordAttempt(tx, run, {
    target: account,
    startedAt,
    tookMs: finishedAt - startedAt,
    outcome: fault.category === "incomplete_report" ? "incomplete" : "failed",
    category: fault.category,
    nextRetryAt: retryAt,
    requests: 0,
    changed: 0,
  });
}

/** The days of the series as an answer changed them. */
function putFigures(
  tx: Tx,
  { asset, provider }: { readonly asset: string; readonly provider: Provider },
  figures: readonly ObservedFigure[],
): void {
  for (const [place, metric] of SIGNAL_METRICS[provider].entries()) {
    const changes = changesOf(figures, place);
    if (changes.length === 0) continue;
    const last = changes.findLast(({ to }) => to !== undefined)?.day;
    const key = { asset, source: provider, metric };
    const known = findSeries(tx, key);
    if (known === undefined && last === undefined) continue;
    putDays(tx, known ?? addSeries(tx, key, last ?? 0), changes);
    if (known !== undefined && last !== undefined) {
      noteMetrics(tx, { asset, source: provider }, [metric], last);
    }
  }
}

/** What an observation makes of the days of one figure; a day that is missing is none. */
export function changesOf(figures: readonly ObservedFigure[], place: number): DayChange[] {
  return figures
    .filter((figure) => figure.place === place)
    .map(({ day, to }) => ({ day, to: to.state === "missing" ? undefined : { ...to, total: null } }));
}
