import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { walBytes } from "../../src/store/checkpoint.ts";
import { migrateStore } from "../../src/store/migrations.ts";
import { openReadOnly, openStore, openToRead, plannedOnce, statement } from "../../src/store/store.ts";
import { Writer } from "../../src/store/writer.ts";
import { testStore } from "../support/database.ts";
import { temporaryFolder } from "../support/folder.ts";

describe("what every promise rests on is set and read back (decisions 4)", () => {
  test("the writing connection commits durably, checks foreign keys and lets no REPLACE pass the triggers", () => {
    using folder = temporaryFolder();
    const store = openStore(join(folder.path, "t.db"));
    const read = (name: string) =>
      Object.values(store.raw.query<Record<string, unknown>, []>(`PRAGMA ${name}`).get() ?? {})[0];
    const names = ["journal_mode", "synchronous", "foreign_keys", "recursive_triggers", "trusted_schema"];
    expect(names.map(read)).toEqual(["wal", 2, 1, 1, 0]);
    store.close();
  });

  test("an image in memory has the same guards", () => {
    const store = testStore();
    const read = (name: string) =>
      Object.values(store.raw.query<Record<string, unknown>, []>(`PRAGMA ${name}`).get() ?? {})[0];
    expect(["foreign_keys", "recursive_triggers", "trusted_schema"].map(read)).toEqual([1, 1, 0]);
    store.close();
  });

  test("a reading connection, and what is opened to be read, takes no write, and no schema that a stranger bent", () => {
    using folder = temporaryFolder();
    const path = join(folder.path, "t.db");
    const store = openStore(path);
    migrateStore(store);
    expect(() => store.rawRead.run("INSERT INTO service_state VALUES ('a', 'b', 1)")).toThrow("readonly");
    store.close();
    const opened = openReadOnly(path);
    for (const raw of [opened.raw, openToRead(path)]) {
      expect(() => raw.run("INSERT INTO service_state VALUES ('a', 'b', 1)")).toThrow("readonly");
    }
    const read = (name: string) => Object.values(opened.raw.query(`PRAGMA ${name}`).get() ?? {})[0];
    expect(["query_only", "trusted_schema"].map(read)).toEqual([1, 0]);
    opened.close();
  });

  test("closing empties the write-ahead log into the file", async () => {
    using folder = temporaryFolder();
    const path = join(folder.path, "t.db");
    const store = openStore(path);
    migrateStore(store);
    await new Writer(store).write(() => {
      store.raw.run("INSERT INTO service_state VALUES ('a', 'b', 1)");
    });
    expect(walBytes(path)).toBeGreaterThan(0);
    store.close();
    expect(walBytes(path)).toBe(0);
    const again = openStore(path);
    expect(again.raw.query("SELECT name FROM service_state").all()).toEqual([{ name: "a" }]);
    again.close();
  });
});

describe("a statement in plain SQL", () => {
  test("keeps every parameter from the planner, and what stands in quotes as it is", () => {
    expect(
      plannedOnce("SELECT '?', 'it''s ?' FROM t WHERE a = ?1 AND b BETWEEN ? AND min(?, 5) LIMIT ?"),
    ).toBe("SELECT '?', 'it''s ?' FROM t WHERE a = +?1 AND b BETWEEN +? AND min(+?, 5) LIMIT +?");
  });

  test("finds and stores texts and numbers as before", () => {
    const store = testStore();
    const put = statement<never, [string, string, number]>(
      "INSERT INTO service_state (name, value, changed_at) VALUES (?, ?, ?)",
    );
    const find = statement<{ value: string; changed_at: number }, [string, number]>(
      "SELECT value, changed_at FROM service_state WHERE name = ? AND changed_at >= ?",
    );
    put(store.db).run("007", "08", 9);
    expect(find(store.db).all("007", 9)).toEqual([{ value: "08", changed_at: 9 }]);
    expect(find(store.db).first("7", 9)).toBeUndefined();
    store.close();
  });
});
