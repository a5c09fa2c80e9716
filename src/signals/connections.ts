/** A site's connection to a provider: attached, and taken away. */

import { eq } from "drizzle-orm";
import { auditAct } from "../access/audit.ts";
import type { Provider } from "../providers/adapter.ts";
import {
  type By,
  deleteAttachment,
  deleteDetachment,
  detachNow,
  listAttachmentsOf,
  listAttachmentsWith,
  putAttachment,
  putDetachment,
} from "../providers/attachments.ts";
import {
  type Attachment,
  type Credential,
  type CredentialKind,
  credential,
  findCredential,
  findRow,
  KIND_OF,
  updateRow,
} from "../providers/credentials.ts";
import { deleteProperties } from "../providers/properties.ts";
import { readRow, type SealDeps } from "../providers/sealing.ts";
import { hasAsset } from "../sites/sites.ts";
import type { Tx } from "../store/store.ts";
import type { Writer } from "../store/writer.ts";
import { edited, noteMended, type StoreDeps, withProvider } from "./credential_changes.ts";
import { connectionsOf, listMatched } from "./matched_site.ts";

export interface AskedAttachment {
  readonly asset: string;
  readonly provider: Provider;
  /** The credential's id. */
  readonly credential: string;
  readonly property: string;
  /** Whether it may take the place of another. */
  readonly replace: boolean;
}

/** What became of it. */
export type Attached =
  | {
      readonly ok: true;
      readonly did: "attached" | "replaced" | "same";
      /** Whether the credential was not used for this provider before, and is now. */
      readonly tagged: boolean;
    }
  | { readonly ok: false; readonly why: "no_site" | "no_credential" | "unreadable" }
  | { readonly ok: false; readonly why: "other_kind"; readonly kind: CredentialKind }
  /** The site has another property of this provider. */
  | { readonly ok: false; readonly why: "taken"; readonly by: Attachment };

/** Attaches a property to a site: one of each provider. */
export function attachProperty(deps: StoreDeps, asked: AskedAttachment, by: By): Promise<Attached> {
  return deps.writer.write((tx) => attachNow(tx, deps, asked, by));
}

function attachNow(tx: Tx, deps: SealDeps, asked: AskedAttachment, { actor, now }: By): Attached {
  const { asset, provider, credential: id, property } = asked;
  if (!hasAsset(tx, asset)) return { ok: false, why: "no_site" };
  const row = findRow(tx, id);
  if (row === undefined) return { ok: false, why: "no_credential" };
  if (row.kind !== KIND_OF[provider]) return { ok: false, why: "other_kind", kind: row.kind };
  const before = listAttachmentsOf(tx, asset).find((attached) => attached.provider === provider);
  if (before?.credential === id && before.property === property) {
    return { ok: true, did: "same", tagged: false };
  }
  if (before !== undefined && !asked.replace) return { ok: false, why: "taken", by: before };
  const { providers } = row;
  const tagged = !providers.includes(provider);
  if (tagged) {
    const secret = readRow(deps.keys, row);
    if (secret === undefined || deps.keys.isStandIn) return { ok: false, why: "unreadable" };
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
  return { ok: true, did: before === undefined ? "attached" : "replaced", tagged };
}

interface Connection {
  readonly asset: string;
  readonly provider: Provider;
}

/**
 * Takes a site's connection to a provider away: of the property that is attached to it, or of the one that it was found by. Undefined where
 * it has none. What was pulled over it stays.
 */
export function disconnect(
  { writer }: { readonly writer: Writer },
  of: Connection,
  by: { readonly actor: string; readonly now: number },
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
export function removeAccount(
  { writer }: { readonly writer: Writer },
  id: string,
  by: By,
): Promise<{ readonly credential: Credential; readonly detached: readonly Attachment[] } | undefined> {
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
