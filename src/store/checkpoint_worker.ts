/**
 * The worker of `checkpoint.ts`: looks at the log and makes passive checkpoints, which wait for no reader and no writer. It looks
 * by itself: a look from the main thread would wait there while the file is being synced here. Whatever fails is told and tried
 * again with a new connection: a full disk or a file that cannot be read now may be well later.
 */

import { Database } from "bun:sqlite";
import { codeOf } from "../base/text.ts";
import { type CheckpointLook, FINISH_FRAMES, walBytes } from "./checkpoint.ts";

declare const self: Worker;

/** Log size from which a checkpoint is worth its fsync, in bytes. */
const WORTH_BYTES = 4 * 1024 * 1024;
const PERIOD_MS = 500;

let connection: Database | undefined;
/** Frames of the log that were moved when it was last looked at. */
let before = 0;

self.onmessage = (event: MessageEvent<"stop" | { readonly path: string }>) => {
  if (event.data === "stop") {
    connection?.close();
    process.exit(0);
  }
  lookOn(event.data.path);
};

/** Looks for ever; at once again when much came in while it moved: each round leaves less, until little is left. */
function lookOn(path: string): void {
  const seen = look(path);
  self.postMessage(seen);
  const isGaining = seen.ok && seen.left > FINISH_FRAMES && seen.moved > 0;
  setTimeout(() => lookOn(path), isGaining ? 0 : PERIOD_MS);
}

function look(path: string): CheckpointLook {
  try {
    if (walBytes(path) < WORTH_BYTES) return { ok: true, frames: 0, left: 0, moved: 0 };
    connection ??= openFor(path);
    const [row] = connection.query<{ log: number; checkpointed: number }, []>(CHECKPOINT).all();
    const frames = row?.log ?? 0;
    const done = row?.checkpointed ?? 0;
    const moved = done - before;
    before = done;
    return { ok: true, frames, left: frames - done, moved };
  } catch (error) {
    connection?.close();
    connection = undefined;
    return { ok: false, fault: codeOf(error) || String(error) };
  }
}

const CHECKPOINT = "PRAGMA wal_checkpoint(PASSIVE)";

function openFor(path: string): Database {
  const opened = new Database(path, { readwrite: true, create: false });
  opened.run("PRAGMA busy_timeout = 5000");
  opened.run("PRAGMA synchronous = FULL");
  return opened;
}
