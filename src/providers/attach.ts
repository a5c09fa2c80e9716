/** Which property a site's figures of a provider shall come from. */

import { appendAudit } from "../access/audit.ts";
import { hasAsset } from "../sites/sites.ts";
import type { Tx } from "../store/store.ts";
import type { Writer } from "../store/writer.ts";
import type { Provider } from "./adapter.ts";
import {
  deleteAttachment,
  deleteDetachment,
  listAttachmentsOf,
  listDetachmentsOf,
  putAttachment,
  putDetachment,
} from "./attachments.ts";
import {
  type Attachment,
  type CredentialKind,
  credentialOf,
  findRow,
  KIND_OF,
  updateRow,
} from "./credentials.ts";
import { type By, edited, readRow, type SealDeps, type StoreDeps, withProvider } from "./sealing.ts";

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
  const { asset, provider, credential, property } = asked;
  if (!hasAsset(tx, asset)) return { ok: false, why: "no_site" };
  const row = findRow(tx, credential);
  if (row === undefined) return { ok: false, why: "no_credential" };
  if (row.kind !== KIND_OF[provider]) return { ok: false, why: "other_kind", kind: row.kind };
  const before = listAttachmentsOf(tx, asset).find((attached) => attached.provider === provider);
  if (before?.credential === credential && before.property === property) {
    return { ok: true, did: "same", tagged: false };
  }
  if (before !== undefined && !asked.replace) return { ok: false, why: "taken", by: before };
  const { providers } = credentialOf(row);
  const tagged = !providers.includes(provider);
  if (tagged) {
    const secret = readRow(deps.keys, row);
    if (secret === undefined || deps.keys.isStandIn) return { ok: false, why: "unreadable" };
    updateRow(tx, edited(deps, row, secret, { providers: withProvider(providers, provider) }));
  }
  putAttachment(tx, { asset, provider, credential, property }, now);
  deleteDetachment(tx, asset, provider);
  appendAudit(tx, {
    at: now,
    actor,
    act: "property.attach",
    target: asset,
    detail: {
      provider,
      property,
      with: credential,
      before: before === undefined ? null : before.property,
      ...(tagged ? { edit_revision: row.edit_revision + 1 } : {}),
    },
  });
  return { ok: true, did: before === undefined ? "attached" : "replaced", tagged };
}

/**
 * Detaches a site's property of a provider; undefined where it has none. What was pulled from it stays, and so does that it was
 * detached, until another is attached or it is forgotten.
 */
export function detachProperty(
  { writer }: { readonly writer: Writer },
  of: { readonly asset: string; readonly provider: Provider },
  by: By,
): Promise<Attachment | undefined> {
  return writer.write((tx) => {
    const attached = listAttachmentsOf(tx, of.asset).find(({ provider }) => provider === of.provider);
    if (attached !== undefined) detachNow(tx, attached, by);
    return attached;
  });
}

/** Takes a connection away from a site: of a property that is attached to it, or was found by its address. */
export function detachNow(tx: Tx, connection: Attachment, by: By): void {
  takeOff(tx, connection, by);
  putDetachment(tx, connection, by);
}

/** Detaches everything of a site that is taken out of the portfolio, and forgets what was detached before. */
export function detachSite(tx: Tx, asset: string, by: By): void {
  for (const attached of listAttachmentsOf(tx, asset)) takeOff(tx, attached, by);
  for (const { provider } of listDetachmentsOf(tx, asset)) deleteDetachment(tx, asset, provider);
}

function takeOff(tx: Tx, { asset, provider, property, credential }: Attachment, { actor, now }: By): void {
  deleteAttachment(tx, asset, provider);
  appendAudit(tx, {
    at: now,
    actor,
    act: "property.detach",
    target: asset,
    detail: { provider, property, with: credential },
  });
}
