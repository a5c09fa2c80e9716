/**
 * Tables whose rows may change, each of which carries a digest all the same: a verdict is long, and an index over all of its columns
 * would hold it twice. A table that removes rows is never among them: what is left of it has gaps.
 */
export const DIGESTED_TABLES: readonly string[] = ["flow_verdict"];

/**
 * Tables that only ever grow; triggers refuse UPDATE and DELETE on them, and each row carries its digest (`row_digest.ts`) in a
 * column `row_digest`, beside an `id`.
 *
 * A table whose rows change is either a read model, compared with what it is made of, or has an index `<table>_twice` over all of
 * its columns: then everything in it stands twice in the file, SQLite keeps both, and its integrity check compares them.
 */
export const APPEND_ONLY_TABLES: readonly string[] = [
  "annotation",
  "annotation_strike",
  "archive_object",
  "archive_report",
  "archive_target",
  "audit",
  "codebase_report",
  "constants_version",
  "flag_record",
  "flow_tally",
  "health_event",
  "health_target",
  "job_end",
  "job_run",
  "monitoring_event",
  "observation",
  "pull_target",
  "pulse",
];

/**
 * Append-only tables without a digest, guarded by the same triggers: SQLite's own check, the foreign keys and the sealed backup find
 * damage there. Every table that is new belongs here.
 */
export const PLAIN_APPEND_ONLY_TABLES: readonly string[] = ["ledger_entry", "panel_result", "panel_run"];

/** Append-only tables whose digests take in a body that lies in a table beside them, or in a pack: `src/reports` compares them. */
export const BODY_TABLES: ReadonlyMap<string, string> = new Map([
  ["codebase_report", "codebase_body"],
  ["pulse", "pulse_body"],
]);
