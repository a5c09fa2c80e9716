/** Where a database's file says which releases of SQLite may write it, and how its schema is written. */

import { Database } from "bun:sqlite";
import { describe, expect, test } from "bun:test";
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { LockFault, takeDataLock } from "../../src/store/lock.ts";
import { temporaryFolder } from "../support/folder.ts";
import { recordEach } from "../support/mixtures.ts";

const WRITE_VERSION = 18;
const SCHEMA_FORMAT = 47;

/** Makes a database of which one byte is another. */
function changed(path: string, at: number, byte: number): void {
  const made = new Database(path);
  made.run("PRAGMA journal_mode = WAL");
  made.run("CREATE TABLE something (a)");
  made.close();
  const bytes = readFileSync(path);
  bytes[at] = byte;
  writeFileSync(path, bytes);
}

describe("one process per data folder (decisions 2)", () => {
  test("a second taker gets nothing until the first lets go", () => {
    using folder = temporaryFolder();
    const first = takeDataLock(folder.path);
    expect(first).toBeDefined();
    expect(takeDataLock(folder.path)).toBeUndefined();
    first?.release();
    const next = takeDataLock(folder.path);
    expect(next).toBeDefined();
    next?.release();
  });

  test("a lock is held until it is released, also when nothing in the program refers to it any more", async () => {
    using folder = temporaryFolder();
    (() => expect(takeDataLock(folder.path)).toBeDefined())();
    for (let turns = 0; turns < 2; turns++) {
      await new Promise<void>((done) => setImmediate(done));
      Bun.gc(true);
    }
    expect(takeDataLock(folder.path)).toBeUndefined();
  });

  test("a killed process frees the folder and leaves nothing to clean up", async () => {
    using folder = temporaryFolder();
    const holder = Bun.spawn([process.execPath, join(import.meta.dir, "hold_lock.ts"), folder.path], {
      stdout: "pipe",
    });
    const reader = holder.stdout.getReader();
    await reader.read();
    expect(takeDataLock(folder.path)).toBeUndefined();
    holder.kill("SIGKILL");
    await holder.exited;
    const lock = takeDataLock(folder.path);
    expect(lock).toBeDefined();
    lock?.release();
  });

  const FAULTS: Readonly<Record<string, (path: string) => void>> = {
    "a damaged file": (path) => writeFileSync(path, "no database at all ".repeat(200)),
    "a file of a format that SQLite does not read": (path) => changed(path, SCHEMA_FORMAT, 9),
    "a file of a format that SQLite does not write": (path) => changed(path, WRITE_VERSION, 9),
    "a link that leads nowhere": (path) => symlinkSync("/proc/none/lock.db", path),
    "a folder": (path) => mkdirSync(path),
  };
  test("what lies in the place of the lock is told apart from a lock that is held, in one line; recorded", () => {
    recordEach(Object.keys(FAULTS), (what) => {
      using folder = temporaryFolder();
      FAULTS[what]?.(join(folder.path, "lock.db"));
      expect(() => takeDataLock(folder.path)).toThrow(LockFault);
      try {
        return takeDataLock(folder.path);
      } catch (error) {
        return String(error).replaceAll(folder.path, "/data");
      }
    });
  });

  test("a folder that is gone is told apart, too", () => {
    expect(() => takeDataLock("/proc/none")).toThrow(LockFault);
  });
});
