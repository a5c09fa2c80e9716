/**
 * The one way to write: group commit. Jobs that arrive in one turn of the event loop share one transaction, each in its own
 * savepoint, so that one bad write never takes a neighbour with it; a promise settles only after COMMIT, so that "answered"
 * means "durable".
 *
 * A full disk, an I/O error, lack of memory or a busy lock may end the whole transaction, savepoints included. So after any
 * error `inTransaction` is read; when it is false the batch stops and every job of it is refused: later writes must never
 * run on in autocommit.
 */
import type { Db, Store, Tx } from "./open.ts";

/** The disk is full, the file is locked, the queue is full or the commit failed: nothing was stored, try again later. */
export class StorageUnavailable extends Error {
  override readonly name = "StorageUnavailable";
}

type Synchronous<T> = T extends PromiseLike<unknown> ? never : T;

interface Job {
  run(tx: Tx): unknown;
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

/** Jobs that may wait for a commit; beyond it a write is refused at once. */
const MAX_QUEUED = 4_096;
/** Most jobs in one commit, so that no single commit stalls the event loop. */
const MAX_BATCH = 256;

const STORAGE_CODES = /^SQLITE_(FULL|IOERR|NOMEM|BUSY|LOCKED|READONLY|CANTOPEN|PROTOCOL|CORRUPT|NOTADB)/;

/** Whether an error means that storage failed, rather than that the write was wrong. */
export function isStorageFailure(error: unknown): boolean {
  const code = (error as { code?: unknown } | null)?.code;
  return error instanceof StorageUnavailable || (typeof code === "string" && STORAGE_CODES.test(code));
}

/** Owns the writing connection. */
export class Writer {
  readonly #store: Store;
  /** Compiled once: compiling them for every job would cost more than running them. */
  readonly #statements;
  #queue: Job[] = [];
  #scheduled = false;
  #closed = false;

  constructor(store: Store) {
    this.#store = store;
    const { raw } = store;
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
  write<T>(job: (tx: Tx) => Synchronous<T>): Promise<T> {
    if (this.#closed) return Promise.reject(new StorageUnavailable("the service is stopping"));
    if (this.#queue.length >= MAX_QUEUED) {
      return Promise.reject(new StorageUnavailable("too many writes are waiting"));
    }
    return new Promise<T>((resolve, reject) => {
      this.#queue.push({ run: job, resolve: resolve as (value: unknown) => void, reject });
      if (!this.#scheduled) {
        this.#scheduled = true;
        setImmediate(() => this.#flush());
      }
    });
  }

  /** Writes waiting for a commit. */
  get queued(): number {
    return this.#queue.length;
  }

  /** Commits what waits and refuses everything after. */
  close(): void {
    while (this.#queue.length > 0) this.#flush();
    this.#closed = true;
  }

  #flush(): void {
    const batch = this.#queue.length <= MAX_BATCH ? this.#queue : this.#queue.slice(0, MAX_BATCH);
    this.#queue = batch === this.#queue ? [] : this.#queue.slice(MAX_BATCH);
    this.#scheduled = this.#queue.length > 0;
    if (this.#scheduled) setImmediate(() => this.#flush());
    if (batch.length > 0) this.#commit(batch);
  }

  #commit(batch: readonly Job[]): void {
    const { raw, main } = this.#store;
    const { begin, savepoint, release, rollbackTo, commit } = this.#statements;
    try {
      begin.run();
    } catch (cause) {
      refuseAll(batch, cause);
      return;
    }
    const done: { job: Job; value: unknown }[] = [];
    const failed: { job: Job; error: unknown }[] = [];
    for (const job of batch) {
      try {
        savepoint.run();
        const value = job.run(main as Db as Tx);
        if (typeof (value as PromiseLike<unknown> | null)?.then === "function") {
          throw new TypeError("a write must not return a promise");
        }
        release.run();
        done.push({ job, value });
      } catch (error) {
        if (!raw.inTransaction) {
          refuseAll(batch, error);
          return;
        }
        try {
          rollbackTo.run();
          release.run();
        } catch (cause) {
          rollback(this.#store);
          refuseAll(batch, cause);
          return;
        }
        failed.push({ job, error: isStorageFailure(error) ? unavailable(error) : error });
      }
    }
    try {
      commit.run();
    } catch (cause) {
      rollback(this.#store);
      refuseAll(batch, cause);
      return;
    }
    for (const { job, value } of done) job.resolve(value);
    for (const { job, error } of failed) job.reject(error);
  }
}

function rollback(store: Store): void {
  if (store.raw.inTransaction) store.raw.run("ROLLBACK");
}

function unavailable(cause: unknown): StorageUnavailable {
  return cause instanceof StorageUnavailable
    ? cause
    : new StorageUnavailable("the database did not take the write", { cause });
}

function refuseAll(batch: readonly Job[], cause: unknown): void {
  const error = unavailable(cause);
  for (const job of batch) job.reject(error);
}
