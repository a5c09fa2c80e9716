import { type Db, findServiceState, putServiceState, type Tx } from "../db/mod.ts";

const LAST_MADE = "backup.last_made_at";

/** Notes that a backup was made of what stood here at `at`, in milliseconds since the epoch. */
export function noteBackup(tx: Tx, at: number): void {
  putServiceState(tx, LAST_MADE, String(at), at);
}

/** Of when the last backup is that the service was told of; undefined where there is none. */
export function findLastBackup(db: Db): number | undefined {
  const at = Number(findServiceState(db, LAST_MADE) ?? Number.NaN);
  return Number.isFinite(at) ? at : undefined;
}
