/** Attempts of the archive as tests write them. */

import type { NewReport } from "../../src/archive/manifest.ts";
import type { ArchiveObject, ArchiveTarget } from "../../src/archive/manifest_row.ts";

export const HARBOR_PAGES: ArchiveTarget = {
  asset: "harbor.example",
  provider: "search-console",
  connectionRevision: "first",
  property: "sc-domain:harbor.example",
  family: "page",
};

/** An object whose name is made of a number. */
export function objectNumbered(number: number, changes: Partial<ArchiveObject> = {}): ArchiveObject {
  const name = number.toString(16).padStart(64, "0");
  return {
    sha256: name,
    bytes: 1_000 + number,
    storedBytes: 300 + number,
    storedSha256: name.replaceAll("0", "e"),
    content: name.replaceAll("0", "c"),
    rows: number,
    secrets: 0,
    ...changes,
  };
}

/** An attempt that stored an object. */
export function reportOf(changes: Partial<NewReport> = {}): NewReport {
  const isStored =
    changes.outcome === undefined || ["stored", "unchanged", "empty"].includes(changes.outcome);
  return {
    run: 1,
    target: HARBOR_PAGES,
    date: 20_770,
    rangeFrom: null,
    attemptedAt: 1_795_000_000_000,
    tookMs: 800,
    outcome: "stored",
    category: null,
    failureCode: null,
    nextRetryAt: null,
    requests: 1,
    object: isStored ? objectNumbered(1) : null,
    complete: isStored,
    notes: [],
    ...changes,
  };
}
