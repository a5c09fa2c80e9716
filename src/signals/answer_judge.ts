/**
 * Where answers are judged: on a worker of its own, since a tick reads some megabytes of reports and compares hundreds of thousands of
 * values, which would stand in the way of whoever sends a report. A database in memory has no second connection: there it is done at once.
 */
import type { Store } from "../db/mod.ts";
import { AnsweringWorker } from "../platform/worker.ts";
import { type AnswerQuestion, type Judged, judgeAnswer } from "./judge.ts";
import type { JudgeAnswer, JudgeQuestion } from "./judge_worker.ts";

export class AnswerJudge {
  readonly #store: Store;
  #worker: AnsweringWorker<JudgeQuestion, JudgeAnswer> | undefined;
  #users = 0;

  constructor(store: Store) {
    this.#store = store;
  }

  /** Keeps the worker for as long as the work takes. */
  async during<T>(work: () => Promise<T>): Promise<T> {
    this.#users++;
    try {
      return await work();
    } finally {
      if (--this.#users === 0) {
        this.#worker?.end();
        this.#worker = undefined;
      }
    }
  }

  /** What an answer comes to. Within `during`. Throws where it cannot be judged. */
  async judge(question: AnswerQuestion): Promise<Judged> {
    const { path, db } = this.#store;
    if (path === ":memory:") return judgeAnswer(db, question);
    const judged = await this.#started(path).ask(question);
    if ("error" in judged) throw new Error(`an answer could not be judged: ${judged.error}`);
    return judged;
  }

  #started(path: string): AnsweringWorker<JudgeQuestion, JudgeAnswer> {
    if (this.#worker === undefined || this.#worker.hasEnded) {
      this.#worker = new AnsweringWorker(new URL("./judge_worker.ts", import.meta.url));
      this.#worker.tell({ path });
    }
    return this.#worker;
  }
}
