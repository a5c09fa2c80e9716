import { existsSync } from "node:fs";
import { openReadOnly } from "../db/mod.ts";
import { messageOf } from "../lib/thrown.ts";
import type { MacKey } from "../platform/keys.ts";
import { checkEverything, type Finding } from "./everything.ts";

/**
 * Checks everything in the database file at `path`, at one moment, while others may go on writing. Opening is a check like the
 * others: what cannot be opened is a fault. Blocks for as long as reading takes.
 */
export function checkDatabase(path: string, auditKey: MacKey | undefined): Finding[] {
  const unopened = (fault: string) => [{ what: "database file", faults: [fault], notes: [] }];
  if (!existsSync(path)) return unopened(`there is no ${path}`);
  try {
    const store = openReadOnly(path);
    try {
      // One moment for all of it: reports that arrive meanwhile would stand in one table and not yet in another.
      store.raw.run("BEGIN");
      return checkEverything(store, auditKey);
    } finally {
      store.close();
    }
  } catch (error) {
    return unopened(`it cannot be opened: ${messageOf(error)}`);
  }
}
