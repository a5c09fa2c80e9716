/**
 * The one way to write: group commit. Jobs that arrive in one turn of the event loop share one transaction, each in its own
 * savepoint, so that one bad write never takes a neighbour with it; a promise settles only after COMMIT, so that "answered"
 * means "durable".
 *
 * A savepoint costs: SQLite keeps a copy of every page that changes within it, a third of the time of a nightly report. So jobs that say they
 * may run twice are tried without any; only where one fails is the transaction taken back and begun again, and each runs in its own.
 *
 * A full disk, an I/O error, lack of memory or a busy lock may end the whole transaction, savepoints included. So after any
 * error `inTransaction` is read; when it is false the batch stops and every job of it is refused: later writes must never
 * run on in autocommit.
 *
 * A write that nobody waits for has low priority: it never shares a commit with what an answer waits for, goes when nothing else waits, a few
 * milliseconds at a time, and where others always wait, in every second commit once it has waited long.
 *
 * A lock that another process holds is waited for off the event loop: SQLite's own waiting sleeps on it, and a reader of pages
 * would wait, too. So each try returns at once, and the next one comes from a timer; the jobs keep their places meanwhile.
 */

import { isBusy, isDamage, isStorageFailure, StorageUnavailable } from "../base/storage_fault.ts";
import { type Db, prepared, type Store, statement, type Tx } from "./store.ts";

export type Synchronous<T> = T extends PromiseLike<unknown> ? never : T;

interface Job {
  /** When it came, in milliseconds of the process's own clock, which no change of the time of day moves. */
  readonly cameAt: number;
  /** It does nothing but write, so that it may run again after what it wrote was rolled back. */
  readonly isRepeatable: boolean;
  run(tx: Tx): unknown;
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

/** Jobs that may wait for a commit; beyond it a write is refused at once. */
const MAX_QUEUED = 4_096;
/** Most jobs in one commit, and how long it may go on taking up more, in milliseconds, so that none stalls the event loop. */
const MAX_BATCH = 256;
const MAX_BATCH_MS = 8;
/** Of many that may be written apart, how many share a job: a few milliseconds. */
const AT_ONCE = 25;
/** The same of writes of low priority: an answer that comes meanwhile waits for it. */
const LOW_PRIORITY_BATCH_MS = 2;
/** How long writes of low priority let every other go first, in milliseconds. */
const LOW_PRIORITY_MS = 50;

/** How long a write waits for a lock that another process holds, in milliseconds. */
const PATIENCE_MS = 5_000;
/** Between two tries for the lock, in milliseconds. */
const RETRY_MS = 10;

/** Writes of one kind, in the order in which they came. */
interface Lane {
  readonly jobs: Job[];
  /** How long one commit may go on taking them up, in milliseconds. */
  readonly batchMs: number;
}

/** What a writer is given beside its store. */
interface WriterOptions {
  /** How long a write waits for a foreign lock, in milliseconds. */
  readonly patienceMs?: number;
  /** How long a write of low priority waits, in milliseconds, before such writes go in every second commit. */
  readonly lowPriorityMs?: number;
}

/** What is said of a write. */
interface WriteOptions {
  /** It does nothing but write, so that it may run again after what it wrote was rolled back. */
  readonly isRepeatable?: boolean;
  /** No answer waits for it. */
  readonly lowPriority?: boolean;
}

/** Owns the writing connection. */
export class Writer {
  readonly #store: Store;
  readonly #patienceMs: number;
  readonly #lowPriorityMs: number;
  /** Compiled once: compiling them for every job would cost more than running them. */
  readonly #statements;
  readonly #answering: Lane = { jobs: [], batchMs: MAX_BATCH_MS };
  readonly #lowPriority: Lane = { jobs: [], batchMs: LOW_PRIORITY_BATCH_MS };
  /** Whose commit was the last. */
  #last: Lane = this.#answering;
  /** Writes that are still deferred: they go ahead of every commit until they are stored. */
  #deferred: Job[] = [];
  /** Writes that nobody waits for. */
  readonly #background = new Set<Promise<void>>();
  #scheduled = false;
  #closed = false;
  #written = 0;
  #blockedSince: number | undefined;
  #onRefused: (cause: unknown) => void = () => undefined;

  constructor(
    store: Store,
    { patienceMs = PATIENCE_MS, lowPriorityMs = LOW_PRIORITY_MS }: WriterOptions = {},
  ) {
    this.#store = store;
    this.#patienceMs = patienceMs;
    this.#lowPriorityMs = lowPriorityMs;
    const { raw } = store;
    raw.run("PRAGMA busy_timeout = 0");
    this.#statements = {
      begin: raw.prepare("BEGIN IMMEDIATE"),
      savepoint: raw.prepare("SAVEPOINT job"),
      release: raw.prepare("RELEASE job"),
      rollbackTo: raw.prepare("ROLLBACK TO job"),
      commit: raw.prepare("COMMIT"),
    };
  }

  /**
   * Runs `job` inside the next shared transaction. The callback is synchronous: a promise is refused by the type and at run
   * time, because SQLite would commit before it settles. Rejects with the job's own error, or `StorageUnavailable`.
   */
  write<T>(job: (tx: Tx) => Synchronous<T>, options: WriteOptions = {}): Promise<T> {
    const { isRepeatable = false, lowPriority = false } = options;
    const { jobs } = lowPriority ? this.#lowPriority : this.#answering;
    if (this.#closed) return Promise.reject(new StorageUnavailable("the service is stopping"));
    if (jobs.length >= MAX_QUEUED) {
      return Promise.reject(new StorageUnavailable("too many writes are waiting"));
    }
    return new Promise<T>((resolve, reject) => {
      const cameAt = performance.now();
      jobs.push({
        cameAt,
        isRepeatable,
        run: job,
        resolve: resolve as (value: unknown) => void,
        reject,
      });
      if (!this.#scheduled) {
        this.#scheduled = true;
        setImmediate(() => this.#flush());
      }
    });
  }

  /** Runs writes that need not be one, some at a time: whoever waits for an answer meanwhile waits for a few of them alone. */
  async writeEach(jobs: readonly ((tx: Tx) => void)[]): Promise<void> {
    for (let done = 0; done < jobs.length; done += AT_ONCE) {
      await this.write((tx) => {
        for (const job of jobs.slice(done, done + AT_ONCE)) job(tx);
      });
    }
  }

  /**
   * Writes, or, while storage refuses, keeps the job as deferred: it then runs ahead of the next commit, so that nothing is stored
   * before it. Says whether it is stored. For what a start has to note before anything else.
   */
  async writeOrDefer(job: (tx: Tx) => Synchronous<unknown>): Promise<boolean> {
    try {
      await this.write(job);
      return true;
    } catch (error) {
      if (!isStorageFailure(error)) throw error;
      const deferred: Job = {
        cameAt: 0,
        isRepeatable: false,
        run: job,
        resolve: () => undefined,
        reject: (cause) =>
          void (isStorageFailure(cause) ? this.#deferred.push(deferred) : this.#onRefused(cause)),
      };
      this.#deferred.push(deferred);
      return false;
    }
  }

  /** Takes a write that no answer waits for, and that may be lost where storage refuses it: `refused` is told why. */
  background(write: Promise<unknown>, refused: (cause: unknown) => void): void {
    const writing: Promise<void> = write
      .then(() => undefined, refused)
      .finally(() => this.#background.delete(writing));
    this.#background.add(writing);
  }

  /** Resolves once every write that no answer waited for is stored or refused. */
  async settled(): Promise<void> {
    await Promise.all(this.#background);
  }

  /** Sets who is told, with the cause, when storage refused a commit. */
  onRefused(told: (cause: unknown) => void): void {
    this.#onRefused = told;
  }

  /** How long the oldest write has been waiting for a foreign lock, in milliseconds; 0 while none waits. */
  get blockedMs(): number {
    return this.#blockedSince === undefined ? 0 : performance.now() - this.#blockedSince;
  }

  /** Whether nothing is written any more. */
  get closed(): boolean {
    return this.#closed;
  }

  /** Writes that were committed since the start. */
  get written(): number {
    return this.#written;
  }

  /** Writes waiting for a commit. */
  get queued(): number {
    return this.#answering.jobs.length + this.#lowPriority.jobs.length;
  }

  /** Commits what waits and refuses everything after; what a foreign lock keeps waiting is refused, too. */
  close(): void {
    this.#closed = true;
    while (this.queued > 0 && this.#begin()) this.#commit(this.#next());
    this.#refuseAll(new StorageUnavailable("the service is stopping"));
  }

  #flush(): void {
    this.#scheduled = false;
    if (this.queued === 0) return;
    const begun = this.#begin();
    if (begun) this.#commit(this.#next());
    if (this.queued === 0) return;
    this.#scheduled = true;
    if (begun) setImmediate(() => this.#flush());
    else setTimeout(() => this.#flush(), RETRY_MS);
  }

  /** Whose turn it is. */
  #next(): Lane {
    const [first] = this.#lowPriority.jobs;
    if (first === undefined) return this.#answering;
    if (this.#answering.jobs.length === 0) return this.#lowPriority;
    const isLate = performance.now() - first.cameAt > this.#lowPriorityMs;
    return isLate && this.#last !== this.#lowPriority ? this.#lowPriority : this.#answering;
  }

  /** Takes the write lock. Where it cannot, jobs that have waited too long are refused; the others keep their places. */
  #begin(): boolean {
    try {
      this.#statements.begin.run();
      this.#blockedSince = undefined;
      return true;
    } catch (cause) {
      if (!isBusy(cause)) {
        this.#refuseAll(cause);
        return false;
      }
      const now = performance.now();
      this.#blockedSince ??= now;
      for (const { jobs } of [this.#answering, this.#lowPriority]) {
        const waiting = jobs.findIndex(({ cameAt }) => now - cameAt < this.#patienceMs);
        this.#refuse(jobs.splice(0, waiting < 0 ? jobs.length : waiting), cause);
      }
      if (this.queued === 0) this.#blockedSince = undefined;
      return false;
    }
  }

  #refuseAll(cause: unknown): void {
    this.#refuse([...this.#answering.jobs.splice(0), ...this.#lowPriority.jobs.splice(0)], cause);
  }

  #refuse(batch: readonly Job[], cause: unknown): void {
    if (batch.length === 0) return;
    const error = unavailable(cause);
    for (const job of batch) job.reject(error);
    this.#onRefused(cause);
  }

  /** Commits what it gets done of a lane in time; the rest goes back to its head. */
  #commit(lane: Lane): void {
    const taken = [...this.#deferred.splice(0), ...lane.jobs.splice(0, MAX_BATCH)];
    this.#last = lane;
    const ran = taken.every(({ isRepeatable }) => isRepeatable)
      ? this.#runAsOne(taken, lane.batchMs)
      : this.#runEach(taken, lane.batchMs);
    if (ran === undefined) return;
    const batch = taken.slice(0, ran.length);
    lane.jobs.unshift(...taken.slice(ran.length));
    try {
      this.#statements.commit.run();
    } catch (cause) {
      rollback(this.#store);
      this.#refuse(batch, cause);
      return;
    }
    this.#written += batch.length;
    for (const [place, outcome] of ran.entries()) {
      const job = batch[place];
      if (outcome.ok) job?.resolve(outcome.value);
      else {
        job?.reject(outcome.error);
        if (outcome.error instanceof StorageUnavailable) this.#onRefused(outcome.error.cause);
      }
    }
  }

  /** Runs jobs that may run twice as they are; where one fails, all is taken back and each runs again in a savepoint of its own. */
  #runAsOne(taken: readonly Job[], batchMs: number): Ran[] | undefined {
    const ran: Ran[] = [];
    const startedAt = performance.now();
    try {
      for (const job of taken) {
        if (ran.length > 0 && performance.now() - startedAt > batchMs) break;
        ran.push({ ok: true, value: this.#run(job) });
        // A job may have swallowed an error that ended the transaction: the next one would run on in autocommit.
        if (!this.#store.raw.inTransaction) throw new Error("the transaction has ended");
      }
      return ran;
    } catch (error) {
      return this.#isBegunAgain(taken, error) ? this.#runEach(taken, batchMs) : undefined;
    }
  }

  /** Takes back the whole transaction and begins another. Where that cannot be done, the batch is refused. */
  #isBegunAgain(taken: readonly Job[], error: unknown): boolean {
    if (!this.#store.raw.inTransaction) {
      this.#refuse(taken, error);
      return false;
    }
    try {
      rollback(this.#store);
      this.#statements.begin.run();
      return true;
    } catch (cause) {
      this.#refuse(taken, cause);
      return false;
    }
  }

  /** Runs each job in its own savepoint; undefined when the whole batch is refused. */
  #runEach(taken: readonly Job[], batchMs: number): Ran[] | undefined {
    const { savepoint, release } = this.#statements;
    const ran: Ran[] = [];
    const startedAt = performance.now();
    for (const job of taken) {
      if (ran.length > 0 && performance.now() - startedAt > batchMs) break;
      try {
        savepoint.run();
        const value = this.#run(job);
        release.run();
        ran.push({ ok: true, value });
      } catch (error) {
        if (!this.#isTakenBack(taken, error)) return undefined;
        ran.push({ ok: false, error: isStorageFailure(error) ? unavailable(error) : error });
      }
    }
    return ran;
  }

  /** Undoes what stands in the savepoint. Where the transaction has ended, or cannot go on, the whole batch is refused. */
  #isTakenBack(taken: readonly Job[], error: unknown): boolean {
    if (!this.#store.raw.inTransaction) {
      this.#refuse(taken, error);
      return false;
    }
    try {
      this.#statements.rollbackTo.run();
      this.#statements.release.run();
      return true;
    } catch (cause) {
      rollback(this.#store);
      this.#refuse(taken, cause);
      return false;
    }
  }

  #run(job: Job): unknown {
    const value = job.run(this.#store.main as Db as Tx);
    if (typeof (value as PromiseLike<unknown> | null)?.then === "function") {
      throw new TypeError("a write must not return a promise");
    }
    return value;
  }
}

/** What came of a job. */
type Ran = { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly error: unknown };

function rollback(store: Store): void {
  if (store.raw.inTransaction) store.raw.run("ROLLBACK");
}

function unavailable(cause: unknown): StorageUnavailable {
  return cause instanceof StorageUnavailable
    ? cause
    : new StorageUnavailable("the database did not take the write", { cause });
}

const begin = statement<never, []>("SAVEPOINT apart");
const release = statement<never, []>("RELEASE apart");
const takeBack = statement<never, []>("ROLLBACK TO apart");
const clientOf = prepared(
  (db) => (db as Tx & { readonly $client: { readonly inTransaction: boolean } }).$client,
);

/**
 * Runs a part of a write in a savepoint of its own, for what must not take the rest with it: where it throws, what it wrote is taken
 * back and the error is handed out. What ends the whole transaction, or means that storage takes nothing more (a full disk), is thrown
 * as it is; damage is not that: it may lie in the part's own table.
 */
export function savepoint(tx: Tx, part: () => void): { readonly error: unknown } | undefined {
  begin(tx).run();
  try {
    part();
    release(tx).run();
    return undefined;
  } catch (error) {
    if (!clientOf(tx).inTransaction) throw error;
    takeBack(tx).run();
    release(tx).run();
    if (isStorageFailure(error) && !isDamage(error)) throw error;
    return { error };
  }
}
