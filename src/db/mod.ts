/** The database: one file, one writer with group commit, migrations checked at start. */

export { apart } from "./apart.ts";
export { holdsNothing, leftOfDatabase } from "./bereft.ts";
export { changeMark } from "./change_mark.ts";
export { startCheckpointer } from "./checkpoint.ts";
export { damageOf } from "./damage.ts";
export { DamagedRow, isBusy, isFull, isStorageFailure, StorageUnavailable, storageFault } from "./fault.ts";
export { fileFaults, foreignKeyFaults } from "./integrity.ts";
export { listKeyUses, SEALED_TEXT_TABLES, type SealedTextTable } from "./key_uses.ts";
export { LockFault, takeDataLock } from "./lock.ts";
export { type CheckpointLook, walBytes } from "./log_look.ts";
export { checkSchema, migrateStore, versionFault, versionFaultIn } from "./migrate.ts";
export { onward } from "./onward.ts";
export {
  canBeWritten,
  type Db,
  openReadOnly,
  openStore,
  prepared,
  type Store,
  statement,
  type Tx,
} from "./open.ts";
export {
  type AnyReadModel,
  type Difference,
  differencesOf,
  mendRows,
  type ReadModel,
  scopesBy,
  tableModel,
} from "./read_model.ts";
export {
  CREDENTIALS_LOST_AT,
  findServiceFact,
  findServiceState,
  putServiceState,
  RESTORED_AT,
} from "./service_state.ts";
export { countAppendOnly, type RowCounts, snapshotInto } from "./snapshot.ts";
export { isForeign, TouchedTables, type Touches } from "./touched.ts";
export { Writer } from "./write.ts";
