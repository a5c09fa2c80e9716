/** What is known of whether a credential works: evidence of its account alone, never of a site's figures. */
import type { Credential } from "../../credentials/contract.ts";
import type { Db } from "../../db/mod.ts";
import type { FailureCategory, Provider } from "../../provider/contract.ts";
import { pullStanding } from "../../signals/mod.ts";

/** What the account came to when its provider was last asked. Times are milliseconds since the epoch. */
export type AccountStanding =
  | { readonly state: "never" }
  | { readonly state: "usable" | "sees-nothing"; readonly at: number }
  | {
      readonly state: "refused";
      readonly at: number;
      readonly category: FailureCategory | null;
      readonly nextRetryAt: number | null;
    };

/** How a credential's account stands with one of its providers, under the connection it has now: nothing earlier speaks for it. */
export function accountStanding(
  db: Db,
  { connectionRevision }: Pick<Credential, "connectionRevision">,
  provider: Provider,
): AccountStanding {
  const { latest } = pullStanding(db, { asset: "", provider, connectionRevision, property: "" });
  if (latest === undefined) return { state: "never" };
  const { startedAt: at, outcome, category, nextRetryAt } = latest;
  if (outcome === "failed" || outcome === "incomplete")
    return { state: "refused", at, category, nextRetryAt };
  return { state: outcome === "empty" ? "sees-nothing" : "usable", at };
}
