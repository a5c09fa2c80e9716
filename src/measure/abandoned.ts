/**
 * Folders of runs that were killed before they could remove them. The next run does it, but only what is certainly nobody's: a folder
 * of our own name, of the same user, closed to others, whose process is gone or whose age no run reaches.
 */
import { lstatSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readText } from "./git/checkout.ts";

/** What the names of all staging folders start with. */
export const STAGE_PREFIX = "tower-measure-";

/** This process, as another one of the same machine can look for it. */
export interface Self {
  readonly pid: number;
  readonly uid: number;
  /** The machine since its start, and the processes that this one can see: a pid means nothing elsewhere. */
  readonly place: string;
  readonly isAlive: (pid: number) => boolean;
}

const OWNER = "owner";
const NAME = new RegExp(`^${STAGE_PREFIX}[A-Za-z0-9]{6}$`);
/** Far beyond the longest run, which ends itself after a quarter of that. */
const LONGEST_MS = 60 * 60_000;

/** Says whose a staging folder is. */
export function markOwner(folder: string, self: Self): void {
  writeFileSync(join(folder, OWNER), `${self.pid} ${self.place}\n`, { mode: 0o600 });
}

/** Removes abandoned folders; what cannot be read or removed stays. */
export function removeAbandoned(scratch: string, self: Self, now: number): void {
  for (const name of names(scratch)) {
    const folder = join(scratch, name);
    if (NAME.test(name) && isAbandoned(folder, self, now)) remove(folder);
  }
}

function isAbandoned(folder: string, self: Self, now: number): boolean {
  const found = lstatSync(folder, { throwIfNoEntry: false });
  if (found?.isDirectory() !== true || found.uid !== self.uid || (found.mode & 0o077) !== 0) return false;
  if (now - found.mtimeMs > LONGEST_MS) return true;
  const [, pid, place] = /^(\d{1,10}) (.+)\n$/.exec(readText(join(folder, OWNER), 1_024) ?? "") ?? [];
  return pid !== undefined && place === self.place && !self.isAlive(Number(pid));
}

function names(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function remove(folder: string): void {
  try {
    rmSync(folder, { recursive: true, force: true });
  } catch {
    // Another run may be removing it at the same time; what is left is looked at again by the next one.
  }
}
