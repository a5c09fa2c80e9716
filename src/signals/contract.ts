import type { AccountProvider, FailureCategory, Provider } from "../provider/contract.ts";

/** What an attempt to pull came to (decisions, Reading over the API), by place as it is stored. */
export const PULL_OUTCOMES = ["changed", "unchanged", "empty", "source_lag", "incomplete", "failed"] as const;
export type PullOutcome = (typeof PULL_OUTCOMES)[number];

/** What was asked of whom: a row of `pull_target`. */
export interface AskedTarget {
  /** '' for a question about a whole account. */
  readonly asset: string;
  readonly provider: AccountProvider;
  readonly connectionRevision: string;
  readonly property: string;
  /** '' while the provider's calendar is not known. */
  readonly timeZone: string;
}

/** A target whose daily figures are pulled. */
export type PullTarget = AskedTarget & { readonly provider: Provider };

/** One attempt as it is recorded. Times are milliseconds since the epoch. */
export interface Attempt {
  readonly target: AskedTarget;
  readonly startedAt: number;
  readonly tookMs: number;
  readonly outcome: PullOutcome;
  readonly category: FailureCategory | null;
  readonly nextRetryAt: number | null;
  /** Requests sent, those for a token and repeated ones too. */
  readonly requests: number;
  /** Values that are other than before. */
  readonly changed: number;
}
