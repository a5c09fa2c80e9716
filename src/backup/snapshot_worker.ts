/** The worker of `backup.ts`: one snapshot, step by step, then it ends. */
import { messageOf } from "../lib/thrown.ts";
import { type SnapshotRequest, type SnapshotStep, snapshotSteps } from "./snapshot.ts";

declare const self: Worker;

/** What the worker answers: each step as it is reached, or why there is no further one. */
export type SnapshotAnswer = SnapshotStep | { readonly step: "failed"; readonly reason: string };

self.onmessage = async (event: MessageEvent<SnapshotRequest>) => {
  try {
    for await (const step of snapshotSteps(event.data)) self.postMessage(step);
  } catch (error) {
    self.postMessage({ step: "failed", reason: messageOf(error) } satisfies SnapshotAnswer);
  }
};
