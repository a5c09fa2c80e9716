import { expect, test } from "bun:test";
import { join } from "node:path";
import { openData } from "../../src/boot.ts";
import { DataFolderFault } from "../../src/data_folder.ts";
import { migrateStore, openStore } from "../../src/db/mod.ts";
import { readConfig } from "../../src/platform/config.ts";
import { temporaryFolder } from "../support/folder.ts";

test("a database that another program keeps to itself is no damaged one: the start says so, and not to put it away", async () => {
  using folder = temporaryFolder();
  const path = join(folder.path, "tower.db");
  const store = openStore(path);
  migrateStore(store);
  store.close();
  const other = Bun.spawn(
    [process.execPath, join(import.meta.dir, "../support/hold_database.ts"), path, "owner"],
    {
      stdin: "ignore",
      stdout: "pipe",
      stderr: "inherit",
    },
  );
  await other.stdout.getReader().read();
  try {
    const refused = await openData(readConfig({ DATA_DIR: folder.path })).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(DataFolderFault);
    expect(String(refused)).toContain("cannot be opened: another process keeps it locked");
    expect(String(refused)).not.toContain("restore");
  } finally {
    other.kill("SIGKILL");
    await other.exited;
  }
}, 20_000);
