/** disk-space: the disk of the data folder is nearly full. Pure. */
import { DISK_SPACE, raisedTitle } from "../rules/mod.ts";

/** Less than this is low on any disk, in bytes. */
const LOW_BYTES = 256 * 1024 * 1024;
/** A smaller share than this is low, too. */
const LOW_SHARE = 0.05;
/** How far above the limit the room must be to count as found again: a file that comes and goes is no news each time. */
const RECOVERED = 1.1;

/** Room below this is all one, in bytes. */
const LEAST_TOLD = 1024 * 1024;

/** A disk that is nearly full. Message and inputs stay the same until half of the room is gone, or twice of it has come. */
export interface LowDisk {
  readonly message: string;
  readonly inputs: {
    readonly free_below: number;
    readonly total: number;
    readonly thresholds: { readonly bytes: number; readonly share: number };
  };
}

/** Judges the room on a disk; undefined while there is enough. `held` is whether it was low before. */
export function judgeDisk(
  { free, total }: { readonly free: number; readonly total: number },
  held: boolean,
): LowDisk | undefined {
  const limit = Math.max(LOW_BYTES, total * LOW_SHARE);
  if (free >= (held ? limit * RECOVERED : limit)) return undefined;
  const below = 2 ** Math.ceil(Math.log2(Math.max(free, LEAST_TOLD - 1) + 1));
  const inputs = { free_below: below, total, thresholds: { bytes: LOW_BYTES, share: LOW_SHARE } };
  return { message: raisedTitle(DISK_SPACE, "", inputs, 0), inputs };
}
