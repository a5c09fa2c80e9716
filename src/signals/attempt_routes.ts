/** The read API of attempts: the run records. */

import { Elysia } from "elysia";
import { listEndpoint, type ReadDeps } from "../access/access.ts";
import { assetId, count, instant, object, orNull, ref, text } from "../base/api_description.ts";
import { anyText, DAYS, instantsOf, ListQuery, ofSite, oneOf, pageAnswer } from "../base/query.ts";
import { formatInstant } from "../base/time.ts";
import { ACCOUNT_PROVIDERS } from "../providers/adapter.ts";
import { FAILURE_CATEGORIES } from "../providers/faults.ts";
import { findRun } from "../store/job_runs.ts";
import { type NamedAttempt, namedAttempts } from "./attempt_list.ts";
import { PULL_OUTCOMES } from "./attempts.ts";

const RUN_RECORD = object({
  id: { ...count, description: "Later attempts have greater ones." },
  run: { ...text, description: "The run of the job, as `job run` prints it." },
  job: text,
  provider: { type: "string", enum: ACCOUNT_PROVIDERS },
  asset: {
    ...orNull(assetId),
    description: "Null for a question about everything that a connection gives access to.",
  },
  connection_revision: { ...text, description: "Opaque: another one with every new secret of a credential." },
  started_at: instant,
  finished_at: instant,
  outcome: { type: "string", enum: PULL_OUTCOMES },
  category: {
    ...orNull({ type: "string", enum: FAILURE_CATEGORIES }),
    description: "Null where it did not fail.",
  },
  next_retry_at: {
    ...orNull(instant),
    description: "Before this moment it is not asked again; null where nothing holds it.",
  },
  requests: { ...count, description: "Requests sent, those for a token and repeated ones too." },
  changed: { ...count, description: "Values that became other ones: a day's figure counts as one." },
});

const EXAMPLE = {
  id: 184_201,
  run: "019aa5f2-64c8-7e51-9d3e-0c8b5b7f6a10",
  job: "sense",
  provider: "analytics",
  asset: "shop.example",
  connection_revision: "5b0f2d1c-7b1e-4a83-9c55-d2a4c4f0e6b7",
  started_at: "2026-11-21T02:15:00.118Z",
  finished_at: "2026-11-21T02:15:00.391Z",
  outcome: "changed",
  category: null,
  next_retry_at: null,
  requests: 1,
  changed: 4,
};

export const LIST_RUNS = listEndpoint({
  id: "listRuns",
  path: "/api/runs",
  summary: "List run records",
  description:
    "One row for every attempt to pull something, the newest first, kept for good. A page may hold fewer rows than `limit`, or none, and still have a `next`: looking for few among very many goes only so far in one answer.",
  filters: {
    asset: ofSite("One site."),
    provider: oneOf(ACCOUNT_PROVIDERS, "One provider."),
    job: anyText("One job, such as `sense`."),
    run: anyText("One run of a job."),
    outcome: oneOf(PULL_OUTCOMES, "One outcome."),
    category: oneOf(FAILURE_CATEGORIES, "One category of failure."),
    ...DAYS,
  },
  row: ref("RunRecord"),
  example: EXAMPLE,
  shapes: { RunRecord: RUN_RECORD },
});

/** `GET /api/runs`: one row an attempt, newest first. */
export function runReads({ db, authorizeRead }: ReadDeps) {
  return new Elysia({ name: "run-reads" }).get(LIST_RUNS.path, async ({ request }) => {
    authorizeRead(request);
    const query = new ListQuery(request, LIST_RUNS.filters);
    const [before] = query.cursor(["number"] as const) ?? [];
    const { limit } = query;
    const { run, ...narrowed } = query.values();
    const wanted = {
      ...narrowed,
      // No run has the row 0.
      run: run === undefined ? undefined : (findRun(db, run)?.id ?? 0),
      ...instantsOf(query),
    };
    const { rows: attempts, next } = await namedAttempts(db, wanted, { limit: limit + 1, before });
    return pageAnswer(attempts, {
      limit,
      toText: (attempt) => JSON.stringify(recordOf(attempt)),
      cursorOf: ({ id }) => [id],
      goesOn: next === undefined || attempts.length > limit ? undefined : [next],
    });
  });
}

function recordOf(attempt: NamedAttempt) {
  const { target } = attempt;
  return {
    id: attempt.id,
    run: attempt.run,
    job: attempt.job,
    provider: target?.provider ?? null,
    asset: target === undefined || target.asset === "" ? null : target.asset,
    connection_revision: target?.connectionRevision ?? null,
    started_at: formatInstant(attempt.startedAt),
    finished_at: formatInstant(attempt.startedAt + attempt.tookMs),
    outcome: attempt.outcome,
    category: attempt.category,
    next_retry_at: attempt.nextRetryAt === null ? null : formatInstant(attempt.nextRetryAt),
    requests: attempt.requests,
    changed: attempt.changed,
  };
}
