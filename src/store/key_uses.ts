/** What the database holds that was made with the credentials key, in words. */

import type { KeyUses } from "../base/keys.ts";
import type { Store } from "./store.ts";

/** Tables of other features that hold texts sealed as credentials are (`credentials/sealed_texts.ts`). */
export const SEALED_TEXT_TABLES = ["calendar", "channel"] as const;
export type SealedTextTable = (typeof SEALED_TEXT_TABLES)[number];

const SEALED_TABLES = ["credential", ...SEALED_TEXT_TABLES];

/** Columns that are filled only by the key; '' where what stood in them was given up. */
const COLUMNS: Readonly<
  Record<"encrypted" | "signed", readonly (readonly [table: string, column: string])[]>
> = {
  encrypted: SEALED_TABLES.map((table) => [table, "sealed"] as const),
  signed: [["audit", "mac"]],
};

/** Lists what was made with the credentials key so far. */
export function listKeyUses(store: Store): KeyUses {
  return {
    encrypted: filled(store, COLUMNS.encrypted),
    signed: filled(store, COLUMNS.signed),
    encryptedWith: store.raw
      .query<{ id: string }, []>(
        SEALED_TABLES.map((table) => `SELECT key_id AS id FROM ${table} WHERE sealed <> ''`).join(" UNION "),
      )
      .all()
      .map(({ id }) => id),
  };
}

function filled(store: Store, columns: readonly (readonly [table: string, column: string])[]): string[] {
  return columns.flatMap(([table, column]) => {
    const [row] = store.raw
      .query<{ rows: number }, []>(`SELECT count(*) AS rows FROM ${table} WHERE ${column} <> ''`)
      .all();
    return row === undefined || row.rows === 0 ? [] : [`${row.rows} rows of ${table}`];
  });
}
