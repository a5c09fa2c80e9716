/**
 * Where reports are taken and read: on workers of their own, since looking at every byte of a large one would stand in the way of whoever
 * sends a report. At once where the database is in memory: nobody else is served then.
 */
import { SpoolFault } from "../platform/spool.ts";
import { AnsweringWorker } from "../platform/worker.ts";
import { type PageAsked, PageFile, type PageSeen, type PageSink } from "../provider/report/pages.ts";
import { type ReadAnswer, type ReadQuestion, readRaw } from "./read_raw.ts";
import type { PageStep, WorkerAnswer } from "./read_worker.ts";

type ReadingWorker = AnsweringWorker<ReadQuestion | PageStep, WorkerAnswer>;
type Answer = Exclude<WorkerAnswer, { readonly error: string }>;

/** Bytes that go to the worker at once. */
const BLOCK_BYTES = 1_048_576;

export class ReportReader {
  readonly #isAtOnce: boolean;
  /** Pages have a worker of their own: an answer that comes must not wait until another report is read. */
  readonly #workers = new Map<"pages" | "reports", ReadingWorker>();
  #pages = 0;

  constructor({ path }: { readonly path: string }) {
    this.#isAtOnce = path === ":memory:";
  }

  /** Keeps the workers for as long as the work takes. */
  async during<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } finally {
      for (const worker of this.#workers.values()) worker.end();
      this.#workers.clear();
    }
  }

  /** What a report comes to. Within `during`. Throws `SpoolFault`, and an `Error` where Tower itself cannot read it. */
  async read(question: ReadQuestion): Promise<ReadAnswer> {
    if (this.#isAtOnce) return readRaw(question);
    return (await this.#ask("reports", question)) as ReadAnswer;
  }

  /** Takes a page into its file. Within `during`. */
  page(asked: PageAsked): PageSink {
    if (this.#isAtOnce) return new PageFile(asked);
    const page = this.#pages++;
    const step = async (of: PageStep) =>
      ((await this.#ask("pages", of)) as { readonly seen: PageSeen | undefined }).seen;
    let seen: PageSeen | undefined;
    return {
      get seen() {
        return seen;
      },
      begin: async () => void (await step({ page, begin: asked })),
      write: async (piece) => {
        for (let at = 0; at < piece.byteLength; at += BLOCK_BYTES) {
          await step({ page, write: piece.slice(at, at + BLOCK_BYTES) });
        }
      },
      end: async () => {
        seen = await step({ page, end: true });
      },
    };
  }

  async #ask(name: "pages" | "reports", question: ReadQuestion | PageStep): Promise<Answer> {
    const answer = await this.#started(name).ask(question);
    if (!("error" in answer)) return answer;
    if (answer.isOfSpool) throw new SpoolFault(new Error(answer.error));
    throw new Error(`a report could not be read: ${answer.error}`);
  }

  #started(name: "pages" | "reports"): ReadingWorker {
    let worker = this.#workers.get(name);
    if (worker === undefined || worker.hasEnded) {
      worker = new AnsweringWorker(new URL("./read_worker.ts", import.meta.url));
      this.#workers.set(name, worker);
    }
    return worker;
  }
}
