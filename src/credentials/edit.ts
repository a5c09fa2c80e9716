import type { Ids } from "../platform/ids.ts";
import type { InstallationKeys } from "../platform/keys.ts";
import { NONCE_BYTES, type SealingKey } from "../platform/sealing.ts";
import { ACCOUNT_PROVIDERS, type AccountProvider } from "../provider/contract.ts";
import type { Secret } from "../provider/secret.ts";
import { accountOf, sealSecret } from "./seal.ts";
import type { CredentialRow } from "./store.ts";

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
