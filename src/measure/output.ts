/**
 * Writing a report to a file: whole or not at all. It is written beside its place and then moved there; where no file can be made beside
 * it, the file that is there is written itself. What can be known is asked before anything is measured.
 */

import {
  accessSync,
  chmodSync,
  constants,
  mkdtempSync,
  realpathSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { machineFault } from "./child.ts";

/** Why a report could not be written there, or `undefined`. */
export function whyNotWritable(path: string): string | undefined {
  try {
    const found = statSync(path, { throwIfNoEntry: false });
    if (found?.isDirectory() === true) return "it is a folder";
    const folder = statSync(dirname(path), { throwIfNoEntry: false });
    if (folder === undefined) return "its folder does not exist";
    if (!folder.isDirectory()) return "it would lie in a file";
    accessSync(found === undefined ? dirname(path) : path, constants.W_OK);
    return undefined;
  } catch (error) {
    return machineFault(error);
  }
}

/** Writes the text, or says why it could not; nothing half-written is left. */
export async function writeWhole(path: string, text: string): Promise<string | undefined> {
  try {
    const found = statSync(path, { throwIfNoEntry: false });
    // A pipe or a device has no other place to be written to, and may take it when it likes.
    if (found !== undefined && !found.isFile()) await writeFile(path, text);
    else if (!replace(found === undefined ? path : realpathSync(path), found, text)) overwrite(path, text);
    return undefined;
  } catch (error) {
    return machineFault(error);
  }
}

/** False when no file can be made beside, or none can be moved over the one that is there (a file that is mounted alone). */
function replace(path: string, found: Stats | undefined, text: string): boolean {
  let beside: string;
  try {
    beside = mkdtempSync(join(dirname(path), ".codebase-report-"));
  } catch (error) {
    if (found === undefined) throw error;
    return false;
  }
  try {
    const part = join(beside, "part");
    writeFileSync(part, text);
    // Set by itself: the mode of a new file passes through the process's mask.
    if (found !== undefined) chmodSync(part, found.mode & 0o777);
    renameSync(part, path);
    return true;
  } catch (error) {
    if (found !== undefined && error instanceof Error && "code" in error && error.code === "EBUSY")
      return false;
    throw error;
  } finally {
    rmSync(beside, { recursive: true, force: true });
  }
}

function overwrite(path: string, text: string): void {
  try {
    writeFileSync(path, text);
  } catch (error) {
    truncateSync(path);
    throw error;
  }
}

/** Writes a text under the first of some names that nothing has yet. Throws what the machine answers. */
export function writeNew(folder: string, stem: string, ending: string, text: string): string {
  for (let number = 1; ; number++) {
    const path = join(folder, `${stem}${number === 1 ? "" : `-${number}`}${ending}`);
    if (statSync(path, { throwIfNoEntry: false }) !== undefined) continue;
    try {
      writeFileSync(path, text, { flag: "wx", mode: 0o600 });
      return path;
    } catch (error) {
      if (error instanceof Error && "code" in error && error.code === "EEXIST") continue;
      rmSync(path, { force: true });
      throw error;
    }
  }
}
