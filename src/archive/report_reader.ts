/**
 * Where reports are read: on a worker of its own, since one of a hundred thousand rows would stand in the way of whoever sends a report.
 * At once where the database is in memory: nobody else is served then.
 */
import { SpoolFault } from "../platform/spool.ts";
import { AnsweringWorker } from "../platform/worker.ts";
import { type ReadAnswer, type ReadQuestion, readRaw } from "./read_raw.ts";
import type { WorkerAnswer } from "./read_worker.ts";

export class ReportReader {
  readonly #isAtOnce: boolean;
  #worker: AnsweringWorker<ReadQuestion, WorkerAnswer> | undefined;

  constructor({ path }: { readonly path: string }) {
    this.#isAtOnce = path === ":memory:";
  }

  /** Keeps the worker for as long as the work takes. */
  async during<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } finally {
      this.#worker?.end();
      this.#worker = undefined;
    }
  }

  /** What a report comes to. Within `during`. Throws `SpoolFault`, and an `Error` where Tower itself cannot read it. */
  async read(question: ReadQuestion): Promise<ReadAnswer> {
    if (this.#isAtOnce) return readRaw(question);
    const answer = await this.#started().ask(question);
    if (!("error" in answer)) return answer;
    if (answer.isOfSpool) throw new SpoolFault(new Error(answer.error));
    throw new Error(`a report could not be read: ${answer.error}`);
  }

  #started(): AnsweringWorker<ReadQuestion, WorkerAnswer> {
    if (this.#worker === undefined || this.#worker.hasEnded) {
      this.#worker = new AnsweringWorker(new URL("./read_worker.ts", import.meta.url));
    }
    return this.#worker;
  }
}
