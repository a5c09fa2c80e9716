/** What an attempt came to, in one transaction: its record, what it told anew, the days of the series, and what the rules have to judge. */

import { dayOfNumber } from "../base/time.ts";
import { dailyScope } from "../health/health.ts";
import { recordRead } from "../health/record.ts";
import { type Provider, SIGNAL_METRICS } from "../providers/adapter.ts";
import { type Fault, needsPerson, nextRetryAt as retryMoment } from "../providers/faults.ts";
import { addSeries, findSeries, noteMetrics, putDays } from "../reports/series.ts";
import type { DayChange } from "../reports/series_days.ts";
import { type Db, statement, type Tx } from "../store/store.ts";
import {
  failedOutcome,
  findConnectionHold,
  noteAttempt,
  type PullOutcome,
  type PullTarget,
  targetId,
  type Went,
} from "./attempts.ts";
import { type Decided, isTold } from "./decide.ts";
import { appendObservation, findKnownProperty, type ObservedFigure } from "./observations.ts";
import type { signalWaiting } from "./tables.ts";

/**
 * The series that wait to be judged: one row for a site and source with a settled day that is new or changed. The one who changes days
 * puts it there in the same transaction, and it goes in the transaction that records what the rules say of them.
 */

/**
 * A site and source whose figures are to be judged. Its id is another one from the moment that further days change: what was read before
 * that is no longer what waits.
 */
export type WaitingSignals = Readonly<typeof signalWaiting.$inferSelect>;

const put = statement<never, [string, string]>(
  `INSERT INTO signal_waiting (asset, source) VALUES (?, ?)
   ON CONFLICT (asset, source) DO UPDATE SET id = (SELECT max(id) + 1 FROM signal_waiting)`,
);

const after = statement<WaitingSignals, [number, number]>(
  "SELECT id, asset, source FROM signal_waiting WHERE id > ? ORDER BY id LIMIT ?",
);

const idOf = statement<{ id: number }, [string, string]>(
  "SELECT id FROM signal_waiting WHERE asset = ? AND source = ?",
);

const remove = statement<never, [number]>("DELETE FROM signal_waiting WHERE id = ?");

/**
 * Lets the figures of a site from a source wait to be judged: called where a settled day of any of them became new or changed, in the
 * transaction that changed it. Further days while it waits make it wait anew, so that a judging that is under way by then does not count.
 */
export function awaitSignalJudging(tx: Tx, asset: string, source: Provider): void {
  put(tx).run(asset, source);
}

/** The next that wait, those that came first before the others, beginning after the one named and going round. */
export function listSignalTurns(db: Db, last: number, most: number): WaitingSignals[] {
  const turns = after(db).all(last, most);
  if (turns.length === most || last === 0) return turns;
  return [
    ...turns,
    ...after(db)
      .all(0, most - turns.length)
      .filter(({ id }) => id <= last),
  ];
}

/** Whether what was read when it had this place is still what waits. */
export function isStillWaiting(db: Db, { id, asset, source }: WaitingSignals): boolean {
  return idOf(db).first(asset, source)?.id === id;
}

/** It is judged, or left out, and waits no longer. */
export function endSignalWaiting(tx: Tx, { id }: Pick<WaitingSignals, "id">): void {
  remove(tx).run(id);
}

/** One attempt as it went; of its target the time zone as far as it is known without the answer. */
export interface Attempted extends Went {
  readonly workspace: string;
  readonly target: PullTarget;
}

/** What came of recording that there was no answer. */
interface RecordedFault {
  readonly outcome: PullOutcome;
  /** False where it stands, but could not be told to the health of its capability. */
  readonly isMonitored: boolean;
}

/** What came of recording it: its outcome, or that what it was judged by is not what is stored any more. */
type Recorded = (RecordedFault & { readonly isForRules: boolean }) | { readonly outcome: "stale" };

/** Records a judged answer. Where something was told of the site since it was judged, nothing is written: it is to be judged again. */
export function recordAnswer(tx: Tx, attempted: Attempted, judged: Decided): Recorded {
  if (!judged.ok) return { ...recordFault(tx, attempted, judged.fault), isForRules: false };
  const { decision, timeZone, newest } = judged;
  const { startedAt } = attempted;
  const target: PullTarget = { ...attempted.target, timeZone };
  if (findKnownProperty(tx, target).newest !== newest) return { outcome: "stale" };
  const { outcome, figures, changed, firstData, isForRules, covered } = decision;
  const { id, ...times } = noteAttempt(tx, { ...attempted, target }, { outcome, changed });
  endSlowProbe(tx, { ...attempted, target });
  if (isTold(decision)) {
    appendObservation(
      tx,
      { attempt: id, target: targetId(tx, target), observedAt: startedAt },
      { firstData, figures },
    );
    putFigures(tx, target, figures);
  }
  if (isForRules) awaitSignalJudging(tx, target.asset, target.provider);
  const scope = dailyScope(attempted.workspace, target);
  const coveredDate = covered === undefined ? null : dayOfNumber(covered);
  return { outcome, isForRules, isMonitored: recordRead(tx, scope, times, { ok: true, coveredDate }) };
}

/** Records that an account was asked for its list. */
export function recordListed(tx: Tx, attempted: Attempted, outcome: "empty" | "unchanged"): RecordedFault {
  const { workspace, target } = attempted;
  const { id: _, ...times } = noteAttempt(tx, attempted, { outcome });
  return {
    outcome,
    isMonitored: recordRead(tx, dailyScope(workspace, target), times, { ok: true, coveredDate: null }),
  };
}

/** An answer shows that what held the account was put right: nothing else of it waits for its slow probe any more. */
export function endSlowProbe(tx: Tx, met: OfAccount): void {
  const account = accountOf(met);
  const hold = findConnectionHold(tx, account, met.finishedAt);
  if (hold === undefined || !needsPerson(hold.category) || met.startedAt < hold.since) return;
  noteAttempt(tx, { ...met, target: account, requests: 0 }, { outcome: "unchanged" });
}

/**
 * Records that there was no answer. What concerns everything that is asked over the same connection is noted of the account, too:
 * nothing else of it is asked until then.
 */
export function recordFault(tx: Tx, attempted: Attempted, fault: Fault): RecordedFault {
  const { target, workspace, finishedAt } = attempted;
  const { category, code } = fault;
  const nextRetryAt = retryMoment(fault, finishedAt);
  const outcome = failedOutcome(category);
  const { id: _, ...times } = noteAttempt(tx, attempted, { outcome, category, nextRetryAt });
  const isOfAccount = fault.scope === "credential";
  if (isOfAccount && target.asset !== "") noteAccountFault(tx, attempted, fault);
  const result = { ok: false, category, code, nextRetryAt, isOfAccount } as const;
  return { outcome, isMonitored: recordRead(tx, dailyScope(workspace, target), times, result) };
}

/** What is noted of everything over a connection, whichever question showed it. */
type OfAccount = Pick<Went, "run" | "startedAt" | "finishedAt"> & {
  readonly target: Pick<PullTarget, "provider" | "connectionRevision">;
};

const accountOf = ({ target: { provider, connectionRevision } }: OfAccount): PullTarget => ({
  asset: "",
  provider,
  connectionRevision,
  property: "",
  timeZone: "",
});

/** Notes a fault of a whole account: nothing of it is asked until its time, whoever asks. */
export function noteAccountFault(tx: Tx, met: OfAccount, fault: Fault): void {
  const account = accountOf(met);
  const nextRetryAt = retryMoment(fault, met.finishedAt);
  if (nextRetryAt === null || (findConnectionHold(tx, account, met.finishedAt)?.until ?? 0) >= nextRetryAt)
    return;
  const failed = { outcome: failedOutcome(fault.category), category: fault.category, nextRetryAt };
  noteAttempt(tx, { ...met, target: account, requests: 0 }, failed);
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
function changesOf(figures: readonly ObservedFigure[], place: number): DayChange[] {
  return figures
    .filter((figure) => figure.place === place)
    .map(({ day, to }) => ({ day, to: to.state === "missing" ? undefined : { ...to, total: null } }));
}
