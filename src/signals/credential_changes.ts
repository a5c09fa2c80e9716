/** Credentials added, changed, replaced and removed, and sites connected to them, each change with its act in the audit. */

import { eq } from "drizzle-orm";
import type { By } from "../access/access.ts";
import { auditAct } from "../access/audit.ts";
import { type InstallationKeys, keysIn } from "../base/keys.ts";
import { logOf } from "../base/log.ts";
import { countWords } from "../base/text.ts";
import { noteFailure, noteRecovery } from "../health/monitoring.ts";
import { ACCOUNT_PROVIDERS, type AccountProvider } from "../providers/adapter.ts";
import {
  type Attachment,
  CREDENTIAL_NAMES,
  type CredentialRow,
  credential,
  credentialOf,
  findCredential,
  findOfAccount,
  findRow,
  KIND_OF,
  listRows,
  updateRow,
} from "../providers/credentials.ts";
import {
  deleteAttachment,
  deleteDetachment,
  deleteProperties,
  detachNow,
  listAttachmentsOf,
  listAttachmentsWith,
  moveDetachments,
  putAttachment,
  putDetachment,
} from "../providers/properties.ts";
import {
  accountCode,
  accountOf,
  listSealedTexts,
  openText,
  readRow,
  resealAll,
  type SealDeps,
  type Secret,
  sealed,
  sealedWith,
  textOf,
} from "../providers/sealing.ts";
import { hasAsset } from "../sites/sites.ts";
import type { Core } from "../store/core.ts";
import type { Tx } from "../store/store.ts";
import type { Writer } from "../store/writer.ts";
import { connectionsOf, listMatched } from "./matched_site.ts";

// Credentials at a start: what is sealed with a key of before is sealed with the one in force. One that
// cannot be read is something that should be watched and is not: it counts as a monitoring failure while
// that lasts.

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
function noteMended(tx: Tx, id: string, now: number): void {
  noteRecovery(tx, watched(id), now);
}

interface StartDeps extends Core {
  readonly keys: InstallationKeys;
}

/**
 * At a start, what is sealed with a key of before is sealed with the one in force, all of it in one transaction: so a change of the
 * key is finished wherever it was cut off. What no key opens stays, and is logged.
 */
export async function resealAtStart(deps: StartDeps, now: number): Promise<void> {
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
        `${countWords(unreadable.length, "stored credential")} ${whyUnreadable(unreadable)} (tower credential add … --replace <id>, a channel or calendar under Settings)`,
        { ids: unreadable.map(({ id }) => id).join(", ") },
      );
    }
  }
  logPreviousKey(deps);
}

/** Why, and what helps: where a backup of unproven origin was restored no key does, since it took the secrets out. */
function whyUnreadable(rows: ReturnType<typeof noteReadable>): string {
  return rows.every(({ sealed }) => sealed === "")
    ? "lost the secret when a backup of unproven origin was restored: put each file in again"
    : "cannot be read with the key that is here: put the right key back, or put each file in again";
}

function resealNow(tx: Tx, deps: StartDeps, now: number): number {
  const { resealed, unreadable } = resealAll(tx, deps);
  if (resealed === 0) return 0;
  auditAct(tx, { actor: "service", now }, "credentials-key.reseal", `key:${deps.keys.id}`, {
    resealed,
    unreadable: [...unreadable],
  });
  return resealed;
}

/** Says when nothing is left under the key of before that a setting gives. */
function logPreviousKey({ config, store }: StartDeps): void {
  const previous = config.credentialsKeyPrevious && keysIn(config.credentialsKeyPrevious)?.id;
  if (previous === undefined || previous === "") return;
  if (sealedWith(store.db).has(previous)) return;
  logOf("credentials").info(
    "CREDENTIALS_KEY_PREVIOUS is needed no more: nothing is sealed with it; keep that key with the backups that were made under it",
    { key: previous },
  );
}

/** The next edit of a row. */
function edited(
  deps: SealDeps,
  row: CredentialRow,
  secret: Secret,
  change: Partial<Pick<CredentialRow, "providers" | "label">>,
): CredentialRow {
  return sealed(deps, { ...row, ...change, editRevision: row.editRevision + 1 }, secret);
}

/** Providers as a row keeps them, with one more. */
const withProvider = (
  providers: readonly AccountProvider[],
  more: AccountProvider,
): readonly AccountProvider[] =>
  ACCOUNT_PROVIDERS.filter((known) => known === more || providers.includes(known));

/** What storing a credential takes. */
interface StoreDeps extends SealDeps, Pick<Core, "writer"> {}

/** What is to be stored. */
export interface Asked {
  readonly provider: AccountProvider;
  readonly secret: Secret;
  readonly label: string | undefined;
}

/** What the audit says of each change of a credential. */
const revisionOf = ({ providers, label, editRevision }: CredentialRow) => ({
  providers,
  label,
  edit_revision: editRevision,
});

/**
 * Stores an account for a provider; `same` where all of it was stored already. An account is stored once: for a second provider it is
 * tagged with that, too. Of one that is stored with another key, or cannot be read, only a replacement says that this one is meant.
 */
export function addCredential(deps: StoreDeps, asked: Asked, by: By) {
  return deps.writer.write((tx) => addNow(tx, deps, asked, by));
}

function addNow(tx: Tx, deps: SealDeps, { provider, secret, label }: Asked, { actor, now }: By) {
  const account = accountCode(deps.keys, secret);
  const known = findOfAccount(tx, secret.kind, account);
  if (known === undefined) {
    const row = sealed(
      deps,
      {
        id: deps.ids.uuid(),
        kind: secret.kind,
        providers: withProvider([], provider),
        label: label ?? freeLabel(tx, CREDENTIAL_NAMES[secret.kind]),
        account,
        editRevision: 1,
        connectionRevision: deps.ids.uuid(),
        addedAt: now,
        connectedAt: now,
      },
      secret,
    );
    tx.insert(credential).values(row).run();
    const { kind, connectionRevision: connection_revision } = row;
    const detail = { kind, ...revisionOf(row), connection_revision };
    auditAct(tx, { actor, now }, "credential.add", `credential:${row.id}`, detail);
    return { ok: true, did: "added", credential: credentialOf(row) } as const;
  }
  const stored = readRow(deps.keys, known);
  if (stored === undefined) return { ok: false, why: "unreadable", id: known.id } as const;
  if (textOf(stored) !== textOf(secret)) return { ok: false, why: "other_key", id: known.id } as const;
  if (known.providers.includes(provider) && (label ?? known.label) === known.label) {
    return { ok: true, did: "same", credential: credentialOf(known) } as const;
  }
  const providers = withProvider(known.providers, provider);
  const row = edited(deps, known, secret, { providers, label: label ?? known.label });
  updateRow(tx, row);
  auditAct(tx, { actor, now }, "credential.change", `credential:${row.id}`, revisionOf(row));
  return { ok: true, did: "changed", credential: credentialOf(row) } as const;
}

/** A label that no other credential has: the second one is numbered. */
function freeLabel(tx: Tx, label: string): string {
  const taken = new Set(listRows(tx).map((row) => row.label));
  for (let count = 1; ; count++) {
    const free = count === 1 ? label : `${label} ${count}`;
    if (!taken.has(free)) return free;
  }
}

/** Puts another secret in a credential's place: a new connection, which nothing that began under the one before speaks for. */
export function replaceCredential(deps: StoreDeps, id: string, asked: Asked, by: By) {
  return deps.writer.write((tx) => replaceNow(tx, deps, id, asked, by));
}

function replaceNow(
  tx: Tx,
  deps: SealDeps,
  id: string,
  { provider, secret, label }: Asked,
  { actor, now }: By,
) {
  const known = findRow(tx, id);
  if (known === undefined) return { ok: false, why: "missing" } as const;
  if (known.kind !== secret.kind) return { ok: false, why: "other_kind", kind: known.kind } as const;
  const account = accountCode(deps.keys, secret);
  const owner = findOfAccount(tx, secret.kind, account);
  if (owner !== undefined && owner.id !== id) return { ok: false, why: "taken", id: owner.id } as const;
  const before = readRow(deps.keys, known);
  const row = sealed(
    deps,
    {
      ...known,
      providers: withProvider(known.providers, provider),
      label: label ?? known.label,
      account,
      editRevision: known.editRevision + 1,
      connectionRevision: deps.ids.uuid(),
      connectedAt: now,
    },
    secret,
  );
  updateRow(tx, row);
  moveDetachments(tx, known.connectionRevision, row.connectionRevision);
  noteMended(tx, id, now);
  const isSameAccount = sameAccount(before && accountOf(before), secret);
  // What another account gave access to says nothing of this one.
  if (isSameAccount !== true) deleteProperties(tx, { credential: id });
  auditAct(tx, { actor, now }, "credential.replace", `credential:${id}`, {
    ...revisionOf(row),
    connection_revision: row.connectionRevision,
    connection_before: known.connectionRevision,
    same_account: isSameAccount ?? null,
  });
  return { ok: true, credential: credentialOf(row), isSameAccount } as const;
}

/** Whether a secret is of the account it was; undefined where nothing can tell: two keys of webmaster tools may be of one user. */
function sameAccount(before: string | undefined, secret: Asked["secret"]): boolean | undefined {
  if (before === undefined) return undefined;
  if (before === accountOf(secret)) return true;
  return secret.kind === "webmaster-tools-key" ? undefined : false;
}

// A site's connection to a provider: attached, and taken away.

interface AskedAttachment extends Pick<Attachment, "asset" | "provider" | "credential" | "property"> {
  /** Whether it may take the place of another. */
  readonly replace: boolean;
}

/**
 * Attaches a property to a site: one of each provider. `tagged` is whether the credential was not used for this provider before, and is now;
 * `taken` that the site has another property of it.
 */
export function attachProperty(deps: StoreDeps, asked: AskedAttachment, by: By) {
  return deps.writer.write((tx) => attachNow(tx, deps, asked, by));
}

function attachNow(tx: Tx, deps: SealDeps, asked: AskedAttachment, { actor, now }: By) {
  const { asset, provider, credential: id, property } = asked;
  if (!hasAsset(tx, asset)) return { ok: false, why: "no_site" } as const;
  const row = findRow(tx, id);
  if (row === undefined) return { ok: false, why: "no_credential" } as const;
  if (row.kind !== KIND_OF[provider]) return { ok: false, why: "other_kind" } as const;
  const before = listAttachmentsOf(tx, asset).find((attached) => attached.provider === provider);
  if (before?.credential === id && before.property === property) {
    return { ok: true, did: "same", tagged: false } as const;
  }
  if (before !== undefined && !asked.replace) return { ok: false, why: "taken", by: before } as const;
  const { providers } = row;
  const tagged = !providers.includes(provider);
  if (tagged) {
    const secret = readRow(deps.keys, row);
    if (secret === undefined || deps.keys.isStandIn) return { ok: false, why: "unreadable" } as const;
    updateRow(tx, edited(deps, row, secret, { providers: withProvider(providers, provider) }));
  }
  putAttachment(tx, { asset, provider, credential: id, property, attachedAt: now });
  deleteDetachment(tx, asset, provider);
  auditAct(tx, { actor, now }, "property.attach", asset, {
    provider,
    property,
    with: id,
    before: before === undefined ? null : before.property,
    ...(tagged ? { edit_revision: row.editRevision + 1 } : {}),
  });
  return { ok: true, did: before === undefined ? "attached" : "replaced", tagged } as const;
}

/**
 * Takes a site's connection to a provider away: of the property that is attached to it, or of the one that it was found by. Undefined where
 * it has none. What was pulled over it stays.
 */
export function disconnect(
  { writer }: { readonly writer: Writer },
  of: Pick<Attachment, "asset" | "provider">,
  by: By,
): Promise<Attachment | undefined> {
  return writer.write((tx) => {
    const connection = connectionsOf(tx, of.asset, by.now).find(({ provider }) => provider === of.provider);
    if (connection !== undefined) detachNow(tx, connection, by);
    return connection;
  });
}

/**
 * Removes an account with its secret and its attachments; undefined where there is none. What was pulled with it stays. Each of its sites is
 * noted as disconnected, those of webmaster tools that were found by their address, too: their figures end as much as those of an attached one.
 */
export function removeAccount({ writer }: { readonly writer: Writer }, id: string, by: By) {
  return writer.write((tx) => {
    const removed = findCredential(tx, id);
    if (removed === undefined) return undefined;
    const { kind, label, connectionRevision } = removed;
    const matched = kind === "webmaster-tools-key" ? listMatched(tx, removed, by.now) : [];
    const detached = listAttachmentsWith(tx, id);
    for (const { asset, provider } of detached) deleteAttachment(tx, asset, provider);
    for (const fed of [...matched, ...detached]) putDetachment(tx, { ...fed, connectionRevision }, by);
    deleteProperties(tx, { credential: id });
    tx.delete(credential).where(eq(credential.id, id)).run();
    noteMended(tx, id, by.now);
    const named = detached.map(({ asset, provider, property }) => `${asset} ${provider} ${property}`);
    auditAct(tx, by, "credential.remove", `credential:${id}`, { kind, label, detached: named });
    return { credential: removed, detached };
  });
}
