import { listCredentials, type Removed, removeCredential } from "../credentials/mod.ts";
import type { Writer } from "../db/mod.ts";
import { listMatched } from "../signals/mod.ts";

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
