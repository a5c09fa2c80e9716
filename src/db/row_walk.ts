import type { Database } from "bun:sqlite";
import { BODY_TABLES } from "./append_only.ts";
import { DIGEST_COLUMN, rowDigester } from "./row_digest.ts";

/** A row of a table that carries digests, with the digest it carries and the one that it has. */
export interface WalkedRow {
  /** Its id; of a table without ids its number in the table, as text. */
  readonly id: number | string;
  /** Null in a row from before digests. */
  readonly stored: number | null;
  readonly digest: number;
}

/**
 * Every row of a table that carries digests, in the order of its ids; one row is held at a time. Where its body lies beside it, as it
 * came and not packed, it is taken in.
 */
export function* walkRows(raw: Database, table: string): Generator<WalkedRow> {
  const bodies = BODY_TABLES.get(table);
  const columns = raw.query<{ name: string; type: string }, []>(`PRAGMA table_info(${table})`).all();
  const digested = columns
    .filter(
      ({ name, type }) => name !== DIGEST_COLUMN && !(name === "id" && type.toUpperCase() === "INTEGER"),
    )
    .map(({ name }) => name)
    .concat(bodies === undefined ? [] : "body");
  const digestOf = rowDigester(digested);
  const order = columns.some(({ name }) => name === "id") ? "id" : "rowid";
  const rows = raw.prepare<Record<string, string | number | Uint8Array | null>, []>(
    bodies === undefined
      ? `SELECT CAST(rowid AS TEXT) AS "row number", * FROM ${table} ORDER BY ${order}`
      : `SELECT ${table}.*, ${bodies}.body FROM ${table} LEFT JOIN ${bodies} ON ${bodies}.id = ${table}.id ORDER BY ${table}.id`,
  );
  try {
    for (const row of rows.iterate()) {
      const { id = row["row number"], [DIGEST_COLUMN]: stored } = row;
      yield {
        id: typeof id === "number" || typeof id === "string" ? id : "",
        stored: typeof stored === "number" ? stored : null,
        digest: digestOf(row),
      };
    }
  } finally {
    rows.finalize();
  }
}
