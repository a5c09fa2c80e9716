/** The limits of the machine that the service runs on: file descriptors, the disk, the log of the database. Pure. */

import { nounFor } from "../base/text.ts";
import { DISK_SPACE, raisedTitle, WAL_SIZE } from "../sites/rule_catalogue.ts";

/** Descriptors kept free, so that files and sockets can still be opened: a tenth, at most 256, at least 16. */
export function reserveOf(limit: number): number {
  return Math.max(16, Math.min(256, Math.floor(limit / 10)));
}

/** Whether so many open descriptors reach into the reserve. */
export function isExhausted({ open, limit }: { readonly open: number; readonly limit: number }): boolean {
  return open > limit - reserveOf(limit);
}

/** disk-space: the disk of the data folder is nearly full. */

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

/** Judges the room on a disk; undefined while there is enough. `wasLow` is whether it was low before. */
export function lowDiskOf(
  { free, total }: { readonly free: number; readonly total: number },
  wasLow: boolean,
): LowDisk | undefined {
  const limit = Math.max(LOW_BYTES, total * LOW_SHARE);
  if (free >= (wasLow ? limit * RECOVERED : limit)) return undefined;
  const below = 2 ** Math.ceil(Math.log2(Math.max(free, LEAST_TOLD - 1) + 1));
  const inputs = { free_below: below, total, thresholds: { bytes: LOW_BYTES, share: LOW_SHARE } };
  return { message: raisedTitle(DISK_SPACE, "", inputs, 0), inputs };
}

/** wal-size: the log grows because something keeps an old state of the database open. */

/** A log that is larger than this is alarming, in bytes; one that was larger is cut back to this. */
const LOG_BYTES = 64 * 1024 * 1024;

/** A log that is too large. Message and inputs stay the same until it has doubled. */
export interface LargeLog {
  readonly message: string;
  readonly inputs: {
    readonly above: number;
    readonly held_by: readonly string[];
    readonly thresholds: { readonly bytes: number };
  };
}

/** Judges the size of the log; undefined while it is as it should be. `readers` are who reads the database, in words. */
export function largeLogOf(bytes: number, readers: readonly string[]): LargeLog | undefined {
  if (bytes <= LOG_BYTES) return undefined;
  const above = LOG_BYTES * 2 ** Math.floor(Math.log2((bytes - 1) / LOG_BYTES));
  const inputs = { above, held_by: readers, thresholds: { bytes: LOG_BYTES } };
  return { message: raisedTitle(WAL_SIZE, "", inputs, 0), inputs };
}

/** What is to be done about a log that is too large. */
export function logAdvice(readers: readonly string[]): string {
  if (readers.length === 0) {
    return "No other process is seen to read the database; a backup under way is one reason, a disk that refuses is another.";
  }
  const keep = nounFor(readers.length, "keeps", "keep");
  return `${readers.join(", ")} ${keep} an old state of the database open; end that and the log shrinks.`;
}
