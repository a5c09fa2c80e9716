import { appendAudit } from "../audit/mod.ts";
import type { Store, Writer } from "../db/mod.ts";
import { countWords } from "../lib/plural.ts";
import type { Config } from "../platform/config.ts";
import type { Ids } from "../platform/ids.ts";
import { type InstallationKeys, keysIn } from "../platform/keys.ts";
import { logOf } from "../platform/log.ts";
import { type Resealed, resealAll } from "./reseal.ts";
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
  if (keys.isStandIn) return;
  let done: Resealed | undefined;
  const isOfBefore = () => listRows(store.db).some(({ key_id }) => key_id !== keys.id);
  if (isOfBefore()) {
    await writer.writeOrOwe((tx) => {
      done = resealAll(tx, deps);
      if (done.resealed === 0) return;
      appendAudit(tx, {
        at: now,
        actor: "service",
        act: "credentials-key.reseal",
        target: `key:${keys.id}`,
        detail: { resealed: done.resealed, unreadable: [...done.unreadable] },
      });
    });
  }
  tell(deps, done);
}

function tell({ config, store, keys }: TakeUpDeps, done: Resealed | undefined): void {
  const log = logOf("credentials");
  if (done !== undefined && done.resealed > 0) {
    log.warn("credentials are sealed with the key in force", { resealed: done.resealed, key: keys.id });
  }
  if (done !== undefined && done.unreadable.length > 0) {
    log.error(
      `${countWords(done.unreadable.length, "stored credential")} cannot be read with the key that is here: put the right key back, or put each file in again (tower credential add … --replace <id>)`,
      { ids: done.unreadable.join(", ") },
    );
  }
  const previous = config.credentialsKeyPrevious && keysIn(config.credentialsKeyPrevious)?.id;
  if (previous === undefined || previous === "") return;
  const left = listRows(store.db).filter(({ key_id }) => key_id === previous).length;
  if (left > 0) return;
  log.info(
    "CREDENTIALS_KEY_PREVIOUS is needed no more: nothing is sealed with it; keep that key with the backups that were made under it",
    { key: previous },
  );
}
