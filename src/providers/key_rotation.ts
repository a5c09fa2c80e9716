/** What a change of the key works with. */

import { anchorAudit, appendAudit, keyAudit } from "../access/audit.ts";
import type { Ids } from "../base/base.ts";
import type { Config } from "../base/config.ts";
import { type Files, replaceFile } from "../base/files.ts";
import { InstallationKeys, keyBeforePath, keyPath, keysIn, NONCE_BYTES, readKeyFile } from "../base/keys.ts";
import { logOf } from "../base/log.ts";
import { KEY_BYTES } from "../base/setting.ts";
import { countWords } from "../base/text.ts";
import { noteFailure, noteRecovery } from "../health/monitoring.ts";
import { SEALED_TEXT_TABLES, type SealedTextTable } from "../store/key_uses.ts";
import { type Db, type Store, statement, type Tx } from "../store/store.ts";
import type { Writer } from "../store/writer.ts";
import { type CredentialRow, findOfAccount, listRows, updateRow } from "./credentials.ts";
import { accountCode, type By, keptKey, readRow, type SealDeps, sealed } from "./sealing.ts";

/**
 * Texts of other features that are sealed as credentials are, such as the addresses of channels. Each table of `SEALED_TEXT_TABLES` has the
 * columns `id`, `connection_revision`, `key_id` and `sealed`; a new key seals them anew together with the credentials.
 */

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
const listSealedTexts = (db: Db) => list(db).all();

/** Seals with the key in force what is sealed with one before it; gives how many were, and the ids of those that no key opens. */
function resealTexts(tx: Tx, deps: SealDeps) {
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

interface RotateDeps {
  readonly config: Pick<Config, "credentialsKey" | "dataDir">;
  readonly store: Store;
  readonly writer: Writer;
  readonly keys: InstallationKeys;
  readonly ids: Ids;
  readonly files: Files;
}

/** What a change of the key came to. */
type Rotated =
  | {
      readonly ok: true;
      /** Ids of the keys. */
      readonly before: string;
      readonly now: string;
      readonly resealed: number;
      readonly unreadable: readonly string[];
      /** Where the key before lies; undefined where it was dropped. */
      readonly kept: string | undefined;
    }
  /** The key is a setting's; or it is lost; or its file holds another one by now; or it is being changed just now. */
  | { readonly ok: false; readonly why: "setting" | "lost" | "changed" | "busy" };

/** Keys that are being changed: of two at once, the second would not know what the first has sealed. */
const underWay = new WeakSet<InstallationKeys>();

/**
 * Makes a new key for a data folder that keeps its own, and seals everything with it. In this order, so that a kill at any step
 * leaves what the next start takes up (`takeUpCredentials`): the key before lies beside, durable; the new one is the folder's,
 * durable; one transaction seals every row anew and fixes the audit with the new key. The key before goes only when it is asked for
 * and no row names it: backups made until now are proven, and their credentials read, by that key alone.
 */
export async function rotateKey(
  deps: RotateDeps,
  by: By,
  asked: { readonly drop: boolean },
): Promise<Rotated> {
  const { keys } = deps;
  if (underWay.has(keys)) return { ok: false, why: "busy" };
  underWay.add(keys);
  try {
    return await rotateNow(deps, by, asked);
  } finally {
    underWay.delete(keys);
  }
}

async function rotateNow(
  deps: RotateDeps,
  { actor, now }: By,
  { drop }: { readonly drop: boolean },
): Promise<Rotated> {
  const { config, store, writer, keys, ids, files } = deps;
  const path = keyPath(config.dataDir);
  if (config.credentialsKey !== undefined) return { ok: false, why: "setting" };
  if (keys.isStandIn) return { ok: false, why: "lost" };
  if (readKeyFile(path)?.id !== keys.id) return { ok: false, why: "changed" };
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
      appendAudit(tx, {
        at: now,
        actor,
        act: "credentials-key.rotate",
        target: `key:${next.id}`,
        detail: {
          key_before: before,
          resealed: resealed.resealed,
          unreadable: [...resealed.unreadable],
        },
      });
      return resealed;
    })
    .catch((error: unknown) => {
      keyAudit(store.main, keys.forPurpose("audit"));
      throw error;
    });
  keys.turnTo(next);
  const isFree = [...listRows(store.db), ...listSealedTexts(store.db)].every(
    ({ key_id }) => key_id !== before,
  );
  if (drop && isFree) {
    await files.remove(beside);
    await files.syncFolder(config.dataDir);
  }
  const kept = drop && isFree ? undefined : beside;
  return { ok: true, before, now: next.id, ...done, kept };
}

/** What sealing anew came to, in credentials and other sealed texts. */
interface Resealed {
  readonly resealed: number;
  /** Those that no key which is here opens; they stay as they are. */
  readonly unreadable: readonly string[];
}

/** Seals with the key in force whatever is sealed with one before it. No edit: neither the secret nor what is said of it changes. */
function resealAll(tx: Tx, deps: SealDeps): Resealed {
  let resealed = 0;
  const unreadable: string[] = [];
  for (const row of listRows(tx)) {
    const secret = readRow(deps.keys, row);
    if (secret === undefined) unreadable.push(row.id);
    if (secret === undefined || row.key_id === deps.keys.id) continue;
    const code = accountCode(deps.keys, secret);
    // While its key was away the same account may have been stored anew: that one keeps the code.
    const owner = findOfAccount(tx, row.kind, code);
    const account = owner === undefined || owner.id === row.id ? code : row.account;
    updateRow(tx, sealed(deps, { ...row, account }, secret));
    resealed++;
  }
  const texts = resealTexts(tx, deps);
  return { resealed: resealed + texts.resealed, unreadable: [...unreadable, ...texts.unreadable] };
}

/** A credential that cannot be read is something that should be watched and is not: it counts as a monitoring failure while that lasts. */

const watched = (id: string) => ({ kind: "credentials", asset: "", source: "", subject: id }) as const;

/** Notes of each credential and each other sealed text whether it can be read; returns those that cannot. */
function noteReadable(
  tx: Tx,
  keys: InstallationKeys,
  now: number,
): readonly Pick<CredentialRow, "id" | "sealed">[] {
  const [credentials, texts] = [listRows(tx), listSealedTexts(tx)];
  const rows = [...credentials, ...texts];
  const unreadable = [
    ...credentials.filter((row) => readRow(keys, row) === undefined),
    ...texts.filter((row) => openText(keys, row.table, row) === undefined),
  ];
  for (const row of rows) {
    if (!unreadable.some(({ id }) => id === row.id)) noteRecovery(tx, watched(row.id), now);
    else noteFailure(tx, watched(row.id), { reason: "it cannot be read with this installation's key", now });
  }
  return unreadable;
}

/** It has another secret, or is gone. */
export function noteMended(tx: Tx, id: string, now: number): void {
  noteRecovery(tx, watched(id), now);
}

/** What a start needs to take the stored credentials up. */

interface TakeUpDeps {
  readonly config: Pick<Config, "credentialsKeyPrevious">;
  readonly store: Store;
  readonly writer: Writer;
  readonly keys: InstallationKeys;
  readonly ids: Ids;
}

/**
 * At a start, what is sealed with a key of before is sealed with the one in force, all of it in one transaction: so a change of the
 * key is finished wherever it was cut off. What no key opens stays, and is told.
 */
export async function takeUpCredentials(deps: TakeUpDeps, now: number): Promise<void> {
  const { store, writer, keys } = deps;
  if (listRows(store.db).length + listSealedTexts(store.db).length > 0) {
    let [resealed, unreadable]: [number, ReturnType<typeof noteReadable>] = [0, []];
    await writer.writeOrDefer((tx) => {
      if (!keys.isStandIn) resealed = resealNow(tx, deps, now);
      unreadable = noteReadable(tx, keys, now);
    });
    if (resealed > 0) {
      logOf("credentials").warn("credentials are sealed with the key in force", { resealed, key: keys.id });
    }
    if (unreadable.length > 0) {
      logOf("credentials").error(
        `${countWords(unreadable.length, "stored credential")} ${whyUnreadable(unreadable)} (tower credential add … --replace <id>, of a channel tower channel add … --replace <id>)`,
        { ids: unreadable.map(({ id }) => id).join(", ") },
      );
    }
  }
  tellPrevious(deps);
}

/** Why, and what helps: where a backup of unproven origin was restored no key does, since it took the secrets out. */
function whyUnreadable(rows: ReturnType<typeof noteReadable>): string {
  return rows.every(({ sealed }) => sealed === "")
    ? "lost the secret when a backup of unproven origin was restored: put each file in again"
    : "cannot be read with the key that is here: put the right key back, or put each file in again";
}

function resealNow(tx: Tx, deps: TakeUpDeps, now: number): number {
  const { resealed, unreadable } = resealAll(tx, deps);
  if (resealed === 0) return 0;
  appendAudit(tx, {
    at: now,
    actor: "service",
    act: "credentials-key.reseal",
    target: `key:${deps.keys.id}`,
    detail: { resealed, unreadable: [...unreadable] },
  });
  return resealed;
}

/** Says when nothing is left under the key of before that a setting gives. */
function tellPrevious({ config, store }: TakeUpDeps): void {
  const previous = config.credentialsKeyPrevious && keysIn(config.credentialsKeyPrevious)?.id;
  if (previous === undefined || previous === "") return;
  const sealed = [...listRows(store.db), ...listSealedTexts(store.db)];
  if (sealed.some(({ key_id }) => key_id === previous)) return;
  logOf("credentials").info(
    "CREDENTIALS_KEY_PREVIOUS is needed no more: nothing is sealed with it; keep that key with the backups that were made under it",
    { key: previous },
  );
}
