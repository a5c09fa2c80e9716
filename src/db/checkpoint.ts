/**
 * Checkpoints off the path of an answer: a worker thread with a connection of its own moves the write-ahead log into the file,
 * so that the fsync of it never stands inside a commit. Under a load that never pauses the log is never wholly moved at one
 * moment; the writing connection's own `wal_autocheckpoint` then finishes what little is left and starts it anew.
 */
import { statSync } from "node:fs";

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
  worker.postMessage({ path });
  return {
    stop: async () => {
      const closed = new Promise<void>((resolve) =>
        worker.addEventListener("close", () => resolve(), { once: true }),
      );
      worker.postMessage("stop");
      await closed;
    },
  };
}
