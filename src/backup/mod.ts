/** Backups: one file that is a whole, checked and sealed copy of the database, and a data folder made from one. */
export { backUp, sweepBackups } from "./backup.ts";
export { besideIn } from "./beside.ts";
export type { RestoredObjects } from "./bring_objects.ts";
export type { CopiedObjects, CopyProgress } from "./copy_objects.ts";
export { type DrillDeps, type DrillResult, drill } from "./drill.ts";
export { findLastBackup, type LastBackup, noteBackup } from "./last.ts";
export { type RestoreResult, restoreInto, sweepRestore } from "./restore.ts";
