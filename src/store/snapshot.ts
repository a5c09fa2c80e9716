/** Rows by table. */

import type { Database } from "bun:sqlite";
import { openToRead, type Store } from "./store.ts";

/** Tables that only ever grow; triggers refuse UPDATE and DELETE on them. */
export const APPEND_ONLY_TABLES: readonly string[] = [
  "annotation",
  "annotation_strike",
  "archive_object",
  "archive_report",
  "archive_target",
  "audit",
  "codebase_report",
  "constants_version",
  "flag_record",
  "health_event",
  "health_target",
  "job_end",
  "job_run",
  "ledger_entry",
  "monitoring_event",
  "panel_result",
  "panel_run",
  "pull_target",
  "pulse",
];

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
