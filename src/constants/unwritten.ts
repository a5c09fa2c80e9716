/**
 * A version that is in effect while its file is still to be written. A save commits its version, its audit row and this mark
 * together, and only then lets the file follow: a crash or a failure before the commit leaves the old file and the old version,
 * and one after it is made good at the next look.
 */
import * as v from "valibot";
import { DamagedRow, type Db, findServiceFact, putServiceState, type Tx } from "../db/mod.ts";

const NAME = "constants.unwritten";

const UnwrittenSchema = v.strictObject({
  version: v.pipe(v.number(), v.integer()),
  over: v.array(v.string()),
});

/** What the file is to become, and what it was. */
export interface Unwritten {
  readonly version: number;
  /** Digests of the texts that may stand there until then; any other is an edit of later, which goes before. */
  readonly over: readonly string[];
}

/** The version whose file is to be written, if there is one. Throws `DamagedRow`. */
export function findUnwritten(db: Db): Unwritten | undefined {
  return findServiceFact(db, NAME, UnwrittenSchema);
}

/** Notes that a version's file is to be written. */
export function markUnwritten(tx: Tx, unwritten: Unwritten, now: number): void {
  putServiceState(tx, NAME, JSON.stringify(unwritten), now);
}

/** Notes that the file is what its version is. */
export function markWritten(tx: Tx, now: number): void {
  putServiceState(tx, NAME, "", now);
}

/** What is wrong with the mark; nothing where it can be read. */
export function markFaults(db: Db): string[] {
  try {
    findUnwritten(db);
    return [];
  } catch (error) {
    if (error instanceof DamagedRow) return [error.message];
    throw error;
  }
}
