/** An attempt, its target and its outcome, as they are stored: outcome and category by their places in `PULL_OUTCOMES` and `FAILURE_CATEGORIES`. */

import type { Provider } from "../providers/adapter.ts";
import { FAILURE_CATEGORIES, type FailureCategory } from "../providers/faults.ts";
import type { pullAttempt, pullTarget } from "./tables.ts";

export const PULL_OUTCOMES = ["changed", "unchanged", "empty", "source_lag", "incomplete", "failed"] as const;
export type PullOutcome = (typeof PULL_OUTCOMES)[number];

/** What was asked of whom, and in which calendar. */
export type AskedTarget = Readonly<Omit<typeof pullTarget.$inferSelect, "id">>;

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

export type AttemptRow = Readonly<typeof pullAttempt.$inferSelect>;

/** What an attempt without a whole answer came to. */
export const failedOutcome = (category: FailureCategory): "incomplete" | "failed" =>
  category === "incomplete_report" ? "incomplete" : "failed";

/** An outcome by its place; one that is not known here is no success. */
export const outcomeAt = (place: number): PullOutcome => PULL_OUTCOMES[place] ?? "failed";

/** A category by its place; null of an attempt that did not fail, and where it is not known here. */
export const categoryAt = (place: number | null): FailureCategory | null =>
  FAILURE_CATEGORIES[place ?? -1] ?? null;

/** When an attempt began and how it ended. */
export type AttemptEnd = Pick<Attempt, "startedAt" | "outcome" | "category" | "nextRetryAt">;

/** When the attempt of a row began and how it ended. */
export function endOfAttempt(
  row: Pick<AttemptRow, "started_at" | "outcome" | "category" | "next_retry_at">,
): AttemptEnd {
  return {
    startedAt: row.started_at,
    outcome: outcomeAt(row.outcome),
    category: categoryAt(row.category),
    nextRetryAt: row.next_retry_at,
  };
}
