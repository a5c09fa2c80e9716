/** One thing that was checked, with what is wrong with it. */

import { verifyChain } from "../access/audit.ts";
import type { MacKey } from "../base/keys.ts";
import { messageOf } from "../base/text.ts";
import { healthFaults } from "../health/state_store.ts";
import { credentialFaults } from "../providers/attachments.ts";
import { bodyFaults, revisionFaults } from "../reports/codebase.ts";
import { pulseBodyFaults, pulseRevisionFaults } from "../reports/pulse.ts";
import { attemptFaults } from "../signals/attempt_packs.ts";
import { momentFaults } from "../sites/annotations.ts";
import { documentFaults } from "../sites/constants_document.ts";
import { fileFaults, foreignKeyFaults } from "../store/damage.ts";
import { checkSchema } from "../store/migrations.ts";
import { type AnyReadModel, differencesOf } from "../store/read_model.ts";
import type { Db, Store } from "../store/store.ts";
import { READ_MODELS } from "./rebuild_mod.ts";

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
  const notes: string[] = [];
  return [
    finding("audit chain", () => auditFaults(db, auditKey, notes), notes),
    finding("constants documents against their digests", () => documentFaults(db)),
    finding("codebase reports and their revisions", () => revisionFaults(db)),
    finding("nightly reports and their revisions", () => pulseRevisionFaults(db)),
    finding("bodies of codebase reports", () => bodyFaults(db)),
    finding("bodies of nightly reports", () => pulseBodyFaults(db)),
    finding("annotations and their moments", () => momentFaults(db)),
    finding("credentials and their properties against the audit", () => credentialFaults(db)),
    finding("attempts to pull, loose and packed", () => attemptFaults(db)),
    finding("health of integrations against its events", () => healthFaults(db)),
    ...READ_MODELS.map((model) => finding(model.what, () => textsOf(model, db))),
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

function* textsOf(model: AnyReadModel, db: Db): Generator<string> {
  for (const difference of differencesOf(model, db)) if (difference !== undefined) yield difference.text;
}

function auditFaults(db: Db, key: MacKey | undefined, notes: string[]): string[] {
  const chain = verifyChain(db, key);
  if (!chain.ok) return [`audit row ${chain.id}: ${chain.reason}`];
  notes.push(...chain.notes);
  return [];
}
