/** Backups: one file that is a whole, checked and sealed copy of the database, and a data folder made from one. */
export { backUp } from "./backup.ts";
export { besideIn } from "./beside.ts";
export type { CopyProgress } from "./copy_archive.ts";
export type { CopiedObjects } from "./copy_objects.ts";
export { type DrillDeps, type DrillResult, drill } from "./drill.ts";
export { findLastBackup, type LastBackup, noteBackup } from "./last.ts";
export { type RestoreResult, restoreInto, sweepRestore } from "./restore.ts";
export type { RestoredObjects } from "./restored_objects.ts";
export { sweepBackups } from "./sweep.ts";
