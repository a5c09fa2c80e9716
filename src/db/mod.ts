/** The database: one file, one writer with group commit, migrations checked at start. */

export { type Checkpointer, type CheckpointLook, startCheckpointer, walBytes } from "./checkpoint.ts";
export { isBusy, isFull, isStorageFailure, StorageUnavailable, storageFault } from "./fault.ts";
export { type KeyUses, listKeyUses } from "./key_uses.ts";
export { type DataLock, LockFault, takeDataLock } from "./lock.ts";
export { checkSchema, migrateStore, releaseFaults } from "./migrate.ts";
export {
  type Db,
  openImage,
  openReadOnly,
  openStore,
  prepared,
  type Store,
  statement,
  type Tx,
} from "./open.ts";
export { findServiceState, putServiceState } from "./service_state.ts";
export { countAppendOnly, type RowCounts, snapshotInto } from "./snapshot.ts";
export { Writer, type WriterOptions } from "./write.ts";
