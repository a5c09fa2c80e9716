/** What can be wrong with storage, told apart and put into words. */

import { codeOf, messageOf, PlainError } from "./text.ts";

/** The disk is full, the file is locked, the queue is full or the commit failed: nothing was stored, try again later. */
export class StorageUnavailable extends Error {
  override readonly name = "StorageUnavailable";
}

/** A stored row does not hold what is written there; `message` names the table, the row and what is wrong with it. */
export class DamagedRow extends Error {
  override readonly name = "DamagedRow";
}

const STORAGE_CODES = /^SQLITE_(FULL|IOERR|NOMEM|BUSY|LOCKED|READONLY|CANTOPEN|PROTOCOL|CORRUPT|NOTADB)/;

/** Whether an error means that storage failed, rather than that the write was wrong. */
export function isStorageFailure(error: unknown): boolean {
  return error instanceof StorageUnavailable || STORAGE_CODES.test(codeOf(error));
}

/** Whether an error means that another process holds a lock. */
export function isBusy(error: unknown): boolean {
  return /^SQLITE_(BUSY|LOCKED)/.test(codeOf(error));
}

/** Whether an error means that the file does not hold what a database holds. */
export function isDamage(error: unknown): boolean {
  return /^SQLITE_(CORRUPT|NOTADB)/.test(codeOf(error));
}

/** Codes of SQLite and of the system, and what each means to an operator. */
const MEANINGS: readonly (readonly [code: RegExp, words: string])[] = [
  // Making the index of the log fails this way where no block is left.
  [/^(ENOSPC|EDQUOT|SQLITE_FULL|SQLITE_IOERR_SHMSIZE)$/, "the disk is full"],
  [/^(EROFS|SQLITE_READONLY)/, "it can only be read"],
  [/^(EACCES|EPERM|SQLITE_PERM|SQLITE_AUTH)/, "this user may not use it"],
  [/^(EEXIST|ENOTDIR)$/, "a file is in its way"],
  [/^(EMFILE|ENFILE)$/, "no file descriptor is left"],
  [/^SQLITE_(BUSY|LOCKED)/, "another process keeps it locked"],
  [/^SQLITE_(CORRUPT|NOTADB)/, "it is damaged"],
  [/^SQLITE_NOMEM/, "there is no memory left"],
  [/^(EIO|SQLITE_IOERR)/, "the disk does not read or write it"],
  [/^(EISDIR|SQLITE_CANTOPEN)/, "it is not a file that can be opened"],
];

/** What a storage failure means, in words that end a sentence: "the disk is full"; its own text where it is none of the known. */
export function storageFault(error: unknown): string {
  const cause = error instanceof StorageUnavailable ? (error.cause ?? error) : error;
  const code = codeOf(cause);
  return MEANINGS.find(([known]) => known.test(code))?.[1] ?? messageOf(cause);
}

/** The same behind the path that the system names, where it names one. */
export function pathFault(error: unknown): string {
  const { path } = error as { readonly path?: unknown };
  return typeof path === "string" ? `${path}: ${storageFault(error)}` : storageFault(error);
}

/** Whether a failure says that no room is left. */
export function isFull(error: unknown): boolean {
  return storageFault(error) === MEANINGS[0]?.[1];
}

const OWN_FRAME = /(?:^|[\\/])([\w-]+\.[jt]sx?:\d+)/;

/**
 * What an error of a job that asks others may be called where it is kept: its message may hold what a provider said, or an address
 * with a key in it, so its name and the place it was thrown at stand for it, but where it is in words of our own.
 */
export function errorWords(error: unknown): string {
  if (isStorageFailure(error)) return storageFault(error);
  if (error instanceof PlainError) return error.message;
  if (!(error instanceof Error)) return "it threw something that is no error";
  const frame = error.stack
    ?.split("\n")
    .slice(1)
    .map((line) => OWN_FRAME.exec(line)?.[1])
    .find(Boolean);
  return frame === undefined ? error.name : `${error.name} at ${frame}`;
}
