/**
 * Checkpoints off the path of an answer: a worker thread with a connection of its own moves the write-ahead log into the file,
 * so that the fsync of it never stands inside a commit. Under a load that never pauses the log is never wholly moved at one
 * moment, and only a log that is wholly moved begins anew: so when it has grown and little of it is left, that little is moved
 * between two commits by the writing connection.
 */

import { statSync } from "node:fs";
import { isBusy } from "../base/storage_fault.ts";
import { codeOf } from "../base/text.ts";
import type { Store } from "./store.ts";

// What a look at the write-ahead log tells: shared by the worker that looks and by whoever hears of it.

/** What a look at the log found: the frames in it, those that are left to move and those just moved; or what failed. */
export type CheckpointLook =
  | { readonly ok: true; readonly frames: number; readonly left: number; readonly moved: number }
  | { readonly ok: false; readonly fault: string };

/** Most frames that the writing connection moves by itself: a few milliseconds. */
export const FINISH_FRAMES = 1_000;

/** Bytes in the write-ahead log of a database; 0 when there is none. */
export function walBytes(path: string): number {
  return statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0;
}

/** Frames in the log from which the writing connection moves the rest: 32 MiB, well below what is alarming. */
const GROWN_FRAMES = 8_192;
/** Before a worker that ended unasked is started anew, in milliseconds. */
const RESTART_MS = 1_000;

/** Starts checkpointing in the background; `told` hears of each look. */
export function startCheckpointer(
  store: Pick<Store, "path" | "raw">,
  told: (look: CheckpointLook) => void = () => undefined,
) {
  // SQLite's own checkpoints would stand inside a commit, and after a foreign reader has gone one of them would move all it held up.
  store.raw.run("PRAGMA wal_autocheckpoint = 0");
  let stopping = false;
  let worker = start();

  function start(): Worker {
    const started = new Worker(new URL("./checkpoint_worker.ts", import.meta.url).href, { smol: true });
    started.addEventListener("message", ({ data }: MessageEvent<CheckpointLook>) => {
      if (stopping) return;
      told(data.ok ? finish(store, data) : data);
    });
    started.addEventListener("close", () => {
      if (stopping) return;
      told({ ok: false, fault: "its thread ended" });
      setTimeout(() => {
        if (!stopping) worker = start();
      }, RESTART_MS);
    });
    started.postMessage({ path: store.path });
    return started;
  }

  return {
    /** Ends it; a worker that does not answer is ended by force. Says whether it ended by itself. */
    stop: async (withinMs: number): Promise<boolean> => {
      stopping = true;
      const { promise: ended, resolve } = Promise.withResolvers<boolean>();
      worker.addEventListener("close", () => resolve(true), { once: true });
      const force = setTimeout(() => resolve(false), withinMs);
      worker.postMessage("stop");
      const byItself = await ended;
      clearTimeout(force);
      if (!byItself) worker.terminate();
      return byItself;
    },
  };
}

function finish(store: Pick<Store, "raw">, look: CheckpointLook & { readonly ok: true }): CheckpointLook {
  if (look.frames < GROWN_FRAMES || look.left > FINISH_FRAMES) return look;
  try {
    store.raw.run("PRAGMA wal_checkpoint(PASSIVE)");
    return { ...look, left: 0 };
  } catch (error) {
    // While another process holds the write lock there is nothing to finish.
    return isBusy(error) ? look : { ok: false, fault: codeOf(error) || String(error) };
  }
}
