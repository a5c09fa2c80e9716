/**
 * Sealing: the one place where credentials are opened. A sealed credential belongs to its row, to the edit revision and to the key that it
 * was sealed with: what is put into another row, or is of an earlier edit, opens no more.
 */

import type { Ids } from "../base/base.ts";
import { type InstallationKeys, NONCE_BYTES, type SealingKey } from "../base/keys.ts";
import { SEALED_TEXT_TABLES, type SealedTextTable } from "../store/key_uses.ts";
import { type Db, type Store, statement, type Tx } from "../store/store.ts";
import { type Credential, type CredentialRow, findRow, listCredentials } from "./credentials.ts";
import { type Outcome, refused } from "./faults.ts";
import { hidden, type Secret } from "./secret.ts";

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

  /** Every credential, in the order in which they were added, without its secret. */
  list(db: Db = this.#store.db): readonly Credential[] {
    return listCredentials(db);
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
export interface SealedText {
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
