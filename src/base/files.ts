/**
 * The door to plain files. The steps are separate, so that a test can end the process between any two of them; the atomic
 * replacement is made of them.
 */

import { constants } from "node:fs";
import { open, rename, rm, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { codeOf } from "./text.ts";

/** What tells a changed file from an unchanged one without reading it. */
export interface FileFacts {
  readonly size: number;
  /** Inode number: an editor that saves by renaming makes a new one. */
  readonly inode: number;
  /** Milliseconds since the epoch. */
  readonly modifiedAt: number;
  /** Milliseconds since the epoch; unlike `modifiedAt`, nothing but the kernel sets it. */
  readonly changedAt: number;
}

/** Steps on files. Every one throws the system's error when it fails. */
export interface Files {
  /** `undefined` when there is no such file. */
  facts(path: string): Promise<FileFacts | undefined>;
  /** The first bytes of a file, at most `most`. */
  read(path: string, most: number): Promise<Uint8Array>;
  /** Writes a file that does not exist yet and waits until the disk has it. */
  writeNew(path: string, bytes: Uint8Array, mode: number): Promise<void>;
  rename(from: string, to: string): Promise<void>;
  /** Waits until the disk has the names in a folder. */
  syncFolder(path: string): Promise<void>;
  /** Removes a file, if it is there. */
  remove(path: string): Promise<void>;
}

/** The file system of this machine. */
export const systemFiles: Files = {
  facts: async (path) => {
    try {
      const { size, ino, mtimeMs, ctimeMs } = await stat(path);
      return { size, inode: ino, modifiedAt: mtimeMs, changedAt: ctimeMs };
    } catch (error) {
      if (codeOf(error) === "ENOENT") return undefined;
      throw error;
    }
  },
  read: async (path, most) => {
    // Not blocking: opening a named pipe that nobody writes to would wait for ever.
    const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      const buffer = new Uint8Array(most);
      let length = 0;
      while (length < most) {
        const { bytesRead } = await file.read(buffer, length, most - length, length);
        if (bytesRead === 0) break;
        length += bytesRead;
      }
      return buffer.subarray(0, length);
    } finally {
      await file.close();
    }
  },
  writeNew: async (path, bytes, mode) => {
    const file = await open(path, "wx", mode);
    try {
      await file.writeFile(bytes);
      await file.sync();
    } finally {
      await file.close();
    }
  },
  rename,
  syncFolder: async (path) => {
    const folder = await open(path, "r");
    try {
      await folder.sync();
    } finally {
      await folder.close();
    }
  },
  remove: (path) => rm(path, { force: true }),
};

/**
 * Puts `bytes` at `path` so that a crash at any moment leaves the old file or the new one, whole: temporary file in the same
 * folder, fsync, rename, fsync of the folder. One writer per path at a time.
 */
export async function replaceFile(
  files: Files,
  path: string,
  bytes: Uint8Array,
  mode: number,
): Promise<void> {
  await stageFile(files, path, bytes, mode);
  await publishFile(files, path);
}

/** The first half of a replacement: the bytes wait, on the disk, beside the file that they will replace. */
export async function stageFile(files: Files, path: string, bytes: Uint8Array, mode: number): Promise<void> {
  const temporary = stagedPath(path);
  await files.remove(temporary);
  try {
    await files.writeNew(temporary, bytes, mode);
  } catch (error) {
    // A failed fsync is never tried again on the same file.
    await unstageFile(files, path);
    throw error;
  }
}

/** The second half: what waits takes the file's place. */
export async function publishFile(files: Files, path: string): Promise<void> {
  try {
    await files.rename(stagedPath(path), path);
  } catch (error) {
    await unstageFile(files, path);
    throw error;
  }
  await files.syncFolder(dirname(path));
}

/** Takes away what waits, if anything does. What cannot be taken away is in nobody's way: the next replacement starts anew. */
export async function unstageFile(files: Files, path: string): Promise<void> {
  await files.remove(stagedPath(path)).catch(() => undefined);
}

function stagedPath(path: string): string {
  return join(dirname(path), `.tmp-${basename(path)}`);
}
