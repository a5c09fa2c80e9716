/** What is known of whether a credential works: evidence of its account alone, never of a site's figures. */

import type { Credential } from "../../credentials/contract.ts";
import type { Db } from "../../db/mod.ts";
import { checkScope, dailyScope, findEvidence } from "../../health/mod.ts";
import type { AccountProvider, FailureCategory } from "../../provider/contract.ts";
import { pullStanding } from "../../signals/mod.ts";

/** What the account came to when its provider was last asked. Times are milliseconds since the epoch. */
export type AccountStanding =
  | { readonly state: "never" }
  | { readonly state: "usable" | "sees-nothing"; readonly at: number }
  | {
      readonly state: "refused";
      readonly at: number;
      readonly category: FailureCategory | null;
      /** The reviewed code of the reason, where it is known. */
      readonly code: string | null;
      readonly nextRetryAt: number | null;
    };

/** How a credential's account stands with one of its providers, under the connection it has now: nothing earlier speaks for it. */
export function accountStanding(
  db: Db,
  { workspace, connectionRevision }: Pick<Credential, "connectionRevision"> & { readonly workspace: string },
  provider: AccountProvider,
): AccountStanding {
  const account = { asset: "", provider, connectionRevision, property: "" };
  const { latest } = pullStanding(db, account);
  if (latest === undefined) return { state: "never" };
  const { startedAt: at, outcome, category, nextRetryAt } = latest;
  if (outcome !== "failed" && outcome !== "incomplete") {
    return { state: outcome === "empty" ? "sees-nothing" : "usable", at };
  }
  // An attempt has its category; why it was is told by the health of what was asked, where that is of the same attempt.
  const scopes = [
    checkScope({ workspace, job: "connection-test", provider, connectionRevision }),
    checkScope({ workspace, job: "site-discovery", provider, connectionRevision }),
    dailyScope(workspace, account),
  ];
  const told = scopes
    .flatMap((scope) => findEvidence(db, scope)?.latest ?? [])
    .find((known) => known.startedAt === at && known.category === category);
  return { state: "refused", at, category, code: told?.code ?? null, nextRetryAt };
}
