/** What a check of a connection came to, told to the health of that check: it is evidence of no site's figures. */
import type { Tx } from "../db/mod.ts";
import { opaqueId, recordBeside, type Scope } from "../health/mod.ts";
import type { AccountProvider, Fault } from "../provider/contract.ts";
import type { ConnectionJob } from "./contract.ts";

/** A check of a provider over a connection. */
export interface Check {
  readonly workspace: string;
  readonly job: ConnectionJob;
  readonly provider: AccountProvider;
  readonly connectionRevision: string;
}

/** What is monitored of it: one target a connection. */
export function checkScope({ workspace, job, provider, connectionRevision }: Check): Scope {
  return {
    workspace,
    provider,
    connectionRevision,
    capability: `${provider}.${job}`,
    asset: "",
    target: opaqueId(connectionRevision),
    family: "",
  };
}

/** Tells what came of a check, by its row in `pull_attempt`. Says whether it could be told. Times are milliseconds since the epoch. */
export function tellCheck(
  tx: Tx,
  check: Check,
  attempt: { readonly id: number; readonly startedAt: number; readonly observedAt: number },
  cameTo: { readonly fault: Fault | undefined; readonly nextRetryAt: number | null },
): boolean {
  const { id, startedAt, observedAt } = attempt;
  const { fault, nextRetryAt } = cameTo;
  const result =
    fault === undefined
      ? ({ ok: true, coveredDate: null } as const)
      : ({ ok: false, category: fault.category, code: fault.code, nextRetryAt } as const);
  const observation = { attempt: `pull:${id}`, startedAt, observedAt, result };
  return recordBeside(tx, checkScope(check), observation, observedAt);
}
