/**
 * The staging folder: copies of the files of one commit, so that a tool sees only what was selected and never the
 * working tree. `code/` holds what is compared: code without tests, under names of our own; `full/` holds every text file.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { markOwner, type Self, STAGE_PREFIX } from "./abandoned.ts";

/** A staging folder of one run. */
export interface Stage {
  /** The folder itself; `code`, `full` and an empty `cwd` lie in it, and `git`, the git folder of the run. */
  readonly root: string;
  readonly made: Set<string>;
}

/** Makes an empty staging folder that only this user can enter, below `parent`. */
export function openStage(parent: string, self?: Self): Stage {
  const stage = { root: mkdtempSync(join(parent, STAGE_PREFIX)), made: new Set<string>() };
  try {
    if (self !== undefined) markOwner(stage.root, self);
    for (const part of ["code", "full", "cwd"]) mkdirSync(join(stage.root, part), { mode: 0o700 });
    return stage;
  } catch (error) {
    closeStage(stage);
    throw error;
  }
}

/** Removes the staging folder and everything in it. */
export function closeStage(stage: Stage): void {
  rmSync(stage.root, { recursive: true, force: true });
}

/** Where a staged file lies. */
export function stagedPath(stage: Stage, path: string): string {
  return join(stage.root, "full", path);
}

/** Writes a file below `full`; false when the file system cannot hold the name (too long, or equal but for case). */
export function stageFile(stage: Stage, path: string, bytes: Uint8Array): boolean {
  try {
    makeFolder(stage, join("full", dirname(path)));
    writeFileSync(stagedPath(stage, path), bytes, { flag: "wx", mode: 0o600 });
    return true;
  } catch (error) {
    if (isNameFault(error)) return false;
    throw error;
  }
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

/** Takes the copy of a file's code away again. */
export function removeCode(stage: Stage, copy: string): void {
  rmSync(codePath(stage, copy));
}

function makeFolder(stage: Stage, folder: string): void {
  if (stage.made.has(folder)) return;
  mkdirSync(join(stage.root, folder), { recursive: true, mode: 0o700 });
  stage.made.add(folder);
}

const NAME_FAULTS = new Set(["EEXIST", "ENAMETOOLONG", "ENOTDIR", "EISDIR", "EILSEQ", "EINVAL"]);

function isNameFault(error: unknown): boolean {
  return error instanceof Error && "code" in error && NAME_FAULTS.has(String(error.code));
}
