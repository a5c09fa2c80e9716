/**
 * The worker of `checkpoint.ts`: looks at the log and makes passive checkpoints, which wait for no reader and no writer. It looks
 * by itself: a look from the main thread would wait there while the file is being synced here. Whatever fails is told and tried
 * again with a new connection: a full disk or a file that cannot be read now may be well later.
 */
import { Database } from "bun:sqlite";
import { type CheckpointLook, walBytes } from "./checkpoint.ts";

declare const self: Worker;

/** Log size from which a checkpoint is worth its fsync, in bytes. */
const WORTH_BYTES = 4 * 1024 * 1024;
const PERIOD_MS = 500;

let connection: Database | undefined;

self.onmessage = (event: MessageEvent<"stop" | { readonly path: string }>) => {
  if (event.data === "stop") {
    connection?.close();
    process.exit(0);
  }
  const { path } = event.data;
  setInterval(() => self.postMessage(look(path)), PERIOD_MS);
};

function look(path: string): CheckpointLook {
  try {
    if (walBytes(path) < WORTH_BYTES) return { ok: true, frames: 0, left: 0 };
    connection ??= openFor(path);
    const [row] = connection.query<{ log: number; checkpointed: number }, []>(CHECKPOINT).all();
    const frames = row?.log ?? 0;
    return { ok: true, frames, left: frames - (row?.checkpointed ?? 0) };
  } catch (error) {
    connection?.close();
    connection = undefined;
    const code = (error as { code?: unknown }).code;
    return { ok: false, fault: typeof code === "string" ? code : String(error) };
  }
}

const CHECKPOINT = "PRAGMA wal_checkpoint(PASSIVE)";

function openFor(path: string): Database {
  const opened = new Database(path, { readwrite: true, create: false });
  opened.run("PRAGMA busy_timeout = 5000");
  opened.run("PRAGMA synchronous = FULL");
  return opened;
}
