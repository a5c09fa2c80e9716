/** A database as the first release left it: its one migration applied, nothing later. */
import { copyFileSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { migrate } from "drizzle-orm/bun-sqlite/migrator";
import journal from "../../drizzle/meta/_journal.json";
import { openStore, type Store } from "../../src/db/mod.ts";
import { temporaryFolder } from "./folder.ts";

const FOLDER = join(import.meta.dir, "..", "..", "drizzle");

/** An empty database of the first release, in memory. */
export function landedDatabase(): Store {
  using folder = temporaryFolder();
  const [first] = journal.entries;
  if (first === undefined) throw new Error("there is no migration");
  copyFileSync(join(FOLDER, `${first.tag}.sql`), join(folder.path, `${first.tag}.sql`));
  mkdirSync(join(folder.path, "meta"));
  writeFileSync(join(folder.path, "meta", "_journal.json"), JSON.stringify({ ...journal, entries: [first] }));
  const store = openStore(":memory:");
  migrate(store.main, { migrationsFolder: folder.path });
  return store;
}
