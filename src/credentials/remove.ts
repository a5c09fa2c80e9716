import { appendAudit } from "../audit/mod.ts";
import type { Tx, Writer } from "../db/mod.ts";
import type { Provider } from "../provider/contract.ts";
import type { By } from "./add.ts";
import {
  deleteAttachment,
  deleteDetachment,
  findDetachment,
  listAttachmentsWith,
  putDetachment,
} from "./attachment_store.ts";
import type { Attachment, Credential, Detachment } from "./contract.ts";
import { deleteProperties } from "./property_store.ts";
import { noteMended } from "./readable.ts";
import { deleteRow, findCredential } from "./store.ts";

/** What was removed: the credential, and what was attached with it. */
export interface Removed {
  readonly credential: Credential;
  readonly detached: readonly Attachment[];
}

/** Sites that have figures over a credential without an attachment, each with the property that they come from. */
type FedWithout = (
  tx: Tx,
  credential: Credential,
) => readonly Pick<Attachment, "asset" | "provider" | "property">[];

/**
 * Removes a credential with its secret and its attachments; undefined where there is none. What was pulled with it stays, and so does
 * that its sites were connected, attached or not.
 */
export function removeCredential(
  { writer }: { readonly writer: Writer },
  id: string,
  { actor, now }: By,
  fedWithout: FedWithout = () => [],
): Promise<Removed | undefined> {
  return writer.write((tx) => {
    const credential = findCredential(tx, id);
    if (credential === undefined) return undefined;
    const detached = listAttachmentsWith(tx, id);
    for (const fed of fedWithout(tx, credential)) {
      putDetachment(tx, { ...fed, connectionRevision: credential.connectionRevision }, { actor, now });
    }
    for (const attached of detached) {
      deleteAttachment(tx, attached.asset, attached.provider);
      putDetachment(tx, attached, { actor, now });
    }
    deleteProperties(tx, { credential: id });
    deleteRow(tx, id);
    noteMended(tx, id, now);
    appendAudit(tx, {
      at: now,
      actor,
      act: "credential.remove",
      target: `credential:${id}`,
      detail: {
        kind: credential.kind,
        label: credential.label,
        detached: detached.map(({ asset, provider, property }) => `${asset} ${provider} ${property}`),
      },
    });
    return { credential, detached };
  });
}

/** Forgets that a site had a connection of a provider; undefined where none was taken away. What was pulled over it stays. */
export function forgetDetachment(
  { writer }: { readonly writer: Writer },
  of: { readonly asset: string; readonly provider: Provider },
  { actor, now }: By,
): Promise<Detachment | undefined> {
  return writer.write((tx) => {
    const known = findDetachment(tx, of);
    if (known === undefined) return undefined;
    deleteDetachment(tx, of.asset, of.provider);
    const { asset: target, provider, property } = known;
    appendAudit(tx, { at: now, actor, act: "property.forget", target, detail: { provider, property } });
    return known;
  });
}
