/** Another key for the installation: made, and everything that is sealed is sealed with it. */

import { anchorAudit, auditAct, keyAudit } from "../access/audit.ts";
import type { Ids } from "../base/base.ts";
import type { Config } from "../base/config.ts";
import { type Files, replaceFile } from "../base/files.ts";
import { InstallationKeys, keyBeforePath, keyPath, readKeyFile } from "../base/keys.ts";
import { KEY_BYTES } from "../base/setting.ts";
import { SEALED_TEXT_TABLES, type SealedTextTable } from "../store/key_uses.ts";
import { type Db, type Store, statement, type Tx } from "../store/store.ts";
import type { Writer } from "../store/writer.ts";
import { findOfAccount, listRows, updateRow } from "./credentials.ts";
import {
  accountCode,
  openText,
  readRow,
  type SealDeps,
  type SealedText,
  sealed,
  sealText,
} from "./sealing.ts";

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

/** The ids of all keys that anything is sealed with. */
export const sealedWith = (db: Db): ReadonlySet<string> =>
  new Set([...listRows(db).map(({ keyId }) => keyId), ...listSealedTexts(db).map(({ key_id }) => key_id)]);

interface RotateDeps {
  readonly config: Pick<Config, "credentialsKey" | "dataDir">;
  readonly store: Store;
  readonly writer: Writer;
  readonly keys: InstallationKeys;
  readonly ids: Ids;
  readonly files: Files;
}

/** The key is a setting's; or it is lost; or its file holds another one by now; or it is being changed just now. */
const refused = (why: "setting" | "lost" | "changed" | "busy") => ({ ok: false, why }) as const;

/** Keys that are being changed: of two at once, the second would not know what the first has sealed. */
const underWay = new WeakSet<InstallationKeys>();

/**
 * Makes a new key for a data folder that keeps its own, and seals everything with it. In this order, so that a kill at any step
 * leaves what the next start finishes (`resealAtStart`): the key before lies beside, durable; the new one is the folder's,
 * durable; one transaction seals every row again and fixes the audit with the new key. The key before goes only when it is asked for
 * and no row names it: backups made until now are proven, and their credentials read, by that key alone.
 */
export async function rotateKey(
  deps: RotateDeps,
  by: { readonly actor: string; readonly now: number },
  asked: { readonly drop: boolean },
) {
  const { keys } = deps;
  if (underWay.has(keys)) return refused("busy");
  underWay.add(keys);
  try {
    return await rotateNow(deps, by, asked);
  } finally {
    underWay.delete(keys);
  }
}

async function rotateNow(
  deps: RotateDeps,
  { actor, now }: { readonly actor: string; readonly now: number },
  { drop }: { readonly drop: boolean },
) {
  const { config, store, writer, keys, ids, files } = deps;
  const path = keyPath(config.dataDir);
  if (config.credentialsKey !== undefined) return refused("setting");
  if (keys.isStandIn) return refused("lost");
  if (readKeyFile(path)?.id !== keys.id) return refused("changed");
  const before = keys.id;
  const beside = keyBeforePath(config.dataDir, before);
  const next = new InstallationKeys(ids.bytes(KEY_BYTES));
  next.alsoOpen(keys);
  await replaceFile(files, beside, keys.fileBytes(), 0o600);
  await replaceFile(files, path, next.fileBytes(), 0o600);
  // From here on rows may be sealed with either: a commit that is told as failed may have reached the disk.
  keys.alsoOpen(next);
  const done = await writer
    .write((tx) => {
      const resealed = resealAll(tx, { keys: next, ids });
      keyAudit(store.main, next.forPurpose("audit"));
      anchorAudit(tx, now);
      auditAct(tx, { actor, now }, "credentials-key.rotate", `key:${next.id}`, {
        key_before: before,
        resealed: resealed.resealed,
        unreadable: [...resealed.unreadable],
      });
      return resealed;
    })
    .catch((error: unknown) => {
      keyAudit(store.main, keys.forPurpose("audit"));
      throw error;
    });
  keys.turnTo(next);
  const isFree = !sealedWith(store.db).has(before);
  if (drop && isFree) {
    await files.remove(beside);
    await files.syncFolder(config.dataDir);
  }
  /** Where the key before lies; undefined where it was dropped. */
  const kept = drop && isFree ? undefined : beside;
  return { ok: true, before, now: next.id, ...done, kept } as const;
}

/** Seals with the key in force whatever is sealed with one before it. No edit: neither the secret nor what is said of it changes. */
export function resealAll(tx: Tx, deps: SealDeps) {
  let resealed = 0;
  /** Ids of those that no key which is here opens; they stay as they are. */
  const unreadable: string[] = [];
  for (const row of listRows(tx)) {
    const secret = readRow(deps.keys, row);
    if (secret === undefined) unreadable.push(row.id);
    if (secret === undefined || row.keyId === deps.keys.id) continue;
    const code = accountCode(deps.keys, secret);
    // While its key was away the same account may have been stored again: that one keeps the code.
    const owner = findOfAccount(tx, row.kind, code);
    const account = owner === undefined || owner.id === row.id ? code : row.account;
    updateRow(tx, sealed(deps, { ...row, account }, secret));
    resealed++;
  }
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
