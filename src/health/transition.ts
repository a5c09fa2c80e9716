/**
 * What an outcome makes of what is known of a target. Pure.
 *
 * Outcomes are ordered by the start of their attempts, never by their arrival. Of two that began at the same moment the failure stands:
 * it is kept until a later success. So what is known is a join of outcomes: in whatever order they come, and however often each comes,
 * the latest attempt and the latest success are the same.
 */
import type { Evidence, HealthChange, Observation } from "./contract.ts";
import { AHEAD_MS } from "./state.ts";

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
export function believed(known: Evidence | undefined, now: number): Evidence | undefined {
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
