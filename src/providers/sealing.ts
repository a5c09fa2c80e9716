/** Who does it, and when (milliseconds since the epoch). */

import { appendAudit } from "../access/audit.ts";
import type { Ids } from "../base/base.ts";
import { type InstallationKeys, NONCE_BYTES, type SealingKey } from "../base/keys.ts";
import type { Db, Store, Tx } from "../store/store.ts";
import type { Writer } from "../store/writer.ts";
import { ACCOUNT_PROVIDERS, type AccountProvider } from "./adapter.ts";
import {
  type Credential,
  type CredentialRow,
  credentialOf,
  findOfAccount,
  findRow,
  insertRow,
  listCredentials,
  listRows,
  updateRow,
} from "./credentials.ts";
import { type Outcome, refused } from "./faults.ts";
import { HiddenGoogleAccount, HiddenSerpLogin, HiddenWebmasterKey, type Secret } from "./secret.ts";

/**
 * A sealed credential belongs to its row: to the row's id, the edit revision and the key that it was sealed with. What is put into
 * another row, or is of an earlier edit, opens no more.
 */

/** Which row a secret is sealed for. */
interface SealedFor {
  readonly id: string;
  readonly edit_revision: number;
}

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

function boundTo({ id, edit_revision }: SealedFor, keyId: string): string {
  return `credential|${id}|${edit_revision}|${keyId}`;
}

/** A secret between the row that keeps it and whoever asks with it: as the text that is sealed, and as what it is known again by. */

/**
 * What a secret is known again by: the account, whichever of its keys this is. Nothing in a key of webmaster tools names its user, so
 * that it is known by itself alone.
 */
export function accountOf(secret: Secret): string {
  if (secret.kind === "serp-login") return secret.login.toLowerCase();
  return (secret.kind === "google-service-account" ? secret.clientEmail : secret.key).toLowerCase();
}

/** What is sealed. */
export function textOf(secret: Secret): string {
  if (secret.kind === "webmaster-tools-key") return JSON.stringify({ kind: secret.kind, key: secret.key });
  if (secret.kind === "serp-login") {
    return JSON.stringify({
      kind: secret.kind,
      login: secret.login,
      password: secret.password,
    });
  }
  const { kind, clientEmail, privateKey, privateKeyId, tokenUri } = secret;
  return JSON.stringify({ kind, clientEmail, privateKey, privateKeyId, tokenUri });
}

/** The secret of a text that was sealed. It was checked before it was sealed, and the seal lets nothing of it change. */
function secretOf(text: string): Secret {
  const read = JSON.parse(text) as Secret;
  if (read.kind === "serp-login") return new HiddenSerpLogin(read);
  return read.kind === "webmaster-tools-key"
    ? new HiddenWebmasterKey(read.key)
    : new HiddenGoogleAccount(read);
}

/** The stored credentials, and the one place that opens them. */

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

  /** Whether a credential can be read with the key that is here. */
  canOpen(id: string): boolean {
    return this.open(id).ok;
  }
}

/** The secret of a row; undefined where it cannot be read with the keys that are here. */
export function readRow(keys: InstallationKeys, row: CredentialRow): Secret | undefined {
  const key = keys.sealing(row.key_id);
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
  row: Omit<CredentialRow, "sealed" | "key_id">,
  secret: Secret,
): CredentialRow {
  const key = keptKey(keys);
  return { ...row, key_id: key.id, sealed: sealSecret(key, row, secret, ids.bytes(NONCE_BYTES)) };
}

/** The next edit of a row. */
export function edited(
  deps: SealDeps,
  row: CredentialRow,
  secret: Secret,
  change: Partial<Pick<CredentialRow, "providers" | "label">>,
): CredentialRow {
  return sealed(deps, { ...row, ...change, edit_revision: row.edit_revision + 1 }, secret);
}

/** Providers as a row keeps them, with one more. */
export function withProvider(providers: readonly AccountProvider[], more: AccountProvider): string {
  return JSON.stringify(ACCOUNT_PROVIDERS.filter((known) => known === more || providers.includes(known)));
}

/** What seals: never a key that is kept nowhere. */
export function keptKey(keys: InstallationKeys): SealingKey {
  const key = keys.isStandIn ? undefined : keys.sealing();
  if (key === undefined) throw new RangeError("nothing is sealed while the installation's key is lost");
  return key;
}

export interface By {
  readonly actor: string;
  readonly now: number;
}

/** What storing a credential takes. */
export interface StoreDeps extends SealDeps {
  readonly writer: Writer;
}

/** What is to be stored. */
export interface Asked {
  readonly provider: AccountProvider;
  readonly secret: Secret;
  readonly label: string | undefined;
}

/** What became of it: `same` where all of it was stored already. */
type Added =
  | { readonly ok: true; readonly did: "added" | "changed" | "same"; readonly credential: Credential }
  /** The account is stored with another key, or cannot be read: only a replacement says that this one is meant. */
  | { readonly ok: false; readonly why: "other_key" | "unreadable"; readonly id: string };

const LABELS = {
  "google-service-account": "Google service account",
  "webmaster-tools-key": "Webmaster tools key",
  "serp-login": "DataForSEO account",
} as const;

/** Stores an account for a provider. An account is stored once: for a second provider it is tagged with that, too. */
export function addCredential(deps: StoreDeps, asked: Asked, by: By): Promise<Added> {
  return deps.writer.write((tx) => addNow(tx, deps, asked, by));
}

function addNow(tx: Tx, deps: SealDeps, { provider, secret, label }: Asked, { actor, now }: By): Added {
  const account = accountCode(deps.keys, secret);
  const known = findOfAccount(tx, secret.kind, account);
  if (known === undefined) {
    const row = sealed(
      deps,
      {
        id: deps.ids.uuid(),
        kind: secret.kind,
        providers: withProvider([], provider),
        label: label ?? freeLabel(tx, LABELS[secret.kind]),
        account,
        edit_revision: 1,
        connection_revision: deps.ids.uuid(),
        added_at: now,
        connected_at: now,
      },
      secret,
    );
    insertRow(tx, row);
    appendAudit(tx, {
      at: now,
      actor,
      act: "credential.add",
      target: `credential:${row.id}`,
      detail: {
        kind: row.kind,
        providers: [provider],
        label: row.label,
        edit_revision: row.edit_revision,
        connection_revision: row.connection_revision,
      },
    });
    return { ok: true, did: "added", credential: credentialOf(row) };
  }
  const stored = readRow(deps.keys, known);
  if (stored === undefined) return { ok: false, why: "unreadable", id: known.id };
  if (textOf(stored) !== textOf(secret)) return { ok: false, why: "other_key", id: known.id };
  const before = credentialOf(known);
  const providers = withProvider(before.providers, provider);
  if (providers === known.providers && (label ?? known.label) === known.label) {
    return { ok: true, did: "same", credential: before };
  }
  const row = edited(deps, known, secret, { providers, label: label ?? known.label });
  updateRow(tx, row);
  const after = credentialOf(row);
  appendAudit(tx, {
    at: now,
    actor,
    act: "credential.change",
    target: `credential:${row.id}`,
    detail: { providers: after.providers, label: row.label, edit_revision: row.edit_revision },
  });
  return { ok: true, did: "changed", credential: after };
}

/** A label that no other credential has: the second one is numbered. */
function freeLabel(tx: Tx, label: string): string {
  const taken = new Set(listRows(tx).map((row) => row.label));
  for (let count = 1; ; count++) {
    const free = count === 1 ? label : `${label} ${count}`;
    if (!taken.has(free)) return free;
  }
}

/** What became of another label; `unreadable` where the secret cannot be sealed anew for it. */

type Renamed = "renamed" | "same" | "missing" | "unreadable";

/** Calls a credential something else: an edit of its own, and the same connection. */
export function renameCredential(
  deps: StoreDeps,
  id: string,
  label: string,
  { actor, now }: By,
): Promise<Renamed> {
  return deps.writer.write((tx): Renamed => {
    const known = findRow(tx, id);
    if (known === undefined) return "missing";
    if (known.label === label) return "same";
    const secret = deps.keys.isStandIn ? undefined : readRow(deps.keys, known);
    if (secret === undefined) return "unreadable";
    const row = edited(deps, known, secret, { label });
    updateRow(tx, row);
    appendAudit(tx, {
      at: now,
      actor,
      act: "credential.change",
      target: `credential:${id}`,
      detail: { label, edit_revision: row.edit_revision },
    });
    return "renamed";
  });
}
