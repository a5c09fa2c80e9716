import { momentFaults } from "../annotations/mod.ts";
import { verifyChain } from "../audit/mod.ts";
import { revisionFaults } from "../codebase/mod.ts";
import { checkSchema, type Store } from "../db/mod.ts";
import { flagFaults } from "../flags/mod.ts";

/** One thing that was checked, with what is wrong with it. */
export interface Finding {
  readonly what: string;
  readonly faults: readonly string[];
}

/** Most faults named of one kind. */
const MOST_FAULTS = 20;

/** Checks everything; every check is named, also those that found nothing. */
export function checkEverything(store: Store): Finding[] {
  const findings: Finding[] = [
    { what: "database file", faults: fileFaults(store) },
    { what: "foreign keys", faults: foreignKeyFaults(store) },
    { what: "schema, strict tables, append-only triggers", faults: checkSchema(store) },
    { what: "audit chain", faults: auditFaults(store) },
    { what: "codebase reports and their revisions", faults: revisionFaults(store.db) },
    { what: "annotations and their moments", faults: momentFaults(store.db) },
    { what: "flags against their records", faults: flagFaults(store.db) },
  ];
  return findings.map(({ what, faults }) => ({
    what,
    faults:
      faults.length > MOST_FAULTS
        ? [...faults.slice(0, MOST_FAULTS), `and ${faults.length - MOST_FAULTS} more`]
        : faults,
  }));
}

function fileFaults(store: Store): string[] {
  return store.rawRead
    .query<{ integrity_check: string }, []>("PRAGMA integrity_check(20)")
    .all()
    .map((row) => row.integrity_check)
    .filter((line) => line !== "ok");
}

function foreignKeyFaults(store: Store): string[] {
  return store.rawRead
    .query<{ table: string; parent: string }, []>("PRAGMA foreign_key_check")
    .all()
    .map((row) => `a row of ${row.table} points to a missing row of ${row.parent}`);
}

function auditFaults(store: Store): string[] {
  const chain = verifyChain(store.db);
  return chain.ok ? [] : [`audit row ${chain.id}: ${chain.reason}`];
}
