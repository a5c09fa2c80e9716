import { messageOf } from "../lib/thrown.ts";
import { quickFaults } from "./integrity.ts";
import { checkSchema } from "./migrate.ts";
import { openReadOnly } from "./open.ts";

/**
 * Why the database at `path` must not be opened for writing: pages that SQLite finds broken, or a schema that is not what this
 * release or an earlier one makes. Empty when nothing is wrong. Reads the file once; migrates and changes nothing.
 */
export function damageOf(path: string): string[] {
  try {
    const store = openReadOnly(path);
    try {
      const broken = quickFaults(store);
      return broken.length > 0 ? broken : checkSchema(store);
    } finally {
      store.close();
    }
  } catch (error) {
    return [messageOf(error)];
  }
}
