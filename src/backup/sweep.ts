/** What killed backups left: found by its name, whatever the backup was to be called. */
import { readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";

/** Nobody writes to it for this long: then it was left by a killed backup, in milliseconds. */
const LEFT_BEHIND_MS = 60 * 60_000;

const TEMPORARY = /^\.tmp-tower-backup\.[0-9a-f-]{36}(?:-journal|-wal|-shm)?$/;

/** The name of a backup until it is whole. */
export function temporaryName(id: string): string {
  return `.tmp-tower-backup.${id}`;
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
}
