/** Reports in the archive as tests write them: rows of the manifest alone, with their objects, or in an opened data folder. */

import { rmSync } from "node:fs";
import { join } from "node:path";
import type { Opened } from "../../src/app/boot.ts";
import { type NewReport, recordReport } from "../../src/archive/manifest.ts";
import type { ArchiveObject, ArchiveTarget } from "../../src/archive/manifest_row.ts";
import { sha256Hex } from "../../src/base/keys.ts";
import type { ObjectStore } from "../../src/store/objects.ts";
import type { Db } from "../../src/store/store.ts";
import type { Writer } from "../../src/store/writer.ts";
import { type MadeObject, objectHolding, spooled } from "./objects.ts";

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

// Objects with their rows in the manifest, as the archive's job leaves them.

interface Ground {
  readonly writer: Pick<Writer, "write">;
  readonly store: { readonly db: Db };
}

/** Each attempt begins at a moment of its own: two of one moment are one. */
let attempts = 0;

/** Names an object in the manifest. */
export async function nameObject(
  { writer }: Ground,
  { sha256, bytes, storedBytes, storedSha256 }: MadeObject,
  {
    date = 20_770,
    run = 1,
    at = 1_795_000_000_000,
    ...of
  }: Partial<ArchiveTarget> & { readonly date?: number; readonly run?: number; readonly at?: number } = {},
): Promise<void> {
  const object = { sha256, bytes, storedBytes, storedSha256, content: sha256, rows: 1 };
  const target = { ...HARBOR_PAGES, ...of };
  const attemptedAt = at + attempts++;
  await writer.write((tx) => void recordReport(tx, reportOf({ object, date, target, run, attemptedAt })));
}

/** Stores an object and names it. `spool` is a folder. */
export async function archiveObject(
  ground: Ground & { readonly objects: ObjectStore },
  spool: string,
  object: MadeObject,
  named: Parameters<typeof nameObject>[2] = {},
): Promise<void> {
  const file = spooled(spool, object);
  await ground.objects.put(object, file);
  rmSync(file);
  await nameObject(ground, object, named);
}

/** Archives reports that hold these texts in an opened data folder, one a day. */
export async function archiveTexts(
  { deps }: Opened,
  texts: readonly string[],
  from = 20_700,
): Promise<MadeObject[]> {
  const objects = texts.map((text) => objectHolding(text));
  for (const [place, object] of objects.entries()) {
    await archiveObject(deps, deps.config.dataDir, object, { date: from + place });
  }
  return objects;
}

/** Texts that are all different, and that gzip leaves some hundred bytes of. */
export const textsNumbered = (from: number, count: number): string[] =>
  Array.from({ length: count }, (_, n) =>
    Array.from({ length: 20 + n }, (_, line) => sha256Hex(`${from + n} ${line}`)).join("\n"),
  );

/** Where an object lies in a folder that is laid out as an archive. */
export const objectIn = (folder: string, { sha256 }: { readonly sha256: string }): string =>
  join(folder, "objects", sha256.slice(0, 2), `${sha256}.gz`);
