/** What an attempt came to, told to the health of a site's daily figures, and of everything that is asked over the same connection. */
import type { Tx } from "../db/mod.ts";
import {
  type Failure,
  findEvidence,
  isUnrecorded,
  opaqueId,
  recordBeside,
  type Scope,
  type Success,
} from "../health/mod.ts";
import type { Pulled } from "./standing_store.ts";

/** What is monitored of a property of a site over a connection; of everything over the connection without site and property (''). */
export function dailyScope(
  workspace: string,
  { asset, provider, connectionRevision, property }: Pulled,
): Scope {
  return {
    workspace,
    provider,
    connectionRevision,
    capability: `${provider}.daily`,
    asset,
    target: asset === "" ? opaqueId(connectionRevision) : opaqueId(provider, property),
    family: "",
  };
}

/** An attempt as its record has it. Times are milliseconds since the epoch. */
export interface ToldAttempt {
  readonly workspace: string;
  /** Its row in `pull_attempt`. */
  readonly id: number;
  readonly startedAt: number;
  readonly observedAt: number;
}

/** Tells of a usable result. It shows that the connection works, too, where that was in doubt. Says whether it could be told. */
export function tellSuccess(tx: Tx, of: Pulled, attempt: ToldAttempt, coveredDate: string | null): boolean {
  const isTold = tell(tx, dailyScope(attempt.workspace, of), attempt, { ok: true, coveredDate });
  const account = dailyScope(attempt.workspace, { ...of, asset: "", property: "" });
  if (of.asset === "" || !(isFailing(tx, account) || isUnrecorded(tx, account))) return isTold;
  return tell(tx, account, attempt, { ok: true, coveredDate: null }) && isTold;
}

/** Tells of no usable result. What concerns the whole connection is told of that, too. Says whether it could be told. */
export function tellFailure(
  tx: Tx,
  of: Pulled,
  attempt: ToldAttempt,
  failure: Omit<Failure, "ok"> & { readonly isOfAccount: boolean },
): boolean {
  const { category, code, nextRetryAt, isOfAccount } = failure;
  const result = { ok: false, category, code, nextRetryAt } as const;
  const isTold = tell(tx, dailyScope(attempt.workspace, of), attempt, result);
  if (of.asset === "" || !isOfAccount) return isTold;
  const account = dailyScope(attempt.workspace, { ...of, asset: "", property: "" });
  return tell(tx, account, attempt, result) && isTold;
}

/** Whether a failure is the last that is known. What cannot be read may be one: telling it shows what is wrong with it. */
function isFailing(tx: Tx, scope: Scope): boolean {
  try {
    return (findEvidence(tx, scope)?.latest.category ?? null) !== null;
  } catch {
    return true;
  }
}

/** It is told as soon as it is known. */
function tell(tx: Tx, scope: Scope, attempt: ToldAttempt, result: Success | Failure): boolean {
  const { id, startedAt, observedAt } = attempt;
  return recordBeside(tx, scope, { attempt: `pull:${id}`, startedAt, observedAt, result }, observedAt);
}
