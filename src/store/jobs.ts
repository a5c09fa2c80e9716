/**
 * The one door for everything that runs a job: the schedule, the command line, a button. One run of a job at a time: in this process
 * by what runs here, across processes and restarts by the job's lease (`job_lease`). A run of a job that asks others for something
 * is a row as it begins and a row as it ends; the service's own small jobs, and a tick that finds nobody to ask, pass the same door and
 * leave none.
 */

import { logOf } from "../base/log.ts";
import { errorWords, storageFault } from "../base/storage_fault.ts";
import { countWords, messageOf } from "../base/text.ts";
import { HOUR_MS } from "../base/time.ts";
import type { Core } from "./core.ts";
import {
  type AskedBy,
  beginRun,
  endRun,
  findRun,
  type JobEntry,
  listLeases,
  type Progress,
  type RunFault,
  type RunHandle,
  type RunningJob,
  type RunOutcome,
  type RunReport,
} from "./job_runs.ts";
import type { Db, Tx } from "./store.ts";

/** A run under way, with what ends it. */
interface Active extends Pick<RunningJob, "job" | "run" | "startedAt" | "askedBy"> {
  readonly abort: AbortController;
  readonly counts: Map<string, number>;
  isUnmonitored: boolean;
  id: number;
  progress: Progress | undefined;
  ended: Promise<unknown>;
}

/** What a run's work is given. */
function handleOf(active: Active, onFurther: () => void): RunHandle {
  return {
    id: active.id,
    askedBy: active.askedBy,
    signal: active.abort.signal,
    progress: (done, of, what) => {
      if (done !== active.progress?.done) onFurther();
      active.progress = { done, of, what };
    },
    count: (outcome) => void active.counts.set(outcome, (active.counts.get(outcome) ?? 0) + 1),
    unmonitored: () => {
      active.isUnmonitored = true;
    },
  };
}

/** The report of a run that was not begun, since another one holds its job: `held`, where that is known. */
function busy({ job, run, startedAt }: Active, held: string | undefined): RunReport {
  const fault = held === undefined ? "another run holds it" : `run ${held} holds it`;
  return { job, run, startedAt, finishedAt: startedAt, outcome: "busy", reports: {}, fault };
}

/**
 * What a run is not whole by: an attempt of which nothing came, or not all of it, and a question that was not asked, because it is to
 * wait or the run ended first. A script that reads `done` may take it that every figure was asked for.
 */
const FELL_SHORT: readonly string[] = ["failed", "incomplete", "held", "given_up"];
/** What an operator paused is not wanted: a run is as whole without it, and nothing came of it. */
const NOT_WANTED = "paused";

/**
 * What a run came to by its attempts: `done` where none fell short (a source that lags has said so, and is no fault), `failed` where
 * nothing came at all, else `partial`. What is paused counts for neither. A run that ended before its work was done is `partial` at best.
 */
export function runOutcome(
  reports: Readonly<Record<string, number>>,
  fault: RunFault | null,
): Exclude<RunOutcome, "busy"> {
  const counts = Object.entries(reports);
  const sumOf = (isOf: (outcome: string) => boolean) =>
    counts.reduce((sum, [outcome, count]) => sum + (isOf(outcome) ? count : 0), 0);
  const short = sumOf((outcome) => FELL_SHORT.includes(outcome));
  const came = sumOf((outcome) => !FELL_SHORT.includes(outcome) && outcome !== NOT_WANTED);
  if (fault === null && short === 0) return "done";
  return came > 0 && fault !== "error" && fault !== "cut_off" ? "partial" : "failed";
}

/** How a job fared in this process, whoever asked for its runs. Times are milliseconds since the epoch. */
interface RunsHere {
  /** Of the last run: when it began, and whether it broke off. */
  readonly startedAt: number | undefined;
  readonly broke: boolean;
  /** When the last run began that did not fail, and how many did. */
  readonly succeededAt: number | undefined;
  readonly failures: number;
}

const NONE: RunsHere = { startedAt: undefined, broke: false, succeededAt: undefined, failures: 0 };

/** Where it is kept how jobs fare; the room `health` implements it. */
export interface JobHealth {
  /** Records why a job does not do its work, in a sentence; undefined when it does. */
  setFailure(job: string, reason: string | undefined): void;
  /** The jobs with a failure that lasts. */
  failing(): readonly string[];
}

/** What an operator did to a run, as the audit takes it. */
interface JobAct {
  readonly at: number;
  readonly actor: string;
  readonly act: "job.run" | "job.stop";
  readonly target: string;
  readonly detail: { readonly run: string };
}

/** What jobs are run with. */
interface JobsParts extends Core {
  readonly health: JobHealth;
  /** Appends an act to the audit, in the write that it belongs to. */
  readonly audit: (tx: Tx, act: JobAct) => void;
  /** What came of the attempts of a run, by outcome, as they are stored: for a run that can no longer tell it itself. */
  readonly attemptsOf: (db: Db, run: number) => Readonly<Record<string, number>>;
}

/** How long a run may go on without getting any further, in milliseconds, where its job says nothing else. */
const LONGEST_MS = HOUR_MS;

const hangsWords = (longestMs: number): string =>
  `It has been running for more than ${countWords(longestMs / HOUR_MS, "hour")} without getting any further.`;

/** What is said of a run that was told to stop. */
const STOPPED = "it was stopped";

/** Runs jobs, one run of each at a time. */
export class Jobs {
  readonly #parts: JobsParts;
  /** By which this process is told from every other that ever held the data folder. */
  readonly #holder: string;
  readonly #entries = new Map<string, JobEntry>();
  readonly #active = new Map<string, Active>();
  /** How jobs fare, for whoever watches them from beside. */
  readonly health: JobHealth;
  readonly #here = new Map<string, RunsHere>();
  #stopping = false;

  constructor(parts: JobsParts) {
    this.#parts = parts;
    this.#holder = parts.ids.uuid();
    this.health = parts.health;
  }

  /** Makes jobs known by their names; one of a name that is known takes its place. */
  register(entries: readonly JobEntry[]): void {
    for (const entry of entries) this.#entries.set(entry.name, entry);
  }

  /** The jobs that are known. */
  entries(): readonly JobEntry[] {
    return [...this.#entries.values()];
  }

  /** What runs now. */
  running(): RunningJob[] {
    return [...this.#active.values()].map(({ job, id, run, startedAt, askedBy, progress, abort }) => ({
      ...{ job, id, run, startedAt, askedBy, progress },
      isStopping: abort.signal.aborted,
    }));
  }

  runsHere(job: string): RunsHere {
    return this.#here.get(job) ?? NONE;
  }

  /**
   * Runs a job that is known, and waits for its end. A job that fails is told in the report and never throws; `busy` where another
   * run holds it. `signal` stops the run. Throws where no job has the name, and where storage does not take that it began.
   */
  run(name: string, by: AskedBy, signal?: AbortSignal): Promise<RunReport> {
    const entry = this.#entries.get(name);
    if (entry === undefined) return Promise.reject(new RangeError(`there is no job ${name}`));
    return this.runEntry(entry, by, signal);
  }

  /**
   * As `run`, but comes back as soon as the run has begun, or another one turns out to hold the job; it goes on by itself. `run` is the
   * one that is under way, '' where that is not known here.
   */
  async start(
    job: string | JobEntry,
    by: AskedBy,
  ): Promise<{ readonly run: string; readonly isNew: boolean }> {
    const entry = typeof job === "string" ? this.#entries.get(job) : job;
    if (entry === undefined) throw new RangeError(`there is no job ${job}`);
    const { name } = entry;
    const begun = Promise.withResolvers<string>();
    const ended = this.runEntry(entry, by, undefined, begun.resolve);
    const first = await Promise.race([begun.promise, ended]);
    if (typeof first !== "string") {
      return first.outcome === "busy"
        ? { run: this.#active.get(name)?.run ?? "", isNew: false }
        : { run: first.run, isNew: true };
    }
    ended.catch((error) => {
      logOf("jobs").error("how a run ended is not stored", { job: name, reason: storageFault(error) });
    });
    return { run: first, isNew: true };
  }

  /** As `run`, for a job at hand; `begun` is told once the run is under way. */
  async runEntry(
    entry: JobEntry,
    askedBy: AskedBy,
    signal?: AbortSignal,
    begun: (run: string) => void = () => undefined,
  ): Promise<RunReport> {
    const { clock, ids } = this.#parts;
    const { name: job } = entry;
    const startedAt = clock.now();
    const active: Active = {
      job,
      run: ids.uuid(),
      startedAt,
      askedBy,
      abort: new AbortController(),
      counts: new Map(),
      isUnmonitored: false,
      id: 0,
      progress: undefined,
      ended: Promise.resolve(),
    };
    if (this.#stopping) throw new Error("the service is stopping");
    const holding = this.#active.get(job);
    if (holding !== undefined) return busy(active, holding.run);
    if (signal?.aborted === true) return this.#reportOf(active, "failed", STOPPED);
    this.#active.set(job, active);
    const { promise, resolve } = Promise.withResolvers<void>();
    active.ended = promise;
    const stop = () => active.abort.abort();
    signal?.addEventListener("abort", stop);
    try {
      return await this.#work(entry, active, leavesRows(entry, askedBy), begun);
    } finally {
      signal?.removeEventListener("abort", stop);
      this.#active.delete(job);
      resolve();
    }
  }

  /** Stops a run under way, as an operator asks: it begins nothing more and ends. Says whether it was under way. */
  async cancel(run: string, by: { readonly actor: string; readonly now: number }): Promise<boolean> {
    const active = [...this.#active.values()].find((one) => one.run === run);
    if (active === undefined) return false;
    await this.#parts.writer.write((tx) => this.#audit(tx, "job.stop", active, by.actor, by.now));
    active.abort.abort();
    return true;
  }

  /**
   * Ends the runs of processes that live no longer. For whoever has just taken the data folder: its lock says that nobody else is
   * there.
   */
  async recover(): Promise<void> {
    const { store, writer, clock, attemptsOf } = this.#parts;
    const left = listLeases(store.db).filter(({ holder }) => holder !== this.#holder);
    if (left.length === 0) return;
    const now = clock.now();
    await writer.writeOrDefer((tx) => {
      for (const { job, run } of left) {
        // A clock that was set back must not end a run before it began.
        const finishedAt = Math.max(now, findRun(tx, run)?.startedAt ?? now);
        const reports = attemptsOf(tx, run);
        const outcome = runOutcome(reports, "cut_off");
        endRun(tx, job, run, { finishedAt, outcome, reports, fault: "cut_off" });
      }
    });
    for (const { job, run } of left)
      logOf("jobs").warn("a run was cut off by the end of its process", { job, run });
  }

  /**
   * Stops everything that runs, and takes up nothing more. Resolves once all of it has ended, or after `withinMs`: what hangs is left
   * behind, and the next start ends its run.
   */
  async stop(withinMs: number): Promise<void> {
    this.#stopping = true;
    const active = [...this.#active.values()];
    for (const { abort } of active) abort.abort();
    const late = Promise.withResolvers<"late">();
    const timer = setTimeout(() => late.resolve("late"), withinMs);
    const all = Promise.all(active.map(({ ended }) => ended));
    const outcome = await Promise.race([all, late.promise]);
    clearTimeout(timer);
    if (outcome !== "late") return;
    const hung = [...this.#active.values()].map(({ job }) => job);
    logOf("jobs").error("jobs did not end when they were told to", {
      jobs: hung.join(", "),
      within_ms: withinMs,
    });
  }

  /** Runs it; `isRecorded` says whether its beginning and its end are rows. */
  async #work(
    entry: JobEntry,
    active: Active,
    isRecorded: boolean,
    begun: (run: string) => void,
  ): Promise<RunReport> {
    const { writer } = this.#parts;
    if (isRecorded) {
      const id = await writer.write((tx) => this.#begin(tx, active));
      if (id === undefined) return busy(active, undefined);
      active.id = id;
    }
    const { startedAt } = active;
    const before = this.runsHere(entry.name);
    this.#here.set(entry.name, { ...before, startedAt, broke: false });
    begun(active.run);
    const { signal } = active.abort;
    const { longestMs = LONGEST_MS } = entry;
    // Repeated, since storage may refuse to note it. No clock that is set, and no machine that sleeps, makes a run hang.
    const hanging = setInterval(() => this.health.setFailure(entry.name, hangsWords(longestMs)), longestMs);
    let [fault, words]: [RunFault | null, string | undefined] = [null, undefined];
    try {
      await entry.work(handleOf(active, () => hanging.refresh()));
    } catch (error) {
      // What a run throws that was told to stop is no fault of its own.
      if (!isRecorded || !signal.aborted) {
        fault = "error";
        words = isRecorded ? errorWords(error) : messageOf(error);
        logOf("jobs").error("a job failed", { job: entry.name, run: active.run, error: words });
      }
    } finally {
      clearInterval(hanging);
    }
    if (isRecorded && fault === null && signal.aborted) [fault, words] = ["stopped", STOPPED];
    const outcome = runOutcome(Object.fromEntries(active.counts), fault);
    const report = this.#reportOf(active, isRecorded || fault !== null ? outcome : "done", words);
    const { finishedAt, monitoring, reports } = report;
    if (isRecorded) {
      const end = { finishedAt, outcome, reports, fault, monitoring };
      // Owed where storage refuses it now: it then goes ahead of the next run's beginning.
      await writer.writeOrDefer((tx) => endRun(tx, entry.name, active.id, end));
    }
    const { failures } = before;
    const came = report.outcome === "failed" ? { failures: failures + 1 } : { succeededAt: startedAt };
    this.#here.set(entry.name, { ...before, startedAt, broke: fault === "error", ...came });
    this.health.setFailure(entry.name, fault === "error" ? `It broke off: ${words}.` : undefined);
    return report;
  }

  #begin(tx: Tx, active: Active): number | undefined {
    const id = beginRun(tx, active, this.#holder);
    if (id !== undefined && isOperator(active.askedBy))
      this.#audit(tx, "job.run", active, active.askedBy, active.startedAt);
    return id;
  }

  #audit(tx: Tx, act: JobAct["act"], { job, run }: Active, actor: string, at: number): void {
    this.#parts.audit(tx, { at, actor, act, target: job, detail: { run } });
  }

  #reportOf(active: Active, outcome: RunOutcome, fault: string | undefined): RunReport {
    const { job, run, startedAt, counts, isUnmonitored } = active;
    const finishedAt = Math.max(this.#parts.clock.now(), startedAt);
    return {
      job,
      run,
      startedAt,
      finishedAt,
      outcome,
      reports: Object.fromEntries(counts),
      fault,
      ...(isUnmonitored ? { monitoring: "unavailable" } : {}),
    };
  }
}

/** What an operator asked for by a button is found again among the runs, whatever came of it. */
function leavesRows({ recorded, asks }: JobEntry, askedBy: AskedBy): boolean {
  return recorded && (isOperator(askedBy) || asks?.() !== false);
}

const isOperator = (askedBy: AskedBy) => askedBy.startsWith("operator:");
