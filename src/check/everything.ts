import { momentFaults } from "../annotations/mod.ts";
import { archiveDifferences, insightDifferences, tallyDifferences } from "../archive/mod.ts";
import { verifyChain } from "../audit/mod.ts";
import { bodyFaults, revisionFaults } from "../codebase/mod.ts";
import { documentFaults } from "../constants/mod.ts";
import { credentialFaults } from "../credentials/mod.ts";
import {
  checkSchema,
  type Db,
  fileFaults,
  foreignKeyFaults,
  isOfEarlierRelease,
  type Store,
} from "../db/mod.ts";
import { flagFaults } from "../flags/mod.ts";
import { healthFaults } from "../health/mod.ts";
import { messageOf } from "../lib/thrown.ts";
import { monitoringDifferences } from "../monitoring/mod.ts";
import type { MacKey } from "../platform/keys.ts";
import {
  freshnessDifferences,
  nameDifferences,
  pulseBodyFaults,
  pulseRevisionFaults,
  readingDifferences,
} from "../pulse/mod.ts";
import { attemptFaults, signalDifferences } from "../signals/mod.ts";

/** One thing that was checked, with what is wrong with it. */
export interface Finding {
  readonly what: string;
  readonly faults: readonly string[];
  /** What is worth knowing and no fault. */
  readonly notes: readonly string[];
}

/** Most faults named of one kind. */
const MOST_FAULTS = 20;

/**
 * Checks everything; every check is named, also those that found nothing, and those that damage broke off. Without the audit's key
 * what it would prove is left unproven, and named.
 */
export function checkEverything(store: Store, auditKey?: MacKey): Finding[] {
  return [...checkFile(store), ...checkContents(store, auditKey)];
}

/** Checks the file itself, without judging what it says. */
export function checkFile(store: Store): Finding[] {
  return [
    finding("database file", () => fileFaults(store)),
    finding("foreign keys", () => foreignKeyFaults(store)),
    finding("the whole schema: tables, indexes, triggers, views", () => checkSchema(store)),
  ];
}

/** Checks what the file says against itself. */
export function checkContents(store: Store, auditKey?: MacKey): Finding[] {
  const { db } = store;
  if (isOfEarlierRelease(store)) {
    const note = "not checked: the database is of an earlier release; the next start brings it up to date";
    return [{ what: "what it says", faults: [], notes: [note] }];
  }
  const notes: string[] = [];
  return [
    finding("audit chain", () => auditFaults(db, auditKey, notes), notes),
    finding("constants documents against their digests", () => documentFaults(db)),
    finding("codebase reports and their revisions", () => revisionFaults(db)),
    finding("nightly reports and their revisions", () => pulseRevisionFaults(db)),
    finding("bodies of codebase reports", () => bodyFaults(db)),
    finding("bodies of nightly reports", () => pulseBodyFaults(db)),
    finding("readings against nightly reports", () =>
      textsOf(readingDifferences(db), nameDifferences(db), freshnessDifferences(db)),
    ),
    finding("provider signals against what was told", () => textsOf(signalDifferences(db))),
    finding("how archived reports stand, against the manifest", () =>
      textsOf(archiveDifferences(db), tallyDifferences(db)),
    ),
    finding("what is kept of archived reports, against the manifest", () => textsOf(insightDifferences(db))),
    finding("annotations and their moments", () => momentFaults(db)),
    finding("flags against their records", () => flagFaults(db)),
    finding("credentials and their properties against the audit", () => credentialFaults(db)),
    finding("attempts to pull, loose and packed", () => attemptFaults(db)),
    finding("health of integrations against its events", () => healthFaults(db)),
    finding("lasting failures against their events", () => textsOf(monitoringDifferences(db))),
  ];
}

/** One damaged table must not hide what is wrong with the others: a check that breaks off is a fault of its own, by name. */
function finding(what: string, find: () => Iterable<string>, notes: readonly string[] = []): Finding {
  const faults: string[] = [];
  let more = 0;
  try {
    for (const fault of find()) {
      if (faults.length < MOST_FAULTS) faults.push(fault);
      else more++;
    }
  } catch (error) {
    faults.push(`broke off: ${messageOf(error)}`);
  }
  return { what, faults: more === 0 ? faults : [...faults, `and ${more} more`], notes };
}

/** What read models differ in; what stands between two differences is for whoever does other work meanwhile. */
function* textsOf(...models: readonly Iterable<{ readonly text: string } | undefined>[]): Generator<string> {
  for (const differences of models) {
    for (const difference of differences) if (difference !== undefined) yield difference.text;
  }
}

function auditFaults(db: Db, key: MacKey | undefined, notes: string[]): string[] {
  const chain = verifyChain(db, key);
  if (!chain.ok) return [`audit row ${chain.id}: ${chain.reason}`];
  notes.push(...chain.notes);
  return [];
}
