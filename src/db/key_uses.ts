import type { Store } from "./open.ts";

/** What the database holds that was made with the credentials key, in words. */
export interface KeyUses {
  /** Cannot be read without it. */
  readonly encrypted: readonly string[];
  /** Can be read without it, but no longer be proven. */
  readonly signed: readonly string[];
}

/**
 * Columns that are filled only by the key. Asked of the schema, so that a table counts from its first such row on, and one that
 * a database does not have yet counts as empty.
 */
const COLUMNS: Readonly<Record<keyof KeyUses, readonly (readonly [table: string, column: string])[]>> = {
  encrypted: [["credential", "sealed"]],
  signed: [["audit", "mac"]],
};

/** Lists what was made with the credentials key so far. */
export function listKeyUses(store: Store): KeyUses {
  return { encrypted: filled(store, COLUMNS.encrypted), signed: filled(store, COLUMNS.signed) };
}

function filled(store: Store, columns: readonly (readonly [table: string, column: string])[]): string[] {
  return columns.flatMap(([table, column]) => {
    const known = store.raw
      .query<{ name: string }, [string]>("SELECT name FROM pragma_table_info(?)")
      .all(table);
    if (!known.some(({ name }) => name === column)) return [];
    const [row] = store.raw
      .query<{ rows: number }, []>(`SELECT count(*) AS rows FROM ${table} WHERE ${column} IS NOT NULL`)
      .all();
    return row === undefined || row.rows === 0 ? [] : [`${row.rows} rows of ${table}`];
  });
}
