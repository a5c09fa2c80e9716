/** Giving a finished file its name, so that the name never stands for less than the whole file, or for another one. */
import { link, rename, rm, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { codeOf } from "../lib/thrown.ts";
import { systemFiles } from "../platform/files.ts";

/** Errors of file systems that know no second name for a file. */
const NO_LINKS = new Set(["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK"]);

/**
 * Names the finished file `temporary` `target`, and waits until the disk has the name. False when `target` is there already:
 * linking, other than renaming, never replaces.
 */
export async function publish(temporary: string, target: string): Promise<boolean> {
  try {
    await link(temporary, target);
    await rm(temporary);
  } catch (error) {
    const code = codeOf(error);
    if (code === "EEXIST") return false;
    if (!NO_LINKS.has(code)) throw error;
    if (await isThere(target)) return false;
    await rename(temporary, target);
  }
  await systemFiles.syncFolder(dirname(target));
  return true;
}

/** Whether anything bears this name. */
export async function isThere(path: string): Promise<boolean> {
  try {
    await stat(path);
    return true;
  } catch (error) {
    if (codeOf(error) === "ENOENT") return false;
    throw error;
  }
}
