/**
 * Sealing: the one place where credentials are opened. A sealed credential belongs to its row, to the edit revision and to the key that it
 * was sealed with: what is put into another row, or is of an earlier edit, opens no more.
 */

import * as v from "valibot";
import type { By } from "../access/access.ts";
import { anchorAudit, auditAct, keyAudit } from "../access/audit.ts";
import type { Ids } from "../base/base.ts";
import { type Files, replaceFile } from "../base/files.ts";
import {
  InstallationKeys,
  type KeyUses,
  keyBeforePath,
  keyPath,
  NONCE_BYTES,
  Redacted,
  readKeyFile,
  type SealingKey,
} from "../base/keys.ts";
import { KEY_BYTES } from "../base/setting.ts";
import type { Core } from "../store/core.ts";
import { type Db, type Store, statement, type Tx } from "../store/store.ts";
import { type CredentialRow, findOfAccount, findRow, listRows, updateRow } from "./credentials.ts";
import { type Outcome, refused } from "./faults.ts";

// What a credential holds, opened: in memory only, just before it is used.

/** A Google service account, as its key file describes it. */
export interface GoogleAccount {
  readonly kind: "google-service-account";
  readonly clientEmail: string;
  /** PKCS#8 in PEM. */
  readonly privateKey: string;
  /** The key's name within the account; '' where the file does not say. */
  readonly privateKeyId: string;
  /** Where a signed assertion is exchanged for a token. */
  readonly tokenUri: string;
}

/** The key of a webmaster-tools user, which covers every site of theirs. */
interface WebmasterKey {
  readonly kind: "webmaster-tools-key";
  readonly key: string;
}

/** An account of DataForSEO: its API password, not the one of its web site. */
export interface SerpLogin {
  readonly kind: "serp-login";
  readonly login: string;
  readonly password: string;
}

export type Secret = GoogleAccount | WebmasterKey | SerpLogin;

/** A secret that prints as `[secret]`, whatever it gets into: its parts are there by name, and in no list, copy or text of it. */
export function hidden<S extends Secret>({ kind, ...parts }: S): S {
  const properties = Object.entries(parts).map(([name, value]) => [name, { value }] as const);
  return Object.defineProperties(
    Object.assign(new Redacted(), { kind }),
    Object.fromEntries(properties),
  ) as S & Redacted;
}

/** A credential, or what is wrong with its text: a sentence each, after the field's name in the file. None holds anything of the text. */
export type SecretRead<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly faults: readonly string[] };

/** Keys have 32 hexadecimal digits. What may stand in an address as it is passes, so that another length some day is no obstacle. */
const KEY = /^[A-Za-z0-9._~-]{8,256}$/;

const File = v.union([
  v.object({ api_key: v.string() }),
  v.object({ apiKey: v.string() }),
  v.object({ apikey: v.string() }),
  v.object({ key: v.string() }),
]);

const NO_KEY =
  "key: This is no key: it must be the API key as webmaster tools show it, letters and digits alone.";

export function parseWebmasterKey(text: string): SecretRead<WebmasterKey> {
  const key = keyIn(text.trim());
  return KEY.test(key)
    ? { ok: true, value: hidden({ kind: "webmaster-tools-key", key }) }
    : { ok: false, faults: [NO_KEY] };
}

function keyIn(text: string): string {
  if (!text.startsWith("{")) return text;
  try {
    const file = v.safeParse(File, JSON.parse(text));
    return file.success ? (Object.values(file.output)[0] ?? "").trim() : "";
  } catch {
    return "";
  }
}

/** Which row a secret is sealed for. */
type SealedFor = Pick<CredentialRow, "id" | "editRevision">;

/** Seals a secret for its row; `nonce` is fresh and random. */
export function sealSecret(key: SealingKey, row: SealedFor, secret: Secret, nonce: Uint8Array): string {
  return key.seal(textOf(secret), boundTo(row, key.id), nonce);
}

/** The secret of a row; undefined where its seal does not hold. */
export function openSecret(
  key: SealingKey,
  row: SealedFor & { readonly sealed: string },
): Secret | undefined {
  const text = key.open(row.sealed, boundTo(row, key.id));
  return text === undefined ? undefined : secretOf(text);
}

function boundTo({ id, editRevision }: SealedFor, keyId: string): string {
  return `credential|${id}|${editRevision}|${keyId}`;
}

/**
 * What a secret is known again by: the account, whichever of its keys this is. Nothing in a key of webmaster tools names its user, so
 * that it is known by itself alone.
 */
export function accountOf(secret: Secret): string {
  if (secret.kind === "serp-login") return secret.login.toLowerCase();
  return (secret.kind === "google-service-account" ? secret.clientEmail : secret.key).toLowerCase();
}

/** What is sealed: every part, which lies in the secret by its name alone. */
export function textOf(secret: Secret): string {
  const names = Object.getOwnPropertyNames(secret) as (keyof Secret)[];
  return JSON.stringify(Object.fromEntries(names.map((name) => [name, secret[name]])));
}

/** The secret of a text that was sealed. It was checked before it was sealed, and the seal lets nothing of it change. */
const secretOf = (text: string): Secret => hidden(JSON.parse(text) as Secret);

export class Credentials {
  readonly #store: Store;
  readonly #keys: InstallationKeys;

  constructor({ store, keys }: { readonly store: Store; readonly keys: InstallationKeys }) {
    this.#store = store;
    this.#keys = keys;
  }

  /**
   * The secret of a credential, for the use at hand only: it is kept nowhere. Where there is none to be had it is a fault of
   * category `configuration`: `credential_removed`, or `credential_unreadable` with the key that is here.
   */
  open(id: string): Outcome<Secret> {
    const row = findRow(this.#store.db, id);
    if (row === undefined) return refused("credential_removed");
    const secret = readRow(this.#keys, row);
    return secret === undefined ? refused("credential_unreadable") : { ok: true, value: secret };
  }

  canOpen(id: string): boolean {
    return this.open(id).ok;
  }
}

/** The secret of a row; undefined where it cannot be read with the keys that are here. */
export function readRow(keys: InstallationKeys, row: CredentialRow): Secret | undefined {
  const key = keys.sealing(row.keyId);
  const secret = key && openSecret(key, row);
  return secret?.kind === row.kind ? secret : undefined;
}

/** What sealing takes. */
export interface SealDeps {
  readonly keys: InstallationKeys;
  readonly ids: Ids;
}

/** The code of a secret's account, by which the same one is known again. */
export function accountCode(keys: InstallationKeys, secret: Secret): string {
  return keys.forPurpose("account").mac(`${secret.kind}|${accountOf(secret)}`);
}

/** A row with its secret sealed for what the row says: its id, its edit revision, the key in force. */
export function sealed(
  { keys, ids }: SealDeps,
  row: Omit<CredentialRow, "sealed" | "keyId">,
  secret: Secret,
): CredentialRow {
  const key = keptKey(keys);
  return { ...row, keyId: key.id, sealed: sealSecret(key, row, secret, ids.bytes(NONCE_BYTES)) };
}

/** What seals: never a key that is kept nowhere. */
export function keptKey(keys: InstallationKeys): SealingKey {
  const key = keys.isStandIn ? undefined : keys.sealing();
  if (key === undefined) throw new RangeError("nothing is sealed while the installation's key is lost");
  return key;
}

/**
 * Texts of other features that are sealed as credentials are, such as the addresses of channels. Each table of `SEALED_TEXT_TABLES` has the
 * columns `id`, `connection_revision`, `key_id` and `sealed`; a new key seals them again together with the credentials.
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
  return { key_id: key.id, sealed: key.seal(text, textBoundTo(table, row, key.id), ids.bytes(NONCE_BYTES)) };
}

/** The text of a row; undefined where it cannot be read with the keys that are here. */
export function openText(
  keys: InstallationKeys,
  table: SealedTextTable,
  row: SealedText,
): string | undefined {
  return keys.sealing(row.key_id)?.open(row.sealed, textBoundTo(table, row, row.key_id));
}

const textBoundTo = (table: SealedTextTable, { id, connection_revision }: Row, key: string) =>
  `${table}|${id}|${connection_revision}|${key}`;

/** Takes every sealed text out; the rows stay. */
export function loseTexts(tx: Tx): void {
  for (const table of SEALED_TEXT_TABLES)
    statement<never, []>(`UPDATE ${table} SET key_id = '', sealed = ''`)(tx).run();
}

// What the database holds that was made with the credentials key, in words.

/** Tables of other features that hold texts sealed as credentials are. */
const SEALED_TEXT_TABLES = ["calendar", "channel"] as const;
type SealedTextTable = (typeof SEALED_TEXT_TABLES)[number];

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

// Another key for the installation: made, and everything that is sealed is sealed with it.

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

interface RotateDeps extends Core {
  readonly keys: InstallationKeys;
  readonly files: Files;
}

/** The key is a setting's; or it is lost; or its file holds another one by now; or it is being changed just now. */
const notRotated = (why: "setting" | "lost" | "changed" | "busy") => ({ ok: false, why }) as const;

/** Keys that are being changed: of two at once, the second would not know what the first has sealed. */
const underWay = new WeakSet<InstallationKeys>();

/**
 * Makes a new key for a data folder that keeps its own, and seals everything with it. In this order, so that a kill at any step
 * leaves what the next start finishes (`resealAtStart`): the key before lies beside, durable; the new one is the folder's,
 * durable; one transaction seals every row again and fixes the audit with the new key. The key before stays: backups made until now
 * are proven, and their credentials read, by that key alone.
 */
export async function rotateKey(deps: RotateDeps, by: By) {
  const { keys } = deps;
  if (underWay.has(keys)) return notRotated("busy");
  underWay.add(keys);
  try {
    return await rotateNow(deps, by);
  } finally {
    underWay.delete(keys);
  }
}

async function rotateNow(deps: RotateDeps, { actor, now }: By) {
  const { config, store, writer, keys, ids, files } = deps;
  const path = keyPath(config.dataDir);
  if (config.credentialsKey !== undefined) return notRotated("setting");
  if (keys.isStandIn) return notRotated("lost");
  if (readKeyFile(path)?.id !== keys.id) return notRotated("changed");
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
  return { ok: true, before, now: next.id, ...done, kept: beside } as const;
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
