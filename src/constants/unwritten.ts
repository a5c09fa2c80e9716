/**
 * A version that is in effect while its file is still to be written. A save commits its version, its audit row and this mark
 * together, and only then lets the file follow: a crash or a failure before the commit leaves the old file and the old version,
 * and one after it is made good at the next look.
 */
import { type Db, findServiceState, putServiceState, type Tx } from "../db/mod.ts";

const NAME = "constants.unwritten";

/** What the file is to become, and what it was. */
export interface Unwritten {
  readonly version: number;
  /** Digests of the texts that may stand there until then; any other is an edit of later, which goes before. */
  readonly over: readonly string[];
}

/** The version whose file is to be written, if there is one. */
export function findUnwritten(db: Db): Unwritten | undefined {
  const text = findServiceState(db, NAME);
  return text === undefined || text === "" ? undefined : (JSON.parse(text) as Unwritten);
}

/** Notes that a version's file is to be written. */
export function markUnwritten(tx: Tx, unwritten: Unwritten, now: number): void {
  putServiceState(tx, NAME, JSON.stringify(unwritten), now);
}

/** Notes that the file is what its version is. */
export function markWritten(tx: Tx, now: number): void {
  putServiceState(tx, NAME, "", now);
}
