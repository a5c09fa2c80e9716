import { rowDigester } from "../db/mod.ts";

/** An attempt as it is stored: its outcome and category by their places in `PULL_OUTCOMES` and `FAILURE_CATEGORIES`. */
export interface AttemptRow {
  readonly id: number;
  readonly run: number;
  readonly target: number;
  readonly started_at: number;
  readonly took_ms: number;
  readonly outcome: number;
  readonly category: number | null;
  readonly next_retry_at: number | null;
  readonly requests: number;
  readonly changed: number;
}

/** The columns of an attempt beside its id. */
export const ATTEMPT_COLUMNS = [
  "run",
  "target",
  "started_at",
  "took_ms",
  "outcome",
  "category",
  "next_retry_at",
  "requests",
  "changed",
] as const satisfies readonly (keyof AttemptRow)[];

/** The digest of an attempt's row. */
export const attemptDigest = rowDigester(ATTEMPT_COLUMNS);
