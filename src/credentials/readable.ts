/** A credential that cannot be read is something that should be watched and is not: it counts as a monitoring failure while that lasts. */
import type { Tx } from "../db/mod.ts";
import { noteFailure, noteRecovery } from "../monitoring/mod.ts";
import type { InstallationKeys } from "../platform/keys.ts";
import { readRow } from "./credentials.ts";
import { type CredentialRow, listRows } from "./store.ts";

const watched = (id: string) => ({ kind: "credentials", asset: "", source: "", subject: id }) as const;

/** Notes of each credential whether it can be read; returns those that cannot. */
export function noteReadable(tx: Tx, keys: InstallationKeys, now: number): readonly CredentialRow[] {
  const rows = listRows(tx);
  const unreadable = rows.filter((row) => readRow(keys, row) === undefined);
  for (const row of rows) {
    if (!unreadable.includes(row)) noteRecovery(tx, watched(row.id), now);
    else noteFailure(tx, watched(row.id), { reason: "it cannot be read with this installation's key", now });
  }
  return unreadable;
}

/** It has another secret, or is gone. */
export function noteMended(tx: Tx, id: string, now: number): void {
  noteRecovery(tx, watched(id), now);
}
