/**
 * The staging folder: copies of the files of one commit, so that a tool sees only what was selected and never the
 * working tree. `code/` holds what is compared: code without tests, under names of our own; `texts` holds every text file, one behind
 * the other, since a hundred thousand small files take a disk longer than all the rest of a run.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { markOwner, type Self, STAGE_PREFIX } from "./abandoned.ts";
import { type TextPlace, Texts } from "./texts.ts";

/** A staging folder of one run. */
export interface Stage {
  /** The folder itself; `code`, `texts` and an empty `cwd` lie in it, and `git`, the git folder of the run. */
  readonly root: string;
  readonly made: Set<string>;
  readonly texts: Texts;
}

/** Makes an empty staging folder that only this user can enter, below `parent`. */
export function openStage(parent: string, self?: Self): Stage {
  const root = mkdtempSync(join(parent, STAGE_PREFIX));
  const stage = { root, made: new Set<string>(), texts: new Texts(join(root, "texts")) };
  try {
    if (self !== undefined) markOwner(stage.root, self);
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

/** Where a staged text lies. */
export function stagedText(stage: Stage, path: string): TextPlace {
  return stage.texts.placeOf(path);
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
  makeFolder(stage, join("code", dirname(copy)));
  writeFileSync(codePath(stage, copy), code, { flag: "wx", mode: 0o600 });
}

/** Takes all copies of code away while the run goes on; whatever is left goes with the folder. */
export async function removeCopies(stage: Stage): Promise<void> {
  await rm(join(stage.root, "code"), { recursive: true, force: true }).catch(() => undefined);
}

/** Takes the copy of a file's code away again. */
export function removeCode(stage: Stage, copy: string): void {
  rmSync(codePath(stage, copy));
}

function makeFolder(stage: Stage, folder: string): void {
  if (stage.made.has(folder)) return;
  mkdirSync(join(stage.root, folder), { recursive: true, mode: 0o700 });
  stage.made.add(folder);
}
