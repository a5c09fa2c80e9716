import { momentFaults } from "../annotations/mod.ts";
import { verifyChain } from "../audit/mod.ts";
import { revisionFaults } from "../codebase/mod.ts";
import { checkSchema, type Db, type Store } from "../db/mod.ts";
import { flagFaults } from "../flags/mod.ts";
import {
  freshnessDifferences,
  nameDifferences,
  pulseRevisionFaults,
  readingDifferences,
} from "../pulse/mod.ts";

/** One thing that was checked, with what is wrong with it. */
export interface Finding {
  readonly what: string;
  readonly faults: readonly string[];
}

/** Most faults named of one kind. */
const MOST_FAULTS = 20;

/** Checks everything; every check is named, also those that found nothing. */
export function checkEverything(store: Store): Finding[] {
  return [...checkFile(store), ...checkContents(store)];
}

/** Checks the file itself, without judging what it says. */
export function checkFile(store: Store): Finding[] {
  return [
    finding("database file", fileFaults(store)),
    finding("foreign keys", foreignKeyFaults(store)),
    finding("schema, strict tables, append-only triggers", checkSchema(store)),
  ];
}

/** Checks what the file says against itself. */
export function checkContents(store: Store): Finding[] {
  const { db } = store;
  return [
    finding("audit chain", auditFaults(store)),
    finding("codebase reports and their revisions", revisionFaults(db)),
    finding("nightly reports and their revisions", pulseRevisionFaults(db)),
    finding("readings against nightly reports", readingFaults(db)),
    finding("annotations and their moments", momentFaults(db)),
    finding("flags against their records", flagFaults(db)),
  ];
}

function finding(what: string, faults: readonly string[]): Finding {
  if (faults.length <= MOST_FAULTS) return { what, faults };
  return { what, faults: [...faults.slice(0, MOST_FAULTS), `and ${faults.length - MOST_FAULTS} more`] };
}

function readingFaults(db: Db): string[] {
  const found = [...readingDifferences(db), ...nameDifferences(db), ...freshnessDifferences(db)];
  return found.flatMap((difference) => (difference === undefined ? [] : [difference.text]));
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
