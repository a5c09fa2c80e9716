import { describe, expect, test } from "bun:test";
import { harden } from "../../src/store/generate.ts";
import { checkSchema, migrateStore, versionFault } from "../../src/store/migrations.ts";
import { openStore } from "../../src/store/store.ts";
import { testStore } from "../support/database.ts";
import { fresh } from "../support/fresh.ts";

const store = fresh(testStore);

describe("the schema is checked at start (decisions 8)", () => {
  test("a migrated database has nothing wrong with it, and migrating it again changes nothing", () => {
    const before = store.raw.query("SELECT name, sql FROM sqlite_schema ORDER BY name").all();
    migrateStore(store);
    expect(checkSchema(store)).toEqual([]);
    expect(store.raw.query("SELECT name, sql FROM sqlite_schema ORDER BY name").all()).toEqual(before);
  });

  test("a migration that was edited after it was applied is found, and the start refused", () => {
    store.raw.run(
      "UPDATE __drizzle_migrations SET hash = 'another' WHERE rowid = (SELECT max(rowid) FROM __drizzle_migrations)",
    );
    expect(checkSchema(store)).toEqual([expect.stringContaining("it is of an earlier Tower")]);
    expect(() => migrateStore(store)).toThrow("not as expected");
  });

  test("a migration older than the last applied one, which drizzle skips in silence, is found", () => {
    store.raw.run("DELETE FROM __drizzle_migrations");
    store.raw.run(
      "INSERT INTO __drizzle_migrations (hash, created_at) VALUES ('from a branch', 9999999999999)",
    );
    expect(() => migrateStore(store)).toThrow("it is of a newer Tower");
  });

  test("every table is STRICT", () => {
    const loose = store.raw
      .query(
        "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND strict = 0 AND name NOT LIKE 'sqlite_%' AND name <> '__drizzle_migrations'",
      )
      .all();
    expect(loose).toEqual([]);
  });

  for (const [what, sql, fault] of [
    ["a table", "CREATE TABLE spy (a TEXT) STRICT", "table spy is not of this release"],
    ["a view", "CREATE VIEW spy AS SELECT * FROM audit", "view spy is not of this release"],
    ["an index", "CREATE INDEX spy ON audit (actor)", "index spy is not of this release"],
    [
      "a trigger that looks on",
      "CREATE TRIGGER spy AFTER INSERT ON audit BEGIN SELECT 1; END",
      "trigger spy is not of this release",
    ],
    [
      "a table with another rule",
      "DROP TABLE setup_link; CREATE TABLE setup_link (digest TEXT PRIMARY KEY NOT NULL, created_at INTEGER, expires_at INTEGER, used_at INTEGER) STRICT",
      "table setup_link is not as this release makes it",
    ],
    [
      "an index over another expression",
      "DROP INDEX operator_name_unique; CREATE UNIQUE INDEX operator_name_unique ON operator (lower(name))",
      "index operator_name_unique is not as this release makes it",
    ],
  ] as const) {
    test(`${what} that no migration made is found by name`, () => {
      store.raw.run(sql);
      expect(checkSchema(store)).toContain(fault);
    });
  }

  test("the two tables that a replicator keeps for itself are no fault, a trigger of its name is", () => {
    store.raw.run("CREATE TABLE _litestream_seq (id INTEGER PRIMARY KEY, seq INTEGER)");
    store.raw.run("CREATE TABLE _litestream_lock (id INTEGER)");
    expect(checkSchema(store)).toEqual([]);
    store.raw.run("CREATE TRIGGER _litestream_spy AFTER INSERT ON audit BEGIN SELECT 1; END");
    expect(checkSchema(store)).toEqual(["trigger _litestream_spy is not of this release"]);
  });

  test("a missing append-only trigger is found", () => {
    store.raw.run("DROP TRIGGER codebase_report_no_delete");
    expect(checkSchema(store)).toEqual(["trigger codebase_report_no_delete is missing"]);
  });

  test("an empty trigger in the place of an append-only one is found", () => {
    store.raw.run("DROP TRIGGER codebase_report_no_delete");
    store.raw.run(
      "CREATE TRIGGER codebase_report_no_delete BEFORE DELETE ON codebase_report BEGIN SELECT 1; END",
    );
    expect(checkSchema(store)).toEqual(["trigger codebase_report_no_delete is not as this release makes it"]);
  });

  test("a trigger that differs within quotes alone is found", () => {
    const name = "codebase_report_no_delete";
    const made = store.raw
      .query<{ sql: string }, [string]>("SELECT sql FROM sqlite_schema WHERE name = ?")
      .get(name);
    store.raw.run(`DROP TRIGGER ${name}`);
    store.raw.run(made?.sql.replace("is append-only'", "may go'") ?? "");
    expect(checkSchema(store)).toEqual([`trigger ${name} is not as this release makes it`]);
  });

  test("every table refuses a value of the wrong type", () => {
    expect(() => store.raw.run("INSERT INTO service_state VALUES ('a', 'b', 'no number')")).toThrow(
      "cannot store TEXT value in INTEGER column",
    );
  });

  test("a database that this version cannot read is told from one of another Tower, an earlier and a newer one", () => {
    const newer =
      "it is of a newer Tower, which alone can read it: start that one; a backup made before the upgrade goes back with this one";
    const earlier =
      "it is of an earlier Tower, which alone can read it: start that one, or begin with an empty DATA_DIR (from 1.0.0 on each version reads what those before it stored)";
    const faultAfter = (sql: string) => {
      store.raw.run(sql);
      return versionFault(store);
    };
    expect(versionFault(store)).toBeUndefined();
    expect(faultAfter("UPDATE __drizzle_migrations SET hash = 'x'")).toBe(earlier);
    expect(faultAfter("UPDATE __drizzle_migrations SET created_at = created_at - 1")).toBe(earlier);
    expect(faultAfter("UPDATE __drizzle_migrations SET created_at = created_at + 2")).toBe(newer);
    expect(faultAfter("DELETE FROM __drizzle_migrations")).toBe(
      "it is empty: no migration was applied to it",
    );
    expect(faultAfter("DROP TABLE __drizzle_migrations")).toBe(
      "it is not a database of Tower: no migrations are recorded in it",
    );
  });

  test("a migration that fails leaves the database as it was", () => {
    const empty = openStore(":memory:");
    empty.raw.run("CREATE TABLE flag_record (mine INTEGER) STRICT");
    expect(() => migrateStore(empty)).toThrow();
    const tables = empty.raw
      .query<{ name: string }, []>(
        "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE '\\_\\_%' ESCAPE '\\'",
      )
      .all();
    expect(tables).toEqual([{ name: "flag_record" }]);
    empty.close();
  });
});

test("a generated migration becomes strict and append-only where it must", () => {
  const sql =
    "CREATE TABLE `a` (\n\t`id` integer PRIMARY KEY NOT NULL\n);\n--> statement-breakpoint\nCREATE TABLE `b` (\n\t`x` text,\n\tCONSTRAINT \"c\" CHECK(`x` IN ('(', ')'))\n);\n";
  const hardened = harden(
    sql,
    ["b", "elsewhere"],
    [
      "CREATE TRIGGER `own` BEFORE UPDATE ON `a` BEGIN x; END;",
      "CREATE TRIGGER `other` BEFORE UPDATE ON `c` BEGIN x; END;",
    ],
  );
  expect(hardened.match(/\n\) STRICT;/g)).toHaveLength(2);
  expect([...hardened.matchAll(/CREATE TRIGGER `(\w+)`/g)].map((match) => match[1])).toEqual([
    "b_no_update",
    "b_no_delete",
    "own",
  ]);
});
