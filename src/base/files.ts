/**
 * The door to plain files. The steps are separate, so that a test can end the process between any two of them; the atomic
 * replacement is made of them.
 */

import { constants } from "node:fs";
import { chmod, type FileHandle, mkdir, open, readdir, rename, rm, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { BodySink } from "./http_client.ts";
import { codeOf, PlainError } from "./text.ts";

/** Steps on files. Every one throws the system's error when it fails. */
export interface Files {
  /** When the kernel last changed a file, in milliseconds since the epoch: nothing else sets that. `undefined` when there is no such file. */
  changedAt(path: string): Promise<number | undefined>;
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
  changedAt: async (path) => {
    try {
      return (await stat(path)).ctimeMs;
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
export async function replaceFile(files: Files, path: string, bytes: Uint8Array, mode: number) {
  await stageFile(files, path, bytes, mode);
  try {
    await files.rename(stagedPath(path), path);
  } catch (error) {
    await unstageFile(files, path);
    throw error;
  }
  await files.syncFolder(dirname(path));
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

/** Takes away what waits, if anything does. What cannot be taken away is in nobody's way: the next replacement starts anew. */
export async function unstageFile(files: Files, path: string): Promise<void> {
  await files.remove(stagedPath(path)).catch(() => undefined);
}

/** Where bytes wait that are to take a file's place. */
export function stagedPath(path: string): string {
  return join(dirname(path), `.tmp-${basename(path)}`);
}

// A folder for what is on its way: answers too large for memory, until they are where they belong. Nothing in it
// outlives a process.

/** The spool cannot be used: a full disk, say. The system's error is its `cause`. Whoever was asked is not to blame. */
export class SpoolFault extends PlainError {
  override readonly name = "SpoolFault";

  constructor(cause: unknown) {
    super("the data folder takes nothing of what is to be archived", { cause });
  }
}

export class Spool {
  readonly #folder: string;
  #made = 0;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Makes the folder, for this user alone, and removes what an earlier process left in it. Throws `SpoolFault`. */
  open(): Promise<void> {
    return spooling(async () => {
      await mkdir(this.#folder, { recursive: true, mode: 0o700 });
      await chmod(this.#folder, 0o700);
      for (const name of await readdir(this.#folder)) {
        await rm(join(this.#folder, name), { recursive: true, force: true });
      }
    });
  }

  /** The path of a file that is not there yet. */
  file(): string {
    return join(this.#folder, String(++this.#made));
  }

  /** Removes files, those that are there. Throws `SpoolFault`. */
  remove(paths: readonly string[]): Promise<void> {
    return spooling(async () => {
      for (const path of paths) await rm(path, { force: true });
    });
  }
}

/** An answer in a file of this user's alone. Its methods throw `SpoolFault`. */
export class SpoolFile implements BodySink {
  readonly #path: string;
  #file: FileHandle | undefined;
  #bytes = 0;

  constructor(path: string) {
    this.#path = path;
  }

  /** How many bytes were written since it was begun. */
  get bytes(): number {
    return this.#bytes;
  }

  begin(): Promise<void> {
    return spooling(async () => {
      await this.#file?.close();
      this.#file = await open(this.#path, "w", 0o600);
      this.#bytes = 0;
    });
  }

  write(piece: Uint8Array): Promise<void> {
    return spooling(async () => {
      for (let at = 0; at < piece.byteLength; ) {
        const { bytesWritten = 0 } = (await this.#file?.write(piece, at)) ?? {};
        if (bytesWritten === 0) throw new Error("nothing was written");
        at += bytesWritten;
        this.#bytes += bytesWritten;
      }
    });
  }

  end(): Promise<void> {
    return spooling(async () => this.#file?.close());
  }
}

async function spooling(step: () => Promise<void>): Promise<void> {
  try {
    await step();
  } catch (cause) {
    throw new SpoolFault(cause);
  }
}
