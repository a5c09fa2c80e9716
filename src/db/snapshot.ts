import type { Database } from "bun:sqlite";
import { APPEND_ONLY_TABLES } from "./append_only.ts";
import { openToRead, type Store } from "./open.ts";

/** Rows by table. */
export type RowCounts = Readonly<Record<string, number>>;

/**
 * Writes what is committed in the database at `from` into the empty file `to`, as one consistent whole, while others go on
 * writing. Returns the rows that the append-only tables held when it began: the copy holds at least those. Runs for as long as
 * copying takes, so never on the event loop. SQLite does not sync the copy; that is left to the caller.
 */
export function snapshotInto(from: string, to: string): RowCounts {
  const source = openToRead(from);
  try {
    source.run("PRAGMA busy_timeout = 5000");
    source.run("PRAGMA cell_size_check = ON");
    const before = countIn(source);
    source.query("VACUUM INTO ?").run(to);
    return before;
  } finally {
    source.close();
  }
}

/** The rows of every append-only table. */
export function countAppendOnly(store: Store): RowCounts {
  return countIn(store.rawRead);
}

function countIn(raw: Database): RowCounts {
  return Object.fromEntries(
    APPEND_ONLY_TABLES.map((table) => {
      const [row] = raw.query<{ rows: number }, []>(`SELECT count(*) AS rows FROM ${table}`).all();
      return [table, row?.rows ?? 0];
    }),
  );
}
