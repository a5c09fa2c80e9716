/** What is said to be left in a folder that holds these files; a name with a slash at its end is a folder. */

import { Database } from "bun:sqlite";
import { describe, expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { leftOfDatabase } from "../../src/app/data_folder.ts";
import { openFolder } from "../support/data_folder.ts";
import { testStore } from "../support/database.ts";
import { temporaryFolder } from "../support/folder.ts";
import { recordEach } from "../support/mixtures.ts";

function leftBeside(files: Readonly<Record<string, string>>): string[] {
  using folder = temporaryFolder();
  for (const [name, text] of Object.entries(files)) {
    if (name.endsWith("/")) mkdirSync(join(folder.path, name));
    else writeFileSync(join(folder.path, name), text);
  }
  const archive = join(folder.path, "raw-signals");
  return leftOfDatabase(folder.path, archive).map((name) => (name === archive ? "raw-signals" : name));
}

/** What drizzle makes before the transaction of the migrations. */
function journalTable(): string {
  const [row] = testStore()
    .raw.query<{ sql: string }, []>("SELECT sql FROM sqlite_schema WHERE name = '__drizzle_migrations'")
    .all();
  return row?.sql ?? "";
}

describe("a database that is gone does not become a new one", () => {
  test("what beside it says that there was one, recorded", () => {
    const folders = [
      {},
      { "lock.db": "" },
      { "lock.db": "", "tower.db": "" },
      { "constants.toml": "a", "credentials.key": "b" },
      { "raw-signals/": "" },
      { "tower.db-wal": "" },
      { "lock.db": "", "credentials.key": "b" },
      { "lock.db": "", "constants.toml": "a" },
      { "tower.db": "", "credentials.key": "b" },
      { "tower.db-wal": "x" },
      { "raw-signals/": "", "raw-signals/a": "x" },
    ];
    recordEach<Readonly<Record<string, string>>>(folders, leftBeside);
  });

  test("a first start that was cut off at any moment before its migrations were committed is made good by the next", async () => {
    for (const sql of [
      undefined,
      "PRAGMA journal_mode = WAL",
      `PRAGMA journal_mode = WAL; ${journalTable()}`,
    ]) {
      using folder = temporaryFolder();
      writeFileSync(join(folder.path, "lock.db"), "");
      writeFileSync(join(folder.path, "tower.db"), "");
      if (sql !== undefined) {
        const database = new Database(join(folder.path, "tower.db"));
        database.run(sql);
        database.close();
      }
      const opened = await openFolder(folder.path);
      expect(opened.deps.store.raw.query("SELECT * FROM audit").all()).not.toStrictEqual([]);
      opened.close();
    }
  });

  test("beside a database nothing is left over", () => {
    using folder = temporaryFolder();
    new Database(join(folder.path, "tower.db")).run("CREATE TABLE pulse (a)");
    for (const name of ["lock.db", "credentials.key", "tower.db-wal"])
      writeFileSync(join(folder.path, name), "b");
    expect(leftOfDatabase(folder.path, join(folder.path, "raw-signals"))).toStrictEqual([]);
  });

  test("a database whose tables were taken out is one that is gone", () => {
    using folder = temporaryFolder();
    new Database(join(folder.path, "tower.db")).run("PRAGMA journal_mode = WAL");
    writeFileSync(join(folder.path, "constants.toml"), "a");
    expect(leftOfDatabase(folder.path, join(folder.path, "raw-signals"))).toEqual(["constants.toml"]);
  });

  test("an archive that is no folder of this machine is not looked at", () => {
    using folder = temporaryFolder();
    expect(leftOfDatabase(folder.path, "s3://bucket/prefix")).toStrictEqual([]);
  });
});
