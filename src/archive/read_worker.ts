/** The worker of `store_report.ts`: takes pages as they come, and reads reports, one after another. */

import "../base/low_priority.ts";
import { SpoolFault } from "../base/files.ts";
import { type PageAsked, PageFile, type PageSeen } from "../providers/report_pages.ts";
import { type ReadAnswer, type ReadQuestion, readRaw } from "./insight_fold.ts";

declare const self: Worker;

/** A step of a page; a page that is begun anew begins with its `asked`. */
export type PageStep =
  | { readonly page: number; readonly begin: PageAsked }
  | { readonly page: number; readonly write: Uint8Array }
  | { readonly page: number; readonly end: true };

/** What it answers; where a step threw, the error's name alone: its message may hold what a provider wrote. */
export type WorkerAnswer =
  | ReadAnswer
  | { readonly seen: PageSeen | undefined }
  | { readonly error: string; readonly isOfSpool: boolean };

const pages = new Map<number, PageFile>();
let last: Promise<void> = Promise.resolve();

self.onmessage = ({ data }: MessageEvent<ReadQuestion | PageStep>) => {
  last = last.then(async () => self.postMessage(await answerTo(data)));
};

async function answerTo(question: ReadQuestion | PageStep): Promise<WorkerAnswer> {
  try {
    return "page" in question ? { seen: await step(question) } : await readRaw(question);
  } catch (error) {
    return {
      error: error instanceof Error ? error.name : "unknown",
      isOfSpool: error instanceof SpoolFault,
    };
  }
}

async function step(question: PageStep): Promise<PageSeen | undefined> {
  const { page } = question;
  if ("begin" in question) pages.set(page, new PageFile(question.begin));
  const file = pages.get(page);
  if ("begin" in question) await file?.begin();
  else if ("write" in question) await file?.write(question.write);
  else {
    pages.delete(page);
    await file?.end();
    return file?.seen;
  }
  return undefined;
}
