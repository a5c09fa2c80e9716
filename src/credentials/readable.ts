/** A credential that cannot be read is something that should be watched and is not: it counts as a monitoring failure while that lasts. */
import type { Tx } from "../db/mod.ts";
import { noteFailure, noteRecovery } from "../monitoring/mod.ts";
import type { InstallationKeys } from "../platform/keys.ts";
import { readRow } from "./credentials.ts";
import { listSealedTexts, openText } from "./sealed_texts.ts";
import { type CredentialRow, listRows } from "./store.ts";

const watched = (id: string) => ({ kind: "credentials", asset: "", source: "", subject: id }) as const;

/** Notes of each credential and each other sealed text whether it can be read; returns those that cannot. */
export function noteReadable(
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
export function noteMended(tx: Tx, id: string, now: number): void {
  noteRecovery(tx, watched(id), now);
}
