/** A folder for what is on its way: answers too large for memory, until they are where they belong. Nothing in it outlives a process. */

import { chmod, type FileHandle, mkdir, open, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import type { BodySink } from "./http_client.ts";
import { PlainError } from "./text.ts";

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
      await this.#close();
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
    return spooling(() => this.#close());
  }

  async #close(): Promise<void> {
    const file = this.#file;
    this.#file = undefined;
    await file?.close();
  }
}

async function spooling(step: () => Promise<void>): Promise<void> {
  try {
    await step();
  } catch (cause) {
    throw new SpoolFault(cause);
  }
}
