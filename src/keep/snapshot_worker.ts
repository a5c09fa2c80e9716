/** The worker of `backup.ts`: one snapshot, step by step, then it ends. */

import "../base/low_priority.ts";
import { pathFault } from "../base/storage_fault.ts";
import type { CopyProgress } from "./backup_objects.ts";
import { type SnapshotRequest, type SnapshotStep, snapshotSteps } from "./seal.ts";

declare const self: Worker;

/** What the worker answers: each step as it is reached, how far a long one is, or why there is no further one. */
export type SnapshotAnswer =
  | SnapshotStep
  | ({ readonly step: "copying" } & CopyProgress)
  | { readonly step: "failed"; readonly reason: string };

const tell = (answer: SnapshotAnswer) => self.postMessage(answer);

self.onmessage = async ({ data }: MessageEvent<SnapshotRequest>) => {
  const last = await lastOf(data);
  // What was compiled for a database keeps its file open until it is collected, and with it the room of a backup that is removed:
  // this thread is ended at its last word, and then nothing is collected any more.
  Bun.gc(true);
  tell(last);
};

/** Tells every step but the last, which is returned. */
async function lastOf(request: SnapshotRequest): Promise<SnapshotAnswer> {
  let last: SnapshotAnswer = { step: "failed", reason: "it came to no end" };
  try {
    for await (const step of snapshotSteps(request, (progress) => tell({ step: "copying", ...progress }))) {
      if (step.step === "judged") last = step;
      else tell(step);
    }
    return last;
  } catch (error) {
    return { step: "failed", reason: pathFault(error) };
  }
}
