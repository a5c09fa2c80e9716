/**
 * Credentials at a start: what is sealed with a key of before is sealed with the one in force. One that cannot be read is something that
 * should be watched and is not: it counts as a monitoring failure while that lasts.
 */

import { appendAudit } from "../access/audit.ts";
import type { Ids } from "../base/base.ts";
import type { Config } from "../base/config.ts";
import { type InstallationKeys, keysIn } from "../base/keys.ts";
import { logOf } from "../base/log.ts";
import { countWords } from "../base/text.ts";
import { noteFailure, noteRecovery } from "../health/monitoring.ts";
import { type CredentialRow, listRows } from "../providers/credentials.ts";
import { listSealedTexts, resealAll, sealedWith } from "../providers/key_rotation.ts";
import { openText, readRow } from "../providers/sealing.ts";
import type { Store, Tx } from "../store/store.ts";
import type { Writer } from "../store/writer.ts";

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
export function noteMended(tx: Tx, id: string, now: number): void {
  noteRecovery(tx, watched(id), now);
}

interface StartDeps {
  readonly config: Pick<Config, "credentialsKeyPrevious">;
  readonly store: Store;
  readonly writer: Writer;
  readonly keys: InstallationKeys;
  readonly ids: Ids;
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
        `${countWords(unreadable.length, "stored credential")} ${whyUnreadable(unreadable)} (tower credential add … --replace <id>, of a channel tower channel add … --replace <id>)`,
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
  appendAudit(tx, {
    at: now,
    actor: "service",
    act: "credentials-key.reseal",
    target: `key:${deps.keys.id}`,
    detail: { resealed, unreadable: [...unreadable] },
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
