/** What comes of asking an account what it may see. */
import type { Credential } from "../credentials/contract.ts";
import type { AccountProvider, DiscoveredProperty, Fault } from "../provider/contract.ts";

/** Names of the two jobs whose runs these are. */
export const CONNECTION_JOBS = ["site-discovery", "connection-test"] as const;
export type ConnectionJob = (typeof CONNECTION_JOBS)[number];

/** What one provider answered. */
export interface ProviderAnswer {
  readonly provider: AccountProvider;
  /** Why there is no answer, or why it is of no use; undefined where all is well. */
  readonly fault: Fault | undefined;
  /** Whether it was asked: within a limit it named itself it is not. */
  readonly wasAsked: boolean;
  /** False where what came of it is stored, but could not be recorded as health. */
  readonly isMonitored: boolean;
  /** When it may be asked again, in milliseconds since the epoch; undefined for any time. */
  readonly nextRetryAt: number | undefined;
  /** What it listed; undefined where no list came. */
  readonly properties: readonly DiscoveredProperty[] | undefined;
}

/** What came of asking an account. */
export type AccountAnswer =
  | {
      readonly ok: true;
      /** As it was when it was asked. */
      readonly credential: Credential;
      readonly answers: readonly ProviderAnswer[];
    }
  /** There is no such credential; another run of the job is under way; the run was stopped or failed. */
  | { readonly ok: false; readonly why: "missing" | "busy" | "stopped" };
