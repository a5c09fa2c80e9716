import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { migrateStore, openStore, Writer, walBytes } from "../../src/db/mod.ts";
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

  test("the reading connection cannot write", () => {
    using folder = temporaryFolder();
    const store = openStore(join(folder.path, "t.db"));
    migrateStore(store);
    expect(() => store.rawRead.run("INSERT INTO service_state VALUES ('a', 'b', 1)")).toThrow("readonly");
    store.close();
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

  test("two images of one template share nothing", () => {
    const [one, two] = [testStore(), testStore()];
    one.raw.run("INSERT INTO service_state VALUES ('a', 'b', 1)");
    expect(two.raw.query("SELECT * FROM service_state").all()).toEqual([]);
    one.close();
    two.close();
  });

  test("a file that is no database is refused", async () => {
    using folder = temporaryFolder();
    const path = join(folder.path, "t.db");
    await Bun.write(path, "no database at all, but long enough to have a header".repeat(40));
    expect(() => openStore(path)).toThrow("not a database");
  });
});
