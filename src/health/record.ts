/**
 * The recorder: what each operation of a provider came to, written in the transaction that stores its result. Recording that fails
 * takes nothing of the result away; it is a monitoring failure, and it lasts until what came of the same thing is recorded again.
 */

import { logOf } from "../base/log.ts";
import { storageFault } from "../base/storage_fault.ts";
import { isMoment } from "../base/time.ts";
import { FAILURE_CATEGORIES } from "../providers/faults.ts";
import type { Db, Tx } from "../store/store.ts";
import { savepoint } from "../store/writer.ts";
import {
  accountOf,
  type Evidence,
  type Failure,
  type HealthChange,
  type Observation,
  opaqueId,
  type Scope,
  type Success,
} from "./health.ts";
import { findMonitoringFailure, type Monitored, noteFailure, noteRecovery } from "./monitoring.ts";
import { AHEAD_MS } from "./state.ts";
import {
  appendEvent,
  evidenceOfTarget,
  findEvidence,
  putEvidence,
  scopeFault,
  targetId,
} from "./state_store.ts";

/**
 * What an outcome makes of what is known of a target. Pure.
 *
 * Outcomes are ordered by the start of their attempts, never by their arrival. Of two that began at the same moment the failure stands:
 * it is kept until a later success. So what is known is a join of outcomes: in whatever order they come, and however often each comes,
 * the latest attempt and the latest success are the same.
 */

/** What is known after one more outcome. Gives back `known` itself where it says nothing new. */
export function after(known: Evidence | undefined, observation: Observation): Evidence {
  const told = evidenceOf(observation);
  return known === undefined ? told : joined(known, told);
}

/** What two that saw different outcomes of one target know together. */
export function joined(a: Evidence, b: Evidence): Evidence {
  const latest = byLatest(a.latest, b.latest) >= 0 ? a.latest : b.latest;
  const success = laterSuccess(a.success, b.success);
  const failingSince = latest.category === null ? undefined : sinceWhen([a, b], latest, success);
  const recordedAt = Math.max(a.recordedAt, b.recordedAt);
  const isKnown =
    latest === a.latest &&
    success === a.success &&
    failingSince === a.failingSince &&
    recordedAt === a.recordedAt;
  return isKnown ? a : { latest, success, failingSince, recordedAt };
}

/**
 * What of it can be believed now. What began ahead of the clock is of a clock that was wrong, and every later outcome would come before
 * it. Gives back `known` itself where all of it can.
 */
function believed(known: Evidence | undefined, now: number): Evidence | undefined {
  if (known === undefined) return undefined;
  const { latest, success } = known;
  const recordedAt = Math.min(known.recordedAt, now + AHEAD_MS);
  if (latest.startedAt <= now + AHEAD_MS)
    return recordedAt === known.recordedAt ? known : { ...known, recordedAt };
  if (success === undefined || success.startedAt > now + AHEAD_MS) return undefined;
  const { attempt, startedAt } = success;
  const last = { attempt, startedAt, category: null, code: null, nextRetryAt: null };
  return { latest: last, success, failingSince: undefined, recordedAt };
}

/** What an arrival is told as: an event where the latest attempt is another, and it stands otherwise than the one before. */
export function changeOf(before: Evidence | undefined, now: Evidence): HealthChange | undefined {
  const was = before?.latest.category ?? null;
  const is = now.latest.category;
  if (was === is) return undefined;
  if (is === null) return "recovery";
  return was === null ? "first_failure" : "category_change";
}

function evidenceOf({ attempt, startedAt, observedAt, result }: Observation): Evidence {
  if (result.ok) {
    return {
      latest: { attempt, startedAt, category: null, code: null, nextRetryAt: null },
      success: { attempt, startedAt, coveredDate: result.coveredDate },
      failingSince: undefined,
      recordedAt: observedAt,
    };
  }
  const { category, code, nextRetryAt } = result;
  return {
    latest: { attempt, startedAt, category, code, nextRetryAt },
    success: undefined,
    failingSince: startedAt,
    recordedAt: observedAt,
  };
}

type Latest = Evidence["latest"];
type KnownSuccess = NonNullable<Evidence["success"]>;

/** Which of two attempts is the latest: positive where it is the first. A tie of two alike is decided by their ids, so that their order does not matter. */
function byLatest(a: Latest, b: Latest): number {
  return (
    a.startedAt - b.startedAt ||
    compared(a.category !== null, b.category !== null) ||
    compared(a.attempt, b.attempt) ||
    compared(a.category ?? "", b.category ?? "") ||
    compared(a.code ?? "", b.code ?? "") ||
    (a.nextRetryAt ?? 0) - (b.nextRetryAt ?? 0)
  );
}

function laterSuccess(a: KnownSuccess | undefined, b: KnownSuccess | undefined): KnownSuccess | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  const order =
    a.startedAt - b.startedAt ||
    compared(a.attempt, b.attempt) ||
    compared(a.coveredDate ?? "", b.coveredDate ?? "");
  return order >= 0 ? a : b;
}

const compared = <T extends string | boolean>(a: T, b: T): number => (a === b ? 0 : a > b ? 1 : -1);

/**
 * Since when it fails: the earliest failure that is known since the latest success. Where a success comes late between failures, those
 * between it and the latest are not kept; then it is the latest alone that is known to be of this failure.
 */
function sinceWhen(parts: readonly Evidence[], latest: Latest, success: KnownSuccess | undefined): number {
  const known = parts
    .map(({ failingSince }) => failingSince)
    .filter((since) => since !== undefined && (success === undefined || since >= success.startedAt));
  return Math.min(latest.startedAt, ...known.map((since) => since ?? latest.startedAt));
}

/**
 * Records an outcome, and says what event it makes. Told again it changes nothing. Where `now` is given, what is stored of a moment ahead
 * of it gives way: it is of a clock that was wrong. Throws a RangeError for what is no outcome, and what the database throws.
 */
export function recordOutcome(
  tx: Tx,
  scope: Scope,
  observation: Observation,
  now?: number,
): HealthChange | undefined {
  const fault = faultOf(observation);
  if (fault !== undefined) throw new RangeError(`the ${fault} of an outcome cannot be`);
  const target = targetId(tx, scope);
  const before = evidenceOfTarget(tx, target);
  const known = after(now === undefined ? before : believed(before, now), observation);
  if (known === before) return undefined;
  putEvidence(tx, target, known);
  const change = changeOf(before, known);
  if (change !== undefined) appendChange(tx, target, scope, observation, change, before);
  return change;
}

const ATTEMPT = /^[0-9A-Za-z_.:-]{1,128}$/;
const CODE = /^[a-z0-9_]{1,64}$/;
const DAY = /^\d{4}-\d{2}-\d{2}$/;

/** Which part cannot be: what is no id, no code of ours and no day may be a secret, and is not written down. */
function faultOf({ attempt, startedAt, observedAt, result }: Observation): string | undefined {
  if (!ATTEMPT.test(attempt)) return "attempt";
  if (!isMoment(startedAt)) return "start";
  if (!isMoment(observedAt)) return "moment";
  if (result.ok) return result.coveredDate === null || DAY.test(result.coveredDate) ? undefined : "day";
  const { category, code, nextRetryAt } = result;
  if (!FAILURE_CATEGORIES.includes(category)) return "category";
  if (code !== null && !CODE.test(code)) return "code";
  return nextRetryAt === null || isMoment(nextRetryAt) ? undefined : "next try";
}

function appendChange(
  tx: Tx,
  target: number,
  scope: Scope,
  observation: Observation,
  change: HealthChange,
  before: Evidence | undefined,
): void {
  const { attempt, startedAt, result } = observation;
  const categoryBefore = before?.latest.category ?? null;
  const category = result.ok ? categoryBefore : result.category;
  if (category === null) throw new Error("an event of health has no category");
  const { workspace, provider, connectionRevision, capability, asset, family } = scope;
  appendEvent(tx, {
    event: opaqueId(
      workspace,
      provider,
      connectionRevision,
      capability,
      asset,
      scope.target,
      family,
      attempt,
    ),
    at: startedAt,
    target,
    attempt,
    change,
    category,
    category_before: change === "category_change" ? categoryBefore : null,
  });
}

/**
 * Records an outcome beside the result that the same transaction stores: where the recorder fails, the result stays. Says whether it
 * was recorded; where not, what is answered says that monitoring is unavailable. Throws only what ends the whole transaction.
 */
export function recordBeside(tx: Tx, scope: Scope, observation: Observation, now?: number): boolean {
  const of = monitoredOf(scope);
  const failed = savepoint(tx, () => {
    recordOutcome(tx, scope, observation, now);
    noteRecovery(tx, of, observation.observedAt);
  });
  if (failed === undefined) return true;
  const reason = storageFault(failed.error);
  const log = logOf("health");
  log.error("an outcome was not recorded", { capability: of.subject, asset: of.asset, reason });
  const unnoted = savepoint(tx, () => noteFailure(tx, of, { reason, now: momentOf(observation) }));
  if (unnoted !== undefined) log.error("nor was that noted", { reason: storageFault(unnoted.error) });
  return false;
}

/** One attempt: its own id, when it began and when its result was known, in milliseconds since the epoch. */
export type Attempt = Omit<Observation, "result">;

/** What a fault comes to, or that there is none. */
export const resultOf = (
  fault: Pick<Failure, "category" | "code"> | undefined,
  {
    nextRetryAt = null,
    coveredDate = null,
  }: Partial<Pick<Failure, "nextRetryAt"> & Omit<Success, "ok">> = {},
): Success | Failure =>
  fault === undefined
    ? { ok: true, coveredDate }
    : { ok: false, category: fault.category, code: fault.code, nextRetryAt };

/** Records the result of an attempt as soon as it is known. False where it could not be recorded (`recordBeside`). */
export const recordResult = (tx: Tx, scope: Scope, attempt: Attempt, result: Success | Failure): boolean =>
  recordBeside(tx, scope, { ...attempt, result }, attempt.observedAt);

/**
 * Records a read of a site over a connection. A usable result ends what was in doubt about the whole connection; a failure that `isOfAccount`
 * is recorded for the connection, too.
 */
export function recordRead(
  tx: Tx,
  scope: Scope,
  attempt: Attempt,
  result: Success | (Failure & { readonly isOfAccount: boolean }),
): boolean {
  const isRecorded = recordResult(tx, scope, attempt, result);
  if (scope.asset === "") return isRecorded;
  const isAccountRecorded = result.ok
    ? endDoubt(tx, scope, attempt)
    : !result.isOfAccount || recordResult(tx, accountOf(scope), attempt, result);
  return isAccountRecorded && isRecorded;
}

/** A usable result shows that the connection of a read works, where its last result is a failure or could not be recorded. */
export function endDoubt(tx: Tx, scope: Scope, attempt: Attempt): boolean {
  const account = accountOf(scope);
  return !isInDoubt(tx, account) || recordResult(tx, account, attempt, { ok: true, coveredDate: null });
}

/** What cannot be read may be a failure: recording another result shows what is wrong with it. */
function isInDoubt(tx: Tx, scope: Scope): boolean {
  try {
    return (findEvidence(tx, scope)?.latest.category ?? null) !== null || isUnrecorded(tx, scope);
  } catch {
    return true;
  }
}

/** When it was, as far as that can be told. */
const momentOf = ({ observedAt, startedAt }: Observation): number =>
  [observedAt, startedAt].find(isMoment) ?? 0;

/** Of a scope, what its outcomes are recorded for. */
type Recorded = Pick<Scope, "asset" | "provider" | "capability" | "target">;

/**
 * What is not watched while outcomes are not recorded: a capability of a site; of what concerns a whole connection or a sender that one
 * alone, by its target, since an outcome of another says nothing of it.
 */
export function recorderOf({ asset, provider, capability, target }: Recorded): Monitored {
  return { kind: "recorder", asset, source: asset === "" ? target : provider, subject: capability };
}

/** Whether what was last to be recorded of a scope could not be. */
export const isUnrecorded = (db: Db, scope: Scope): boolean =>
  findMonitoringFailure(db, recorderOf(scope)) !== undefined;

/** A scope that is made of no ids is not named. */
const monitoredOf = (scope: Scope): Monitored =>
  scopeFault(scope) === undefined ? recorderOf(scope) : { kind: "recorder", ...NAMELESS };

const NAMELESS = { asset: "", source: "", subject: "" };
