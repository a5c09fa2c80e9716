import { expect, test } from "bun:test";
import { join } from "node:path";
import { openData } from "../../src/app/boot.ts";
import { DataFolderFault } from "../../src/app/data_folder.ts";
import { readConfig } from "../../src/base/config.ts";
import { migrateStore } from "../../src/store/migrations.ts";
import { openStore } from "../../src/store/store.ts";
import { temporaryFolder } from "../support/folder.ts";
import { whyNoInjection } from "../support/killed_at.ts";
import { bareEnvironment } from "../support/service.ts";

test("a database that another program keeps to itself is no damaged one: the start says so, and not to put it away", async () => {
  using folder = temporaryFolder();
  const path = join(folder.path, "tower.db");
  const store = openStore(path);
  migrateStore(store);
  store.close();
  // A closed database keeps its file open until its last compiled statement is collected: the other would not get its lock.
  Bun.gc(true);
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
});

const none = whyNoInjection();

test.skipIf(none !== undefined)(
  `a disk that does not read is no damage: neither the start nor check says so${none === undefined ? "" : ` (not run: ${none})`}`,
  async () => {
    using folder = temporaryFolder();
    const path = join(folder.path, "tower.db");
    const store = openStore(path);
    migrateStore(store);
    store.close();
    const from = (file: string) => JSON.stringify(join(import.meta.dir, "../../src", file));
    const code = `const { damageOf } = await import(${from("store/migrations.ts")});
      const { faultOf } = await import(${from("app/data_folder.ts")});
      const { checkDatabase } = await import(${from("keep/keep.ts")});
      try { console.log("damage", damageOf(${JSON.stringify(path)})); } catch (error) { console.log(faultOf(error, "data").message); }
      console.log(JSON.stringify(checkDatabase(${JSON.stringify(path)}, undefined)));`;
    const inject = ["-P", path, "-e", "trace=pread64", "-e", "inject=pread64:error=EIO:when=40+"];
    const child = Bun.spawn(
      ["strace", "-f", "-qq", "-o", "/dev/null", ...inject, process.execPath, "-e", code],
      {
        env: bareEnvironment(),
        stdin: "ignore",
        stdout: "pipe",
        stderr: "inherit",
      },
    );
    const said = await new Response(child.stdout).text();
    await child.exited;
    expect(said).toStartWith("data cannot be opened: the disk does not read or write it\n");
    expect(said).toContain("disk I/O error");
    expect(said).not.toContain("unable to get the page");
  },
  30_000,
);
