/** A site's connection to a provider. */

import type { Provider } from "../providers/adapter.ts";
import { detachNow } from "../providers/attach.ts";
import { listAttachmentsOf } from "../providers/attachments.ts";
import { type Attachment, listCredentials } from "../providers/credentials.ts";
import { type Removed, removeCredential } from "../providers/properties.ts";
import type { Tx } from "../store/store.ts";
import type { Writer } from "../store/writer.ts";
import { listMatched } from "./matched_site.ts";

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
    const attached = listAttachmentsOf(tx, of.asset).find(({ provider }) => provider === of.provider);
    const connection = attached ?? foundByAddress(tx, of, by.now);
    if (connection !== undefined) detachNow(tx, connection, by);
    return connection;
  });
}

/** The connection of a site of webmaster tools that was found by its address, without an attachment. */
function foundByAddress(tx: Tx, { asset, provider }: Connection, now: number): Attachment | undefined {
  if (provider !== "webmaster-tools") return undefined;
  const accounts = listCredentials(tx).filter(({ providers }) => providers.includes(provider));
  for (const { id: credential, connectionRevision } of accounts) {
    const found = listMatched(
      tx,
      { id: credential, connectionRevision },
      { isOnly: accounts.length === 1, now },
    ).find((one) => one.asset === asset);
    if (found !== undefined) return { ...found, credential, connectionRevision };
  }
  return undefined;
}

/**
 * Removes an account with its secret and its attachments; undefined where there is none. Each of its sites is noted as disconnected, those
 * of webmaster tools that were found by their address, too: their figures end as much as those of an attached one.
 */
export function removeAccount(
  deps: { readonly writer: Writer },
  id: string,
  by: { readonly actor: string; readonly now: number },
): Promise<Removed | undefined> {
  return removeCredential(deps, id, by, (tx, credential) => {
    if (credential.kind !== "webmaster-tools-key") return [];
    const isOnly = listCredentials(tx).filter(({ kind }) => kind === credential.kind).length === 1;
    return listMatched(tx, credential, { isOnly, now: by.now });
  });
}
