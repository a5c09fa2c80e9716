/** What SQLite and the rows' own digests say against a database file. Reads only. */
import type { Database } from "bun:sqlite";
import { messageOf } from "../lib/thrown.ts";
import { APPEND_ONLY_TABLES, BODY_TABLES, DIGESTED_TABLES } from "./append_only.ts";
import { DIGESTED_VERSION } from "./old_rows.ts";
import type { Store } from "./open.ts";
import { walkRows } from "./row_walk.ts";

/** The primary code of every failure to read or write. */
const SQLITE_IOERR = 10;

/** Most faults that SQLite is asked for at once. */
const MOST_FAULTS = 20;

/** Everything SQLite can tell of the file: pages, records, indexes against tables, constraints. */
export function* fileFaults(store: Store): Generator<string> {
  yield* linesOf(store.rawRead, `PRAGMA integrity_check(${MOST_FAULTS})`);
  yield* headerFaults(store);
}

/** What SQLite can tell of the file in one pass over it: everything but indexes against tables. */
export function quickFaults({ rawRead }: Store): string[] {
  return linesOf(rawRead, `PRAGMA quick_check(${MOST_FAULTS})`);
}

/** Rows that point to a row that is not there. */
export function foreignKeyFaults({ rawRead }: Store): string[] {
  return rawRead
    .query<{ table: string; rowid: number | null; parent: string }, []>("PRAGMA foreign_key_check")
    .all()
    .map(({ table, rowid, parent }) => `${table}, row ${rowid}: it points to a missing row of ${parent}`);
}

/** Rows that carry digests and are not what was written, or, of append-only tables, that are gone; each by table and id. */
export function* rowFaults({ rawRead }: Store): Generator<string> {
  for (const table of [...APPEND_ONLY_TABLES, ...DIGESTED_TABLES]) yield* faultsOfRows(rawRead, table);
}

function* faultsOfRows(raw: Database, table: string): Generator<string> {
  let last: number | string | undefined;
  try {
    const before = digestsBefore(raw, table);
    for (const { id, stored, digest } of walkRows(raw, table)) {
      if (typeof id === "number" && id !== (typeof last === "number" ? last : 0) + 1) {
        yield `${table}, row ${id}: the row before it is missing`;
      }
      last = id;
      // Its body may be packed: `src/reports` unpacks it and compares.
      if (BODY_TABLES.has(table)) continue;
      const due = stored ?? before.get(String(id));
      if (due === undefined) yield `${table}, row ${id}: it carries no digest`;
      else if (due !== digest) yield `${table}, row ${id}: it is not as it was written`;
    }
  } catch (error) {
    const place = last === undefined ? "at its start" : `after row ${last}`;
    yield `${table}: it cannot be read on ${place}: ${messageOf(error)}`;
  }
}

function digestsBefore(raw: Database, table: string): Map<string, number> {
  const rows = raw
    .query<{ row: string; digest: number }, [string]>(
      'SELECT row, digest FROM row_digest_before WHERE "table" = ?',
    )
    .all(table);
  return new Map(rows.map(({ row, digest }) => [row, digest]));
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

/** What the file's header must say. Its `user_version` is 0 until a release that knows digests opens it, whichever that is. */
function headerFaults(store: Store): string[] {
  const digested = store.rawRead
    .query("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'row_digest_before'")
    .all();
  const header = [
    ["user_version", digested.length === 0 ? 0 : DIGESTED_VERSION],
    ["application_id", 0],
    ["encoding", "UTF-8"],
  ] as const;
  return header.flatMap(([name, value]) => {
    const [row] = store.rawRead.query<Record<string, unknown>, []>(`PRAGMA ${name}`).all();
    const is = row === undefined ? undefined : Object.values(row)[0];
    return is === value ? [] : [`the header's ${name} is ${String(is)}, not ${value}`];
  });
}
