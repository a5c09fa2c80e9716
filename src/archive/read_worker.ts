/** The worker of `report_reader.ts`: reads reports, one after another. */
import { SpoolFault } from "../platform/spool.ts";
import { type ReadAnswer, type ReadQuestion, readRaw } from "./read_raw.ts";

declare const self: Worker;

/** What it answers; where reading threw, the error's name alone: its message may hold what a provider wrote. */
export type WorkerAnswer = ReadAnswer | { readonly error: string; readonly isOfSpool: boolean };

let last: Promise<void> = Promise.resolve();

self.onmessage = ({ data }: MessageEvent<ReadQuestion>) => {
  last = last.then(async () => self.postMessage(await answerTo(data)));
};

async function answerTo(question: ReadQuestion): Promise<WorkerAnswer> {
  try {
    return await readRaw(question);
  } catch (error) {
    return {
      error: error instanceof Error ? error.name : "unknown",
      isOfSpool: error instanceof SpoolFault,
    };
  }
}
