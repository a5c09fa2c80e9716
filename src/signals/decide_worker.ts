/** The worker of `pull.ts`: reads answers and holds them against what is stored, through a connection of its own that only reads. */

import "../base/low_priority.ts";
import { openReadOnly, type Store } from "../store/store.ts";
import { type AnswerQuestion, type Decided, decideAnswer } from "./decide.ts";

declare const self: Worker;

/** What it is asked: first of all where the database lies, then one answer after another. */
export type WorkerQuestion = { readonly path: string } | AnswerQuestion;

/** What it answers to an answer. */
export type WorkerAnswer = Decided | { readonly error: string };

/** Its share of memory for pages, in KiB, negative as SQLite has it. */
const CACHE = -8_000;

let store: Store | undefined;

self.onmessage = ({ data }: MessageEvent<WorkerQuestion>) => {
  if ("path" in data) {
    store = openReadOnly(data.path, CACHE);
    return;
  }
  self.postMessage(answerTo(data));
};

function answerTo(question: AnswerQuestion): WorkerAnswer {
  try {
    if (store === undefined) throw new Error("there is no database");
    return decideAnswer(store.db, question);
  } catch (error) {
    // Its message may hold what a provider wrote.
    return { error: error instanceof Error ? error.name : "unknown" };
  }
}
