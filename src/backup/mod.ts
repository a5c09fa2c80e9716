/** Backups: one file that is a whole, checked and sealed copy of the database, and a data folder made from one. */
export { backUp } from "./backup.ts";
export { findLastBackup, noteBackup } from "./last.ts";
export { type RestoreResult, restoreInto, sweepRestore } from "./restore.ts";
export { sweepBackups } from "./sweep.ts";
