/**
 * Texts of other features that are sealed as credentials are, such as the addresses of channels. Each table of `SEALED_TEXT_TABLES` has the
 * columns `id`, `connection_revision`, `key_id` and `sealed`; a new key seals them anew together with the credentials.
 */
import { type Db, SEALED_TEXT_TABLES, type SealedTextTable, statement, type Tx } from "../db/mod.ts";
import type { InstallationKeys } from "../platform/keys.ts";
import { NONCE_BYTES } from "../platform/sealing.ts";
import { keptKey, type SealDeps } from "./edit.ts";

/** What a row keeps of a sealed text; `sealed` is '' where it was given up. */
interface SealedText {
  readonly id: string;
  readonly connection_revision: string;
  readonly key_id: string;
  readonly sealed: string;
}
type Row = Pick<SealedText, "id" | "connection_revision">;

/** Seals a text for its row: in another row, or under another connection revision, it opens no more. Throws while the key is lost. */
export function sealText({ keys, ids }: SealDeps, table: SealedTextTable, row: Row, text: string) {
  const key = keptKey(keys);
  return { key_id: key.id, sealed: key.seal(text, boundTo(table, row, key.id), ids.bytes(NONCE_BYTES)) };
}

/** The text of a row; undefined where it cannot be read with the keys that are here. */
export function openText(
  keys: InstallationKeys,
  table: SealedTextTable,
  row: SealedText,
): string | undefined {
  return keys.sealing(row.key_id)?.open(row.sealed, boundTo(table, row, row.key_id));
}

const boundTo = (table: SealedTextTable, { id, connection_revision }: Row, key: string) =>
  `${table}|${id}|${connection_revision}|${key}`;

const list = statement<SealedText & { readonly table: SealedTextTable }, []>(
  SEALED_TEXT_TABLES.map(
    (table) =>
      `SELECT '${table}' AS "table", id, connection_revision, key_id, sealed FROM ${table} WHERE sealed <> ''`,
  ).join(" UNION ALL "),
);

const put = (table: SealedTextTable) =>
  statement<never, [string, string, string]>(`UPDATE ${table} SET key_id = ?, sealed = ? WHERE id = ?`);

/** Every text that is sealed, with the key that it is sealed with. */
export const listSealedTexts = (db: Db) => list(db).all();

/** Seals with the key in force what is sealed with one before it; gives how many were, and the ids of those that no key opens. */
export function resealTexts(tx: Tx, deps: SealDeps) {
  let resealed = 0;
  const unreadable: string[] = [];
  for (const row of listSealedTexts(tx)) {
    const { id, table } = row;
    const text = openText(deps.keys, table, row);
    if (text === undefined) unreadable.push(id);
    if (text === undefined || row.key_id === deps.keys.id) continue;
    const { key_id, sealed } = sealText(deps, table, row, text);
    put(table)(tx).run(key_id, sealed, id);
    resealed++;
  }
  return { resealed, unreadable };
}

/** Takes every sealed text out; the rows stay. */
export function loseTexts(tx: Tx): void {
  for (const table of SEALED_TEXT_TABLES)
    statement<never, []>(`UPDATE ${table} SET key_id = '', sealed = ''`)(tx).run();
}
