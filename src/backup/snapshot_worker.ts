/** The worker of `backup.ts`: one snapshot, then it ends. */
import { messageOf } from "../lib/thrown.ts";
import { makeSnapshot, type SnapshotFacts, type SnapshotRequest } from "./snapshot.ts";

declare const self: Worker;

/** What the worker answers. */
export type SnapshotAnswer =
  | { readonly ok: true; readonly facts: SnapshotFacts }
  | { readonly ok: false; readonly reason: string };

self.onmessage = (event: MessageEvent<SnapshotRequest>) => {
  self.postMessage(answer(event.data));
};

function answer(request: SnapshotRequest): SnapshotAnswer {
  try {
    return { ok: true, facts: makeSnapshot(request) };
  } catch (error) {
    return { ok: false, reason: messageOf(error) };
  }
}
