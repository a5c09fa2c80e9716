/**
 * Cache for a pass that takes up no page twice, in KiB, negative as SQLite has it: what a larger one would hold at the start, the
 * service would hold for as long as it lives.
 */

import type { Database } from "bun:sqlite";
import { isDamage, isStorageFailure } from "../base/storage_fault.ts";
import { messageOf } from "../base/text.ts";
import { checkSchema } from "./migrations.ts";
import { openReadOnly, type Store } from "./store.ts";

/** What speaks against a database file: broken pages, rows that point to none, a schema that no migration of this release makes. Reads only. */

/** The primary code of every failure to read or write. */
const SQLITE_IOERR = 10;

/** Most faults that SQLite is asked for at once. */
const MOST_FAULTS = 20;

/** Everything SQLite can tell of the file: pages, records, indexes against tables, constraints. */
export function fileFaults({ rawRead }: Store): string[] {
  return linesOf(rawRead, `PRAGMA integrity_check(${MOST_FAULTS})`);
}

/** What SQLite can tell of the file in one pass over it: everything but indexes against tables. */
function quickFaults({ rawRead }: Store): string[] {
  return linesOf(rawRead, `PRAGMA quick_check(${MOST_FAULTS})`);
}

/** Rows that point to a row that is not there. */
export function foreignKeyFaults({ rawRead }: Store): string[] {
  return rawRead
    .query<{ table: string; rowid: number | null; parent: string }, []>("PRAGMA foreign_key_check")
    .all()
    .map(({ table, rowid, parent }) => `${table}, row ${rowid}: it points to a missing row of ${parent}`);
}

function linesOf(raw: Database, pragma: string): string[] {
  return raw
    .query<Record<string, string>, []>(pragma)
    .all()
    .flatMap((row) => Object.values(row))
    .filter((line) => line !== "ok")
    .map(assertRead);
}

/** SQLite lists a page that the disk does not read among those that are damaged, by its code: nothing is known of what it holds. */
function assertRead(line: string): string {
  const code = Number(/unable to get the page\. error code=(\d+)/.exec(line)?.[1] ?? 0);
  if ((code & 0xff) !== SQLITE_IOERR) return line;
  throw Object.assign(new Error("disk I/O error"), { code: "SQLITE_IOERR_READ" });
}

const ONE_PASS_CACHE = -2_000;

/**
 * Why the database at `path` must not be opened for writing: pages that SQLite finds broken, or a schema that is not what this
 * release or an earlier one makes. Empty when nothing is wrong. Reads the file once; migrates and changes nothing. Throws where the
 * file cannot be read at present, which says nothing against it: nobody must put a sound database away that another program locks.
 */
export function damageOf(path: string): string[] {
  try {
    const store = openReadOnly(path, ONE_PASS_CACHE);
    try {
      const broken = quickFaults(store);
      return broken.length > 0 ? broken : checkSchema(store);
    } finally {
      store.close();
    }
  } catch (error) {
    if (isStorageFailure(error) && !isDamage(error)) throw error;
    return [messageOf(error)];
  }
}
