/** What a look at the write-ahead log tells: shared by the worker that looks and by whoever hears of it. */

import { statSync } from "node:fs";

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
