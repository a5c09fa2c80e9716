/** What the database holds that was made with the credentials key, in words. */

import type { KeyUses } from "../base/keys.ts";
import type { Store } from "./store.ts";

/** Tables of other features that hold texts sealed as credentials are. */
export const SEALED_TEXT_TABLES = ["calendar", "channel"] as const;
export type SealedTextTable = (typeof SEALED_TEXT_TABLES)[number];

const SEALED_TABLES = ["credential", ...SEALED_TEXT_TABLES];

/** Lists what was made with the credentials key so far; '' stands in a column where it was given up. */
export function listKeyUses({ raw }: Store): KeyUses {
  const filled = (table: string, column: string) => {
    const [row] = raw
      .query<{ rows: number }, []>(`SELECT count(*) AS rows FROM ${table} WHERE ${column} <> ''`)
      .all();
    return row === undefined || row.rows === 0 ? [] : [`${row.rows} rows of ${table}`];
  };
  const keys = SEALED_TABLES.map((table) => `SELECT key_id AS id FROM ${table} WHERE sealed <> ''`);
  return {
    encrypted: SEALED_TABLES.flatMap((table) => filled(table, "sealed")),
    signed: filled("audit", "mac"),
    encryptedWith: raw
      .query<{ id: string }, []>(keys.join(" UNION "))
      .all()
      .map(({ id }) => id),
  };
}
