import type { Db } from "../db/mod.ts";
import { checkScope, findEvidence } from "../health/mod.ts";
import type { AccountProvider, FailureCategory } from "../provider/contract.ts";
import { CONNECTION_JOBS, type ConnectionJob } from "./contract.ts";

/** What a provider said when it was last asked whether an account works, or what it may see. Times are milliseconds since the epoch. */
export interface LastCheck {
  readonly provider: AccountProvider;
  readonly job: ConnectionJob;
  readonly at: number;
  /** Why nothing came of it, with the reviewed code where one says more than the category; undefined where something did. */
  readonly failure: { readonly category: FailureCategory; readonly code: string | null } | undefined;
  /** Before this moment it is not asked again; null where nothing holds it. */
  readonly nextRetryAt: number | null;
}

/** The last check of each provider over a connection, of those that were checked. It is stored, and outlives a restart. */
export function lastChecks(
  db: Db,
  of: {
    readonly workspace: string;
    readonly connectionRevision: string;
    readonly providers: readonly AccountProvider[];
  },
): LastCheck[] {
  const { workspace, connectionRevision, providers } = of;
  return providers.flatMap((provider) =>
    CONNECTION_JOBS.flatMap((job): LastCheck[] => {
      const latest = findEvidence(db, checkScope({ workspace, job, provider, connectionRevision }))?.latest;
      if (latest === undefined) return [];
      const { startedAt: at, category, code, nextRetryAt } = latest;
      return [
        { provider, job, at, failure: category === null ? undefined : { category, code }, nextRetryAt },
      ];
    })
      .sort((a, b) => b.at - a.at)
      .slice(0, 1),
  );
}
