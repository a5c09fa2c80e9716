/** Giving a finished file its name, so that the name never stands for less than the whole file, or for another one. */
import { link, rename, rm, stat } from "node:fs/promises";
import { dirname } from "node:path";
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
    const code = (error as { code?: unknown }).code;
    if (code === "EEXIST") return false;
    if (typeof code !== "string" || !NO_LINKS.has(code)) throw error;
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
    if ((error as { code?: unknown }).code === "ENOENT") return false;
    throw error;
  }
}
