/**
 * Rows from before rows carried digests. Append-only tables refuse UPDATE, so their digests stand beside them, in
 * `row_digest_before`: taken once, in one transaction, when a database is first opened by a release that knows digests.
 */

import { APPEND_ONLY_TABLES, DIGESTED_TABLES } from "./append_only.ts";
import type { Store } from "./open.ts";
import { walkRows } from "./row_walk.ts";

/** `user_version` of a database in which every append-only row has its digest. */
export const DIGESTED_VERSION = 1;

/** Takes the digests of old rows, unless that was done. */
export function digestOldRows({ raw }: Store): void {
  const [at] = raw.query<{ user_version: number }, []>("PRAGMA user_version").all();
  if ((at?.user_version ?? 0) >= DIGESTED_VERSION) return;
  const keep = raw.query<never, [string, string, number]>(
    'INSERT INTO row_digest_before ("table", row, digest) VALUES (?, ?, ?) ON CONFLICT DO NOTHING',
  );
  raw
    .transaction(() => {
      for (const table of APPEND_ONLY_TABLES) {
        for (const { id, stored, digest } of walkRows(raw, table)) {
          if (stored === null) keep.run(table, String(id), digest);
        }
      }
      for (const table of DIGESTED_TABLES) {
        const keepIn = raw.query<never, [number, string]>(
          `UPDATE ${table} SET row_digest = ? WHERE rowid = ?`,
        );
        for (const { id, digest } of [...walkRows(raw, table)]) keepIn.run(digest, String(id));
      }
      raw.run(`PRAGMA user_version = ${DIGESTED_VERSION}`);
    })
    .immediate();
}
