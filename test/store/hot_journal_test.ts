/**
 * A database as a power cut leaves it in the middle of a write outside the log, such as a first start's: half of the pages are
 * written, and the journal that takes them back lies beside it. A connection that may not write cannot take them back.
 */

import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { holdsNothing } from "../../src/app/data_folder.ts";
import { damageOf } from "../../src/store/migrations.ts";
import { openReadOnly } from "../../src/store/store.ts";
import { openFolder } from "../support/data_folder.ts";
import { temporaryFolder } from "../support/folder.ts";

async function cutOff(folder: string): Promise<string> {
  const opened = await openFolder(join(folder, "source"));
  opened.close();
  const source = join(folder, "writing.db");
  copyFileSync(opened.deps.store.path, source);
  const writing = new Database(source);
  writing.run("PRAGMA journal_mode = DELETE");
  writing.run("PRAGMA cache_size = 2");
  writing.run("BEGIN");
  for (let n = 0; n < 200; n++) {
    writing.run("INSERT INTO service_state VALUES (?, ?, 0)", [`half-${n}`, "x".repeat(2_000)]);
  }
  const path = join(folder, "tower.db");
  for (const end of ["", "-journal"]) copyFileSync(`${source}${end}`, `${path}${end}`);
  writing.run("ROLLBACK");
  writing.close();
  return path;
}

test("a write that a power cut left half done (reliability D2) is taken back when the start looks at the database, which is then neither damaged nor empty", async () => {
  using folder = temporaryFolder();
  const path = await cutOff(folder.path);
  expect(holdsNothing(path)).toBe(false);
  expect(damageOf(path)).toStrictEqual([]);
  const store = openReadOnly(path);
  expect(store.raw.query("SELECT count(*) AS n FROM service_state WHERE name LIKE 'half-%'").all()).toEqual([
    { n: 0 },
  ]);
  expect(() => store.raw.run("DELETE FROM service_state")).toThrow(/readonly/);
  store.close();
});
