/** What the pages of runs read: jobs with their last runs, and attempts by their names. */

import type { AccountProvider } from "../../providers/adapter.ts";
import { listAttachments } from "../../providers/attachments.ts";
import { type Credential, listCredentials } from "../../providers/credentials.ts";
import type { FailureCategory } from "../../providers/faults.ts";
import type { PullOutcome } from "../../signals/attempt.ts";
import { namedAttempts, type WantedAttempts } from "../../signals/attempt_list.ts";
import { type HeldTarget, listHeld } from "../../signals/pull_standing.ts";
import { findRun, type JobEntry, listRuns, type RunningJob, type StoredRun } from "../../store/job_runs.ts";
import type { Jobs } from "../../store/jobs.ts";
import type { Db } from "../../store/store.ts";
import { patternOf, restsUntil } from "../../store/timetable.ts";

/** What reading runs needs. */
export interface RunsDeps {
  readonly db: Db;
  readonly jobs: Pick<Jobs, "entries" | "running" | "start" | "cancel">;
}

/** A job whose runs are kept. Times are milliseconds since the epoch. */
export interface JobView {
  readonly job: string;
  readonly at: string;
  readonly running: RunningJob | undefined;
  /** When it comes next by itself. */
  readonly next: number;
  /** Whether it is put off because its last runs broke. */
  readonly rests: boolean;
  /** Whether it would find nobody to ask: its ticks then leave no runs. */
  readonly asksNobody: boolean;
  /** Its last runs, newest first. */
  readonly runs: readonly StoredRun[];
}

/** The jobs that are scheduled and whose runs are kept. */
export function jobViews({ db, jobs }: RunsDeps, now: number, runs: number): JobView[] {
  return recordedJobs(jobs).map((entry) => jobView({ db, jobs }, entry, { now, runs }));
}

/** One of them by its name; undefined where there is none. */
export function findJob(jobs: RunsDeps["jobs"], name: string): JobEntry | undefined {
  return recordedJobs(jobs).find((entry) => entry.name === name);
}

const recordedJobs = (jobs: RunsDeps["jobs"]) => jobs.entries().filter(({ recorded }) => recorded);

/** A job whose runs are kept, with so many of its last runs. */
export function jobView(
  { db, jobs }: { readonly db: Db; readonly jobs: Pick<Jobs, "running"> },
  { name, at, asks }: JobEntry,
  { now, runs: limit }: { readonly now: number; readonly runs: number },
): JobView {
  const runs = listRuns(db, name, limit);
  const tick = patternOf(at).next(now);
  const rest = restsUntil(
    runs.map(({ startedAt, end }) => ({ startedAt, fault: end?.fault })),
    now,
  );
  return {
    job: name,
    at,
    running: jobs.running().find(({ job }) => job === name),
    next: Math.max(tick, rest ?? 0),
    rests: rest !== undefined,
    asksNobody: isKnownIdle(asks),
    runs,
  };
}

/** Where it cannot be read whom a job would ask, it is not known that it asks nobody. */
function isKnownIdle(asks: JobEntry["asks"]): boolean {
  try {
    return asks?.() === false;
  } catch {
    return false;
  }
}

/** What is not asked now, with the account that it would be asked over. */
export interface HeldView extends HeldTarget {
  readonly account: Pick<Credential, "id" | "label">;
}

/** Targets that are not asked now and would be: most of them, and whether there are more. */
export function heldView(
  db: Db,
  now: number,
  most: number,
): { readonly held: readonly HeldView[]; readonly more: boolean } {
  const found = listHeld(db, now, most + 1);
  const held = found.length === 0 ? [] : found.flatMap(wantedOf(db));
  return { held: held.slice(0, most), more: found.length > most };
}

/** Those that would be asked: over a connection that was replaced, and of a property that was detached, nothing is. */
function wantedOf(db: Db): (held: HeldTarget) => HeldView[] {
  const accounts = new Map(listCredentials(db).map((account) => [account.connectionRevision, account]));
  const attached = new Set(
    listAttachments(db).map(({ asset, provider, property }) => keyOf(asset, provider, property)),
  );
  return (held) => {
    const { asset, provider, property, connectionRevision } = held.target;
    const account = accounts.get(connectionRevision);
    // Webmaster tools are asked for every site that is verified under the key.
    const isAsked =
      asset === "" || provider === "webmaster-tools" || attached.has(keyOf(asset, provider, property));
    return account !== undefined && isAsked ? [{ ...held, account }] : [];
  };
}

const keyOf = (...parts: readonly string[]) => JSON.stringify(parts);

/** A run with where it stands; undefined where there is none of this id. */
export function findRunView({ db, jobs }: RunsDeps, run: string) {
  const stored = findRun(db, run);
  return stored && { run: stored, running: jobs.running().find((one) => one.run === run) };
}

/** What attempts are narrowed to on a page. */
export interface AttemptQuery {
  readonly asset: string | null;
  readonly provider: AccountProvider | null;
  readonly outcome: PullOutcome | null;
  readonly category: FailureCategory | null;
  readonly before: number | null;
}

/** Attempts of a page, and where the ones before them begin. */
export function attemptsView(
  db: Db,
  query: AttemptQuery,
  of: Pick<WantedAttempts, "run" | "job" | "from" | "to">,
  limit: number,
) {
  const { asset, provider, outcome, category, before } = query;
  const wanted = {
    asset: asset ?? undefined,
    provider: provider ?? undefined,
    outcome: outcome ?? undefined,
    category: category ?? undefined,
    ...of,
  };
  return namedAttempts(db, wanted, { limit, before: before ?? undefined });
}
