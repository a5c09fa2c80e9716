/** The texts of one commit, one behind the other in one file. */

import { closeSync, mkdirSync, mkdtempSync, openSync, rmSync, writeFileSync, writeSync } from "node:fs";
import { rm } from "node:fs/promises";
import { dirname, join } from "node:path";

/** A whole file, or the part of a file that is one text. */
export interface TextPlace {
  readonly file: string;
  readonly at?: number;
  readonly size?: number;
}

class Texts {
  readonly #file: string;
  readonly #places = new Map<string, TextPlace>();
  #fd: number | undefined;
  #written = 0;

  constructor(file: string) {
    this.#file = file;
  }

  /** Adds a text; false when there is one of this path. */
  add(path: string, bytes: Uint8Array): boolean {
    if (this.#places.has(path)) return false;
    this.#places.set(path, { file: this.#file, at: this.#written, size: bytes.length });
    this.#fd ??= openSync(this.#file, "wx+", 0o600);
    for (let at = 0; at < bytes.length; ) at += writeSync(this.#fd, bytes, at, bytes.length - at);
    this.#written += bytes.length;
    return true;
  }

  placeOf(path: string): TextPlace {
    const place = this.#places.get(path);
    if (place === undefined) throw new Error(`not staged: ${path}`);
    return place;
  }

  close(): void {
    if (this.#fd !== undefined) closeSync(this.#fd);
    this.#fd = undefined;
  }
}

/** The text at a place, decoded. */
export function readText({ file, at = 0, size }: TextPlace): Promise<string> {
  return Bun.file(file)
    .slice(at, size === undefined ? undefined : at + size)
    .text();
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
  const root = mkdtempSync(join(parent, "tower-measure-"));
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
