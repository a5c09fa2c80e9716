/** The worker of `backup.ts`: one snapshot, step by step, then it ends. */
import { messageOf } from "../lib/thrown.ts";
import type { CopyProgress } from "./copy_archive.ts";
import { type SnapshotRequest, type SnapshotStep, snapshotSteps } from "./snapshot.ts";

declare const self: Worker;

/** What the worker answers: each step as it is reached, how far a long one is, or why there is no further one. */
export type SnapshotAnswer =
  | SnapshotStep
  | ({ readonly step: "copying" } & CopyProgress)
  | { readonly step: "failed"; readonly reason: string };

self.onmessage = async (event: MessageEvent<SnapshotRequest>) => {
  try {
    const tell = (answer: SnapshotAnswer) => self.postMessage(answer);
    const steps = snapshotSteps(event.data, (progress) => tell({ step: "copying", ...progress }));
    for await (const step of steps) tell(step);
  } catch (error) {
    self.postMessage({ step: "failed", reason: messageOf(error) } satisfies SnapshotAnswer);
  }
};
