import { findServiceState, putServiceState } from "../store/service_state.ts";
import type { Db, Tx } from "../store/store.ts";

const LAST_MADE = "backup.last_made_at";
const LAST_LACKING = "backup.last_lacking";

/** The last backup that the service was told of. */
export interface LastBackup {
  /** In milliseconds since the epoch. */
  readonly at: number;
  /** Objects of the archive that its database names and that could not be copied; undefined where they were left out on purpose. */
  readonly lacking: number | undefined;
}

/** Notes that a backup was made of what stood here. */
export function noteBackup(tx: Tx, { at, lacking }: LastBackup): void {
  putServiceState(tx, LAST_MADE, String(at), at);
  putServiceState(tx, LAST_LACKING, lacking === undefined ? "left out" : String(lacking), at);
}

/** Undefined where there is none. */
export function findLastBackup(db: Db): LastBackup | undefined {
  const at = Number(findServiceState(db, LAST_MADE) ?? Number.NaN);
  if (!Number.isFinite(at)) return undefined;
  const lacking = Number(findServiceState(db, LAST_LACKING));
  return { at, lacking: Number.isFinite(lacking) ? lacking : undefined };
}
