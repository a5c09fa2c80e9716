/** A service beside simulated providers that fills an archive in a directory of the test's own. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { notesAt, outcomeAt } from "../../src/archive/manifest_row.ts";
import { dayOfNumber } from "../../src/base/time.ts";
import type { World } from "../../src/demo/simulator/world.ts";
import { categoryAt } from "../../src/signals/attempts.ts";
import { pathOfObject } from "../../src/store/objects.ts";
import { temporaryFolder } from "./folder.ts";
import { pulledTower } from "./pulled.ts";
import type { Ground } from "./test_tower.ts";

interface StoredRow {
  readonly id: number;
  readonly asset: string;
  readonly family: string;
  readonly date: number;
  readonly outcome: number;
  readonly category: number | null;
  readonly failure_code: string | null;
  readonly requests: number;
  readonly sha256: string | null;
  readonly rows: number | null;
  readonly notes: number;
}

export async function archivedTower(
  options: { readonly world?: World; readonly at?: string; readonly ground?: Omit<Ground, "clock"> } = {},
) {
  const folder = temporaryFolder();
  const pulled = await pulledTower({ ...options, settings: { DATA_DIR: folder.path } });
  const { store } = pulled.tower.deps;
  const isOne = pulled.world.sites.length === 1;
  let seen = 0;
  return {
    ...pulled,
    folder: folder.path,
    /** The rows of the manifest since the last time this was asked; `fault` is category and code, '' where it did not fail. */
    rows: () => {
      const rows = store.raw
        .query<StoredRow, [number]>(
          `SELECT r.id, t.asset, t.family, r.date, r.outcome, r.category, r.failure_code, r.requests, lower(hex(o.sha256)) AS sha256,
             o.rows, r.notes
           FROM archive_report r JOIN archive_target t ON t.id = r.target LEFT JOIN archive_object o ON o.id = r.object
           WHERE r.id > ? ORDER BY r.id`,
        )
        .all(seen);
      seen = rows.at(-1)?.id ?? seen;
      return rows.map((row) => ({
        report: `${isOne ? "" : `${row.asset} `}${row.family} ${dayOfNumber(row.date)}`,
        outcome: outcomeAt(row.outcome),
        fault: row.category === null ? "" : `${categoryAt(row.category)} ${row.failure_code}`,
        requests: row.requests,
        rows: row.rows,
        object: row.sha256 === "" ? null : row.sha256,
        notes: notesAt(row.notes).join(),
      }));
    },
    object: (sha256: string) =>
      gunzipSync(readFileSync(join(folder.path, "raw-signals", pathOfObject(sha256)))).toString(),
    close: async () => {
      await pulled.close();
      folder[Symbol.dispose]();
    },
  };
}

export type Archived = Awaited<ReturnType<typeof archivedTower>>;
export type ArchivedRow = ReturnType<Archived["rows"]>[number];
