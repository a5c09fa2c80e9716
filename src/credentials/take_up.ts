import { appendAudit } from "../audit/mod.ts";
import type { Store, Tx, Writer } from "../db/mod.ts";
import { countWords } from "../lib/plural.ts";
import type { Config } from "../platform/config.ts";
import type { Ids } from "../platform/ids.ts";
import { type InstallationKeys, keysIn } from "../platform/keys.ts";
import { logOf } from "../platform/log.ts";
import { noteReadable } from "./readable.ts";
import { resealAll } from "./rotate.ts";
import { listSealedTexts } from "./sealed_texts.ts";
import { listRows } from "./store.ts";

/** What a start needs to take the stored credentials up. */
export interface TakeUpDeps {
  readonly config: Pick<Config, "credentialsKeyPrevious">;
  readonly store: Store;
  readonly writer: Writer;
  readonly keys: InstallationKeys;
  readonly ids: Ids;
}

/**
 * At a start, what is sealed with a key of before is sealed with the one in force, all of it in one transaction: so a change of the
 * key is finished wherever it was cut off. What no key opens stays, and is told.
 */
export async function takeUpCredentials(deps: TakeUpDeps, now: number): Promise<void> {
  const { store, writer, keys } = deps;
  if (listRows(store.db).length + listSealedTexts(store.db).length > 0) {
    let [resealed, unreadable]: [number, ReturnType<typeof noteReadable>] = [0, []];
    await writer.writeOrOwe((tx) => {
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
  tellPrevious(deps);
}

/** Why, and what helps: where a backup of unproven origin was restored no key does, since it took the secrets out. */
function whyUnreadable(rows: ReturnType<typeof noteReadable>): string {
  return rows.every(({ sealed }) => sealed === "")
    ? "lost the secret when a backup of unproven origin was restored: put each file in again"
    : "cannot be read with the key that is here: put the right key back, or put each file in again";
}

function resealNow(tx: Tx, deps: TakeUpDeps, now: number): number {
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
function tellPrevious({ config, store }: TakeUpDeps): void {
  const previous = config.credentialsKeyPrevious && keysIn(config.credentialsKeyPrevious)?.id;
  if (previous === undefined || previous === "") return;
  const sealed = [...listRows(store.db), ...listSealedTexts(store.db)];
  if (sealed.some(({ key_id }) => key_id === previous)) return;
  logOf("credentials").info(
    "CREDENTIALS_KEY_PREVIOUS is needed no more: nothing is sealed with it; keep that key with the backups that were made under it",
    { key: previous },
  );
}
