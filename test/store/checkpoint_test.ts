import { describe, expect, test } from "bun:test";
import { mkdirSync, renameSync, rmdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { startCheckpointer, walBytes } from "../../src/store/checkpoint.ts";
import { migrateStore } from "../../src/store/migrations.ts";
import { openStore } from "../../src/store/store.ts";
import { Writer } from "../../src/store/writer.ts";
import { temporaryFolder } from "../support/folder.ts";
import { until } from "../support/until.ts";

describe("checkpoints off the path of an answer (decisions 8)", () => {
  test("what was written moves from the log into the file, while the writer goes on", async () => {
    using folder = temporaryFolder();
    const path = join(folder.path, "t.db");
    const store = openStore(path);
    migrateStore(store);
    const writer = new Writer(store);
    const checkpointer = startCheckpointer(store);
    const before = statSync(path).size;
    for (let i = 0; i < 20; i++) {
      await writer.write(() => {
        store.raw.run("INSERT INTO service_state VALUES (?, ?, 0)", [`n${i}`, "x".repeat(300_000)]);
      });
    }
    await until(
      async () => statSync(path).size,
      (size) => size >= before + 4_000_000,
    );
    expect(statSync(path).size).toBeGreaterThan(before + 4_000_000);
    expect(await checkpointer.stop(5_000)).toBe(true);
    store.close();
    expect(walBytes(path)).toBe(0);
  });

  test("a checkpoint that fails is told and tried again, and the stop is as quick as ever", async () => {
    using folder = temporaryFolder();
    const path = join(folder.path, "t.db");
    const store = openStore(path);
    migrateStore(store);
    await new Writer(store).write(() => {
      store.raw.run("INSERT INTO service_state VALUES ('big', ?, 0)", ["x".repeat(5_000_000)]);
    });
    const { promise: failed, resolve: tellFailed } = Promise.withResolvers<string>();
    const { promise: worked, resolve: tellWorked } = Promise.withResolvers<number>();
    // The worker opens by name: for as long as the name leads elsewhere, every look fails.
    renameSync(path, `${path}.away`);
    mkdirSync(path);
    const checkpointer = startCheckpointer(store, (look) =>
      look.ok ? tellWorked(look.frames) : tellFailed(look.fault),
    );
    expect(await failed).toMatch(/^SQLITE_CANTOPEN/);
    rmdirSync(path);
    renameSync(`${path}.away`, path);
    expect(await worked).toBeGreaterThan(1_000);
    expect(await checkpointer.stop(5_000)).toBe(true);
    store.close();
  });

  test("a database without a log has none to speak of", () => {
    expect(walBytes(":memory:")).toBe(0);
  });
});
