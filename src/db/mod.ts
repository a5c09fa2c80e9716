/** The database: one file, one writer with group commit, migrations checked at start. */

export { type Checkpointer, startCheckpointer, walBytes } from "./checkpoint.ts";
export { type DataLock, takeDataLock } from "./lock.ts";
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
export { isStorageFailure, StorageUnavailable, Writer } from "./write.ts";
