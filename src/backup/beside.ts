/**
 * The objects of the archive beside backups: one folder for all backups that lie in a folder. An object's name is a digest of what it
 * holds, so that one copy is right for each backup that names it, and what was copied once is not copied again. It is laid out as the
 * archive itself.
 */
import { readdir, realpath, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { codeOf } from "../lib/thrown.ts";
import type { ObjectStore } from "../objects/contract.ts";
import { openObjectStore } from "../objects/mod.ts";
import { systemFiles } from "../platform/files.ts";

/** Where the objects lie that the backups in `folder` name. */
export function besideIn(folder: string): string {
  return join(folder, "tower-archive");
}

/** The objects beside the backups in `folder`. Nothing is made before something is stored. */
export function storeBeside(folder: string): ObjectStore {
  return openObjectStore({ rawSignals: besideIn(folder), s3: undefined });
}

/** Whether the archive itself lies where its copy would: then there would be only one. */
export async function isArchiveItself(folder: string, rawSignals: string): Promise<boolean> {
  const [beside, archive] = await Promise.all([placeOf(besideIn(folder)), placeOf(rawSignals)]);
  return beside !== undefined && beside === archive;
}

async function placeOf(path: string): Promise<string | undefined> {
  try {
    return await realpath(path);
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    throw error;
  }
}

/** Waits until the disk has the names of all objects: of those, too, that a killed backup brought and did not wait for. */
export async function settleBeside(folder: string): Promise<void> {
  const folders = await objectFolders(folder);
  for (const path of folders) await systemFiles.syncFolder(path);
  const beside = besideIn(folder);
  const above = folders.length === 0 ? [] : [join(beside, "objects"), beside, folder];
  for (const path of above) await systemFiles.syncFolder(path);
}

/** Removes what killed backups left half written, but nothing that was written to since `before`, in milliseconds since the epoch. */
export async function sweepBeside(folder: string, before: number): Promise<void> {
  for (const path of await objectFolders(folder)) {
    for (const name of await readdir(path)) {
      if (!name.startsWith(".tmp-")) continue;
      const left = join(path, name);
      const facts = await stat(left).catch(() => undefined);
      if (facts !== undefined && facts.mtimeMs < before) await rm(left, { force: true });
    }
  }
}

/** The folders that objects lie in; none where there are none. */
async function objectFolders(folder: string): Promise<readonly string[]> {
  const objects = join(besideIn(folder), "objects");
  try {
    const entries = await readdir(objects, { withFileTypes: true });
    return entries.filter((entry) => entry.isDirectory()).map(({ name }) => join(objects, name));
  } catch (error) {
    if (codeOf(error) === "ENOENT") return [];
    throw error;
  }
}
