/**
 * The recorder: what each operation of a provider came to, written in the transaction that stores its result. Recording that fails
 * takes nothing of the result away; it is a monitoring failure, and it lasts until what came of the same thing is recorded again.
 */
import { apart, storageFault, type Tx } from "../db/mod.ts";
import { type Monitored, noteFailure, noteRecovery } from "../monitoring/mod.ts";
import { logOf } from "../platform/log.ts";
import type { Evidence, HealthChange, Observation, Scope } from "./contract.ts";
import { appendEvent } from "./event_store.ts";
import { opaqueId } from "./opaque_id.ts";
import { evidenceOfTarget, putEvidence } from "./state_store.ts";
import { targetId } from "./target_store.ts";
import { after, changeOf } from "./transition.ts";

/**
 * Records an outcome, and says what event it makes. Told again it changes nothing. Throws a RangeError for what is no outcome, and what
 * the database throws.
 */
export function recordOutcome(tx: Tx, scope: Scope, observation: Observation): HealthChange | undefined {
  const fault = faultOf(observation);
  if (fault !== undefined) throw new RangeError(`the ${fault} of an outcome cannot be`);
  const target = targetId(tx, scope);
  const before = evidenceOfTarget(tx, target);
  const now = after(before, observation);
  if (now === before) return undefined;
  putEvidence(tx, target, now);
  const change = changeOf(before, now);
  if (change !== undefined) tell(tx, { scope, target, observation, change, before });
  return change;
}

const ATTEMPT = /^[0-9A-Za-z_.:-]{1,128}$/;
const CODE = /^[a-z0-9_]{1,64}$/;

/** Which part cannot be: an attempt and a code that are no ids may be a secret, and are not written down. */
function faultOf({ attempt, startedAt, observedAt, result }: Observation): string | undefined {
  if (!ATTEMPT.test(attempt)) return "attempt";
  if (!Number.isSafeInteger(startedAt) || startedAt < 0) return "start";
  if (!Number.isSafeInteger(observedAt) || observedAt < 0) return "moment";
  if (!result.ok && result.code !== null && !CODE.test(result.code)) return "code";
  return undefined;
}

interface Told {
  readonly scope: Scope;
  readonly target: number;
  readonly observation: Observation;
  readonly change: HealthChange;
  readonly before: Evidence | undefined;
}

function tell(tx: Tx, { scope, target, observation, change, before }: Told): void {
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
export function recordBeside(tx: Tx, scope: Scope, observation: Observation): boolean {
  const of: Monitored = {
    kind: "recorder",
    asset: scope.asset,
    source: scope.provider,
    subject: scope.capability,
  };
  const failed = apart(tx, () => {
    recordOutcome(tx, scope, observation);
    noteRecovery(tx, of, observation.observedAt);
  });
  if (failed === undefined) return true;
  const reason = storageFault(failed.error);
  const log = logOf("health");
  log.error("an outcome was not recorded", { capability: scope.capability, asset: scope.asset, reason });
  const unnoted = apart(tx, () => noteFailure(tx, of, { reason, now: observation.observedAt }));
  if (unnoted !== undefined) log.error("nor was that noted", { reason: storageFault(unnoted.error) });
  return false;
}
