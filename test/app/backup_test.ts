import { describe, expect, test } from "bun:test";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { backup, restore } from "../../src/app/backups.ts";
import { readConfig } from "../../src/base/config.ts";
import { findKeys } from "../../src/base/keys.ts";
import { StorageUnavailable } from "../../src/base/storage_fault.ts";
import { findLastBackup } from "../../src/keep/backup.ts";
import { archiveTexts, objectIn, textsNumbered } from "../support/archive.ts";
import { openFolder } from "../support/data_folder.ts";
import { temporaryFolder } from "../support/folder.ts";
import { run } from "./run.ts";

describe("backup and restore (decisions 2 and 4, reliability 4.4)", () => {
  test("a relative file is meant from where the command was called, and both say where the key is", async () => {
    using folder = temporaryFolder();
    const opened = await openFolder(join(folder.path, "data"));
    const made = await run(opened, "backup one", folder.path);
    for (const words of ["backup one", "backup --one"]) await run(opened, words, folder.path);
    opened.close();
    expect(made.stdout).toStartWith(`${join(folder.path, "one")}\n`);
    expect(made.stdout).toContain(`NOT in it; keep ${join(folder.path, "data", "credentials.key")} apart`);
    const key = readFileSync(join(folder.path, "data", "credentials.key"), "utf8");
    const config = readConfig({ DATA_DIR: join(folder.path, "restored"), CREDENTIALS_KEY: key });
    const missing = await restore.run(config, { args: ["two"], cwd: folder.path });
    expect(missing).toMatchObject({ exitCode: 1, stderr: `there is no file ${join(folder.path, "two")}` });
    expect(existsSync(config.dataDir)).toBe(false);
    const done = await restore.run(config, { args: ["one"], cwd: folder.path });
    expect(done.exitCode).toBe(0);
    expect(done.stdout).toContain("credentials key: from the CREDENTIALS_KEY setting");
    expect((await restore.run(config, { args: [], cwd: folder.path })).exitCode).toBe(2);
  });

  test("a running service is told of it; where that cannot be stored, it is a backup all the same", async () => {
    using folder = temporaryFolder();
    const opened = await openFolder(join(folder.path, "data"));
    expect(findLastBackup(opened.deps.store.db)).toBeUndefined();
    const before = opened.deps.clock.now();
    await run(opened, "backup one", folder.path);
    const noted = findLastBackup(opened.deps.store.db);
    expect(noted?.at).toBeGreaterThanOrEqual(before);
    expect(noted?.lacking).toBe(0);
    const full = { write: () => Promise.reject(new StorageUnavailable("the disk is full")) };
    const invocation = { args: ["two"], cwd: folder.path };
    const made = await backup.run({ ...opened.deps, writer: full }, invocation);
    opened.close();
    expect(made.exitCode).toBe(0);
    expect(made.stderr).toContain("could not be noted for /metrics");
  });

  test("what the archive lacks is said by the backup and by the restore, which is made despite it", async () => {
    using folder = temporaryFolder();
    const opened = await openFolder(join(folder.path, "data"));
    const [lost] = await archiveTexts(opened, textsNumbered(0, 3));
    if (lost !== undefined) rmSync(objectIn(join(folder.path, "data", "raw-signals"), lost));
    expect((await run(opened, "backup one", folder.path)).exitCode).toBe(1);
    opened.close();
    const config = readConfig({ DATA_DIR: join(folder.path, "restored") });
    const args = ["one", "--unverified-origin", "--despite-faults"];
    const { stdout } = await restore.run(config, { args, cwd: folder.path });
    expect(stdout).toContain(`archive: NOT WHOLE, 2 of 3 objects`);
  });

  test("a key file that is gone or another since the start is told of: it would not prove the backup", async () => {
    using folder = temporaryFolder();
    const data = join(folder.path, "data");
    const opened = await openFolder(data);
    const path = join(data, "credentials.key");
    rmSync(path);
    const gone = await run(opened, "backup gone", folder.path);
    writeFileSync(path, Buffer.alloc(32, 9).toString("base64"));
    const other = await run(opened, "backup other", folder.path);
    const { id } = opened.deps.keys;
    const { id: held } = findKeys(opened.deps.config) ?? {};
    opened.close();
    expect(other.stderr).toContain(`holds another key by now (${held})`);
    for (const { stderr } of [gone, other]) expect(stderr).toContain(`the service started with (${id})`);
  });
});
