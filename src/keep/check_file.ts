/**
 * Checks everything in the database file at `path`, at one moment, while others may go on writing. Opening is a check like the
 * others: what cannot be opened is a fault. Blocks for as long as reading takes.
 */

import { existsSync } from "node:fs";
import { verifyArchive } from "../archive/manifest_copy.ts";
import { faultLines, noteLines, readWords } from "../archive/verify_words.ts";
import type { MacKey } from "../base/keys.ts";
import { messageOf } from "../base/text.ts";
import { versionFault } from "../store/migrations.ts";
import type { ObjectStore } from "../store/objects.ts";
import { openReadOnly, type Store } from "../store/store.ts";
import { checkEverything, type Finding } from "./everything.ts";

export function checkDatabase(path: string, auditKey: MacKey | undefined): Finding[] {
  const unopened = (fault: string) => [{ what: "database file", faults: [fault], notes: [] }];
  if (!existsSync(path)) return unopened(`there is no ${path}`);
  try {
    const store = openReadOnly(path);
    try {
      // One moment for all of it: reports that arrive meanwhile would stand in one table and not yet in another.
      store.raw.run("BEGIN");
      const version = versionFault(store);
      return version !== undefined
        ? unopened(`it cannot be read: ${version}`)
        : checkEverything(store, auditKey);
    } finally {
      store.close();
    }
  } catch (error) {
    return unopened(`it cannot be opened: ${messageOf(error)}`);
  }
}

/**
 * Checks the objects of the archive that the database file at `path` names, wherever they lie. Not of a database that cannot be opened
 * or is of another version: that is told by `checkDatabase`.
 */
export async function checkObjects(path: string, objects: ObjectStore): Promise<Finding[]> {
  const what = `objects of the archive in ${objects.where}`;
  const store = opened(path);
  if (store === undefined) return [];
  try {
    if (versionFault(store) !== undefined) return [];
    const found = await verifyArchive(store.db, objects);
    return [{ what, faults: faultLines(found), notes: [readWords(found), ...noteLines(found)] }];
  } catch (error) {
    return [{ what, faults: [`broke off: ${messageOf(error)}`], notes: [] }];
  } finally {
    store.close();
  }
}

function opened(path: string): Store | undefined {
  try {
    return existsSync(path) ? openReadOnly(path) : undefined;
  } catch {
    return undefined;
  }
}
