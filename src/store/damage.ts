/**
 * Cache for a pass that takes up no page twice, in KiB, negative as SQLite has it: what a larger one would hold at the start, the
 * service would hold for as long as it lives.
 */

import { messageOf } from "../base/text.ts";
import { openReadOnly } from "./db_open.ts";
import { checkSchema } from "./expected_schema.ts";
import { isDamage, isStorageFailure } from "./fault.ts";
import { quickFaults } from "./integrity.ts";

const ONE_PASS_CACHE = -2_000;

/**
 * Why the database at `path` must not be opened for writing: pages that SQLite finds broken, or a schema that is not what this
 * release or an earlier one makes. Empty when nothing is wrong. Reads the file once; migrates and changes nothing. Throws where the
 * file cannot be read at present, which says nothing against it: nobody must put a sound database away that another program locks.
 */
export function damageOf(path: string): string[] {
  try {
    const store = openReadOnly(path, ONE_PASS_CACHE);
    try {
      const broken = quickFaults(store);
      return broken.length > 0 ? broken : checkSchema(store);
    } finally {
      store.close();
    }
  } catch (error) {
    if (isStorageFailure(error) && !isDamage(error)) throw error;
    return [messageOf(error)];
  }
}
