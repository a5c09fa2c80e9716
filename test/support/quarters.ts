/** Attempts of quarters of an hour: what the pulls of a few sites leave behind, without asking anybody. */

import { count } from "drizzle-orm";
import { type Attempt, type PullTarget, recordAttempt } from "../../src/signals/attempts.ts";
import { type AskedBy, beginRun, endRun, jobRun } from "../../src/store/job_runs.ts";
import { runOutcome } from "../../src/store/jobs.ts";
import type { Writer } from "../../src/store/writer.ts";
import type { FakeClock } from "./clock.ts";

export const HARBOR_ANALYTICS: PullTarget = {
  asset: "harbor",
  provider: "analytics",
  connectionRevision: "first",
  property: "300000001",
  timeZone: "Europe/Berlin",
};

/** An attempt that found nothing new, begun at this moment. */
export function attemptOf(
  startedAt: number,
  changes: Partial<Attempt> = {},
  target: Partial<PullTarget> = {},
): Attempt {
  return {
    target: { ...HARBOR_ANALYTICS, ...target },
    startedAt,
    tookMs: 120,
    outcome: "unchanged",
    category: null,
    nextRetryAt: null,
    requests: 1,
    changed: 0,
    ...changes,
  };
}

/** What a test's database and clock are held by. */
export interface Quarterly {
  readonly writer: Pick<Writer, "write">;
  readonly clock: Pick<FakeClock, "now">;
}

/** Records attempts of one whole run of a job, which begins now. Returns the run's id to the outside. */
export async function recordRun(
  { writer, clock }: Quarterly,
  attempts: readonly Attempt[],
  job = "sense",
  askedBy: AskedBy = "schedule",
): Promise<string> {
  const startedAt = clock.now();
  return writer.write((tx) => {
    const before = tx.select({ runs: count() }).from(jobRun).get()?.runs ?? 0;
    const run = `00000000-0000-7000-8000-${String(before + 1).padStart(12, "0")}`;
    const row = beginRun(tx, { run, job, startedAt, askedBy }, "test") ?? 0;
    const reports: Record<string, number> = {};
    for (const attempt of attempts) {
      recordAttempt(tx, row, attempt);
      reports[attempt.outcome] = (reports[attempt.outcome] ?? 0) + 1;
    }
    const finishedAt = Math.max(startedAt, ...attempts.map(({ startedAt: at, tookMs }) => at + tookMs));
    endRun(tx, job, row, { finishedAt, outcome: runOutcome(reports, null), reports, fault: null });
    return run;
  });
}
