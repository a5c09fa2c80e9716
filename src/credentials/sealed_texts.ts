/**
 * Texts of other features that are sealed as credentials are, such as the addresses of channels. Each table of `SEALED_TEXT_TABLES` has the
 * columns `id`, `connection_revision`, `key_id` and `sealed`; a new key seals them anew together with the credentials.
 */
import { type Db, SEALED_TEXT_TABLES, type SealedTextTable, statement, type Tx } from "../db/mod.ts";
import type { InstallationKeys } from "../platform/keys.ts";
import { NONCE_BYTES } from "../platform/sealing.ts";
import { keptKey, type SealDeps } from "./edit.ts";

/** What a row keeps of a sealed text; `sealed` is '' where it was given up. */
export interface SealedText {
  readonly id: string;
  readonly connection_revision: string;
  readonly key_id: string;
  readonly sealed: string;
}

/** Seals a text for its row: in another row, or under another connection revision, it opens no more. Throws while the key is lost. */
export function sealText(
  { keys, ids }: SealDeps,
  table: SealedTextTable,
  row: Pick<SealedText, "id" | "connection_revision">,
  text: string,
): Pick<SealedText, "key_id" | "sealed"> {
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

function boundTo(
  table: SealedTextTable,
  { id, connection_revision }: Pick<SealedText, "id" | "connection_revision">,
  key: string,
) {
  return `${table}|${id}|${connection_revision}|${key}`;
}

const TABLES = SEALED_TEXT_TABLES.map((table) => ({
  table,
  list: statement<SealedText, []>(
    `SELECT id, connection_revision, key_id, sealed FROM ${table} WHERE sealed <> '' ORDER BY id`,
  ),
  put: statement<never, [string, string, string]>(`UPDATE ${table} SET key_id = ?, sealed = ? WHERE id = ?`),
  lose: statement<never, []>(`UPDATE ${table} SET key_id = '', sealed = ''`),
}));

/** Every text that is sealed, with the key that it is sealed with. */
export function listSealedTexts(db: Db): (SealedText & { readonly table: SealedTextTable })[] {
  return TABLES.flatMap(({ table, list }) =>
    list(db)
      .all()
      .map((row) => ({ ...row, table })),
  );
}

/** Seals with the key in force what is sealed with one before it; gives how many were, and the ids of those that no key opens. */
export function resealTexts(
  tx: Tx,
  deps: SealDeps,
): { readonly resealed: number; readonly unreadable: string[] } {
  let resealed = 0;
  const unreadable: string[] = [];
  for (const { table, list, put } of TABLES) {
    for (const row of list(tx).all()) {
      const text = openText(deps.keys, table, row);
      if (text === undefined) unreadable.push(row.id);
      if (text === undefined || row.key_id === deps.keys.id) continue;
      const { key_id, sealed } = sealText(deps, table, row, text);
      put(tx).run(key_id, sealed, row.id);
      resealed++;
    }
  }
  return { resealed, unreadable };
}

/** Takes every sealed text out; the rows stay. */
export function loseTexts(tx: Tx): void {
  for (const { lose } of TABLES) lose(tx).run();
}
