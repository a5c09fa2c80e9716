/** The texts of one commit, one behind the other in one file. */

import {
  closeSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  rmSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import process from "node:process";

/** A whole file, or the part of a file that is one text. */
export interface TextPlace {
  readonly file: string;
  readonly at?: number;
  readonly size?: number;
}

/** Bytes gathered before they are written. */
const BUFFER_BYTES = 1024 * 1024;

/** Where a text begins, times this, plus its size: one number for each of many thousand texts. */
const SIZE_UNIT = 2 ** 21;

class Texts {
  readonly #file: string;
  readonly #places = new Map<string, number>();
  readonly #buffer = Buffer.alloc(BUFFER_BYTES);
  #fd: number | undefined;
  #written = 0;
  #held = 0;

  constructor(file: string) {
    this.#file = file;
  }

  /** Adds a text; false when there is one of this path. */
  add(path: string, bytes: Uint8Array): boolean {
    if (this.#places.has(path)) return false;
    this.#places.set(path, (this.#written + this.#held) * SIZE_UNIT + bytes.length);
    if (this.#held + bytes.length > BUFFER_BYTES) this.flush();
    if (bytes.length > BUFFER_BYTES) this.#write(bytes);
    else {
      this.#buffer.set(bytes, this.#held);
      this.#held += bytes.length;
    }
    return true;
  }

  /** Writes what is gathered: before anybody reads. */
  flush(): void {
    this.#write(this.#buffer.subarray(0, this.#held));
    this.#held = 0;
  }

  #write(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length; ) {
      this.#fd ??= openSync(this.#file, "wx+", 0o600);
      const count = writeSync(this.#fd, bytes, at, bytes.length - at, this.#written);
      this.#written += count;
      at += count;
    }
  }

  placeOf(path: string): TextPlace {
    const place = this.#places.get(path);
    if (place === undefined) throw new Error(`not staged: ${path}`);
    return { file: this.#file, at: Math.floor(place / SIZE_UNIT), size: place % SIZE_UNIT };
  }

  /** The bytes of a text, valid until the next one is read. */
  read(path: string): Uint8Array {
    const { at = 0, size = 0 } = this.placeOf(path);
    if (size === 0) return new Uint8Array(0);
    if (this.#fd === undefined) throw new Error("nothing was written");
    const bytes = size > BUFFER_BYTES ? Buffer.alloc(size) : this.#buffer.subarray(0, size);
    readWhole(this.#fd, bytes, at);
    return bytes;
  }

  close(): void {
    if (this.#fd !== undefined) closeSync(this.#fd);
    this.#fd = undefined;
  }
}

/** The text at a place, decoded. */
export function readText({ file, at = 0, size }: TextPlace): string {
  if (size === undefined) return decode(readFileSync(file));
  const bytes = Buffer.allocUnsafe(size);
  const fd = openSync(file, "r");
  try {
    readWhole(fd, bytes, at);
  } finally {
    closeSync(fd);
  }
  return decode(bytes);
}

function readWhole(fd: number, bytes: Uint8Array, from: number): void {
  for (let at = 0; at < bytes.length; ) {
    const count = readSync(fd, bytes, at, bytes.length - at, from + at);
    if (count === 0) throw new Error("a staged text is cut off");
    at += count;
  }
}

/** Texts read between two pauses. */
const PAUSE_AFTER = 100;

/** A pause now and then while many texts are read, so that the run hears that it is to end. */
export function pauses(signal: AbortSignal): () => Promise<void> {
  let texts = 0;
  return async () => {
    if (++texts % PAUSE_AFTER !== 0) return;
    await Bun.sleep(0);
    signal.throwIfAborted();
  };
}

const DECODER = new TextDecoder();

export function decode(bytes: Uint8Array): string {
  return DECODER.decode(bytes);
}

// Folders of runs that were killed before they could remove them. A later run does it, but only what is certainly
// nobody's: a folder of our own name, of the same user, closed to others, of an age that no run reaches.

/** What the names of all staging folders start with. */
const STAGE_PREFIX = "tower-measure-";
const NAME = new RegExp(`^${STAGE_PREFIX}[A-Za-z0-9]{6}$`);
/** Far beyond the longest run, which ends itself after a quarter of that. */
const LONGEST_MS = 60 * 60_000;

/** Removes abandoned folders; what cannot be read or removed stays. */
export function removeAbandoned(scratch: string, now: number): void {
  try {
    for (const name of readdirSync(scratch)) {
      const found = NAME.test(name) ? lstatSync(join(scratch, name)) : undefined;
      if (found?.isDirectory() !== true || found.uid !== process.getuid?.()) continue;
      if ((found.mode & 0o077) === 0 && now - found.mtimeMs > LONGEST_MS)
        rmSync(join(scratch, name), { recursive: true, force: true });
    }
  } catch {
    // Another run may be removing it at the same time; what is left is looked at again by the next one.
  }
}

// The staging folder: copies of the files of one commit, so that a tool sees only what was selected and never the
// working tree. `code/` holds what is compared: code without tests, under names of our own; `texts` holds every text
// file, one behind the other, since a hundred thousand small files take a disk longer than all the rest of a run.

/** A staging folder of one run. */
export interface Stage {
  /** The folder itself; `code`, `texts` and an empty `cwd` lie in it, and `git`, the git folder of the run. */
  readonly root: string;
  readonly made: Set<string>;
  readonly texts: Texts;
}

/** Makes an empty staging folder that only this user can enter, below `parent`. */
export function openStage(parent: string): Stage {
  const root = mkdtempSync(join(parent, STAGE_PREFIX));
  const stage = { root, made: new Set<string>(), texts: new Texts(join(root, "texts")) };
  try {
    for (const part of ["code", "cwd"]) mkdirSync(join(stage.root, part), { mode: 0o700 });
    return stage;
  } catch (error) {
    closeStage(stage);
    throw error;
  }
}

/** Removes the staging folder and everything in it. */
export function closeStage(stage: Stage): void {
  stage.texts.close();
  rmSync(stage.root, { recursive: true, force: true });
}

/** Keeps a text; false when there is one of this name already, or a file system could not hold the name. */
export function stageFile(stage: Stage, path: string, bytes: Uint8Array): boolean {
  return !path.split("/").some(isTooLong) && stage.texts.add(path, bytes);
}

/** Bytes of a name that every usual file system holds. */
const MAX_NAME_BYTES = 255;

function isTooLong(segment: string): boolean {
  return segment.length * 3 > MAX_NAME_BYTES && Buffer.byteLength(segment) > MAX_NAME_BYTES;
}

/** Where the copy of a file's code lies. */
export function codePath(stage: Stage, copy: string): string {
  return join(stage.root, "code", copy);
}

/** Writes the copy of a file's code below `code`. */
export function stageCode(stage: Stage, copy: string, code: string): void {
  const folder = join(stage.root, "code", dirname(copy));
  if (!stage.made.has(folder)) mkdirSync(folder, { recursive: true, mode: 0o700 });
  stage.made.add(folder);
  writeFileSync(codePath(stage, copy), code, { flag: "wx", mode: 0o600 });
}

/** Takes all copies of code away while the run goes on; whatever is left goes with the folder. */
export async function removeCopies(stage: Stage): Promise<void> {
  await rm(join(stage.root, "code"), { recursive: true, force: true }).catch(() => undefined);
}
