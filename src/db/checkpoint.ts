/**
 * Checkpoints off the path of an answer: a worker thread with a connection of its own moves the write-ahead log into the file,
 * so that the fsync of it never stands inside a commit.
 */
import { statSync } from "node:fs";

/** Log size from which a checkpoint is worth its fsync, in bytes. */
const WORTH_BYTES = 2 * 1024 * 1024;
const PERIOD_MS = 250;

/** A running checkpointer. */
export interface Checkpointer {
  stop(): Promise<void>;
}

/** Bytes in the write-ahead log of a database; 0 when there is none. */
export function walBytes(path: string): number {
  return statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0;
}

/** Starts checkpointing the database at `path` in the background. */
export function startCheckpointer(path: string): Checkpointer {
  const worker = new Worker(new URL("./checkpoint_worker.ts", import.meta.url).href);
  let busy = false;
  worker.addEventListener("message", () => {
    busy = false;
  });
  const timer = setInterval(() => {
    if (busy || walBytes(path) < WORTH_BYTES) return;
    busy = true;
    worker.postMessage({ path });
  }, PERIOD_MS);
  return {
    stop: async () => {
      clearInterval(timer);
      worker.postMessage("stop");
      await new Promise<void>((resolve) => worker.addEventListener("close", () => resolve(), { once: true }));
    },
  };
}
