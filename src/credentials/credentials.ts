import type { Db, Store } from "../db/mod.ts";
import type { InstallationKeys } from "../platform/keys.ts";
import type { Outcome } from "../provider/contract.ts";
import { refused } from "../provider/fault.ts";
import type { Secret } from "../provider/secret.ts";
import type { Credential } from "./contract.ts";
import { openSecret } from "./seal.ts";
import { type CredentialRow, findRow, listCredentials } from "./store.ts";

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
