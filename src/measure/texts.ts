/**
 * The staging folder: copies of the files of one commit, so that a tool sees only what was selected and never the working tree. `code/`
 * holds what is compared: code without tests, under names of our own; `texts` holds every text file, one behind the other, since a
 * hundred thousand small files take a disk longer than all the rest of a run. `git` is the git folder of the run, `cwd` an empty one.
 */

import {
  closeSync,
  fstatSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
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

const DECODER = new TextDecoder();

/** The text at a place, decoded. Not by way of the runtime's files, whose turn for each of many thousand texts takes longer than reading it. */
export function readText({ file, at = 0, size }: TextPlace): string {
  const open = openSync(file, "r");
  try {
    const bytes = Buffer.allocUnsafe(size ?? fstatSync(open).size);
    return DECODER.decode(bytes.subarray(0, readSync(open, bytes, 0, bytes.length, at)));
  } finally {
    closeSync(open);
  }
}

const PREFIX = "tower-measure-";
const DAY_MS = 24 * 60 * 60_000;

/** Takes away what this user's killed runs left more than a day ago. */
export function removeStale(parent: string, now: number): void {
  for (const name of readdirSync(parent)) {
    const path = join(parent, name);
    const found = name.startsWith(PREFIX) ? lstatSync(path, { throwIfNoEntry: false }) : undefined;
    // Nothing of anybody else is touched: what they put there could lead elsewhere.
    if (found === undefined || found.uid !== process.getuid?.() || now - found.mtimeMs < DAY_MS) continue;
    rmSync(path, { recursive: true, force: true });
  }
}

/** A staging folder of one run; it goes with everything in it. */
export class Stage {
  /** The folder itself; only this user can enter it. */
  readonly root: string;
  readonly #texts: number;
  readonly #places = new Map<string, TextPlace>();
  readonly #made = new Set<string>();
  #written = 0;

  /** Makes it, empty, below `parent`. */
  constructor(parent: string) {
    this.root = mkdtempSync(join(parent, PREFIX));
    try {
      for (const part of ["code", "cwd"]) mkdirSync(join(this.root, part), { mode: 0o700 });
      this.#texts = openSync(join(this.root, "texts"), "wx", 0o600);
    } catch (error) {
      rmSync(this.root, { recursive: true, force: true });
      throw error;
    }
  }

  /** Keeps a text; false when there is one of this path. */
  add(path: string, bytes: Uint8Array): boolean {
    if (this.#places.has(path)) return false;
    this.#places.set(path, { file: join(this.root, "texts"), at: this.#written, size: bytes.length });
    for (let at = 0; at < bytes.length; ) at += writeSync(this.#texts, bytes, at, bytes.length - at);
    this.#written += bytes.length;
    return true;
  }

  placeOf(path: string): TextPlace {
    const place = this.#places.get(path);
    if (place === undefined) throw new Error(`not staged: ${path}`);
    return place;
  }

  /** Where the copy of a file's code lies. */
  codePath(copy: string): string {
    return join(this.root, "code", copy);
  }

  /** Writes the copy of a file's code. */
  addCode(copy: string, code: string): void {
    const folder = dirname(this.codePath(copy));
    if (!this.#made.has(folder)) mkdirSync(folder, { recursive: true, mode: 0o700 });
    this.#made.add(folder);
    writeFileSync(this.codePath(copy), code, { flag: "wx", mode: 0o600 });
  }

  /** Takes all copies of code away while the run goes on; whatever is left goes with the folder. */
  async removeCopies(): Promise<void> {
    await rm(this.codePath(""), { recursive: true, force: true }).catch(() => undefined);
  }

  [Symbol.dispose](): void {
    closeSync(this.#texts);
    rmSync(this.root, { recursive: true, force: true });
  }
}
