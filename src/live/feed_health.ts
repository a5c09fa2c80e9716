/** What a question about traffic came to, told to the health of its feed. */
import type { Tx } from "../db/mod.ts";
import { opaqueId, recordBeside, type Scope } from "../health/mod.ts";
import type { Fault } from "../provider/contract.ts";
import type { Question } from "./lease_store.ts";

/**
 * What is monitored of a feed. A failure of the whole account is told of the site alone: every site that somebody looks at is asked for
 * itself, so that none is held by another's.
 */
export function feedScope(workspace: string, { asset, kind, source }: Question): Scope {
  return {
    workspace,
    provider: "analytics",
    connectionRevision: source.connectionRevision,
    capability: `analytics.${kind}`,
    asset,
    target: opaqueId("analytics", source.property),
    family: "",
  };
}

/** A question as it ended. Times are milliseconds since the epoch. */
export interface EndedQuestion {
  readonly holder: string;
  readonly startedAt: number;
  readonly endedAt: number;
  readonly fault: Fault | undefined;
  /** It is not asked again before. */
  readonly nextAt: number;
}

/** Tells what came of a question. Says whether it could be told. */
export function tellFeed(tx: Tx, scope: Scope, ended: EndedQuestion): boolean {
  const { holder, startedAt, endedAt, fault, nextAt } = ended;
  const result =
    fault === undefined
      ? ({ ok: true, coveredDate: null } as const)
      : ({ ok: false, category: fault.category, code: fault.code, nextRetryAt: nextAt } as const);
  const observation = { attempt: `live:${holder}`, startedAt, observedAt: endedAt, result };
  return recordBeside(tx, scope, observation, endedAt);
}
