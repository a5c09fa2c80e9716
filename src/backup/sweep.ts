/** What killed backups left: found by its name, whatever the backup was to be called. */
import { readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { sweepBeside } from "./beside.ts";

/** Nobody writes to it for this long: then it was left by a killed backup, in milliseconds. */
const LEFT_BEHIND_MS = 60 * 60_000;

const TEMPORARY = /^\.tmp-tower-backup\.[0-9a-f-]{36}(?:-journal|-wal|-shm|-object-\d+)?$/;

/** The name of a backup until it is whole, and the beginning of those of objects that are copied for it. */
export function temporaryName(id: string): string {
  return `.tmp-tower-backup.${id}`;
}

/** Removes all that a backup wrote under another name than its own. */
export async function removeTemporary(folder: string, id: string): Promise<void> {
  const own = temporaryName(id);
  for (const name of await readdir(folder)) {
    if (TEMPORARY.test(name) && name.startsWith(own)) await rm(join(folder, name), { force: true });
  }
}

/** Removes from a folder what killed backups left there, but not what may still be written. */
export async function sweepBackups(folder: string, now: number): Promise<void> {
  for (const name of await readdir(folder)) {
    if (!TEMPORARY.test(name)) continue;
    const path = join(folder, name);
    // Another backup may end, and take its file away, just now.
    const facts = await stat(path).catch(() => undefined);
    if (facts !== undefined && facts.mtimeMs < now - LEFT_BEHIND_MS) await rm(path, { force: true });
  }
  await sweepBeside(folder, now - LEFT_BEHIND_MS);
}
