import { describe, expect, test } from "bun:test";
import { harden } from "../../src/store/generate.ts";
import { checkSchema, migrateStore, versionFault } from "../../src/store/migrations.ts";
import { openStore } from "../../src/store/store.ts";
import { testStore } from "../support/database.ts";
import { fresh } from "../support/fresh.ts";
import { recordEach } from "../support/mixtures.ts";

const store = fresh(testStore);

describe("the schema is checked at start (decisions 8)", () => {
  test("a migrated database has nothing wrong with it, and migrating it again changes nothing", () => {
    const before = store.raw.query("SELECT name, sql FROM sqlite_schema ORDER BY name").all();
    migrateStore(store);
    expect(checkSchema(store)).toStrictEqual([]);
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
    expect(loose).toStrictEqual([]);
  });

  test.each([
    "CREATE TABLE spy (a TEXT) STRICT",
    "CREATE VIEW spy AS SELECT * FROM audit",
    "CREATE INDEX spy ON audit (actor)",
    "CREATE TRIGGER spy AFTER INSERT ON audit BEGIN SELECT 1; END",
    "DROP TABLE setup_link; CREATE TABLE setup_link (digest TEXT PRIMARY KEY NOT NULL, created_at INTEGER, expires_at INTEGER, used_at INTEGER) STRICT",
    "DROP INDEX operator_name_unique; CREATE UNIQUE INDEX operator_name_unique ON operator (lower(name))",
    "DROP TRIGGER codebase_report_no_delete",
    "DROP TRIGGER codebase_report_no_delete; CREATE TRIGGER codebase_report_no_delete BEFORE DELETE ON codebase_report BEGIN SELECT 1; END",
  ])("what no migration made is found by name: %s; recorded", (sql) => {
    store.raw.run(sql);
    expect(checkSchema(store)).toMatchSnapshot();
  });

  test("the two tables that a replicator keeps for itself are no fault, a trigger of its name is", () => {
    store.raw.run("CREATE TABLE _litestream_seq (id INTEGER PRIMARY KEY, seq INTEGER)");
    store.raw.run("CREATE TABLE _litestream_lock (id INTEGER)");
    expect(checkSchema(store)).toStrictEqual([]);
    store.raw.run("CREATE TRIGGER _litestream_seq AFTER INSERT ON audit BEGIN SELECT 1; END");
    expect(checkSchema(store)).toEqual(["trigger _litestream_seq is not of this release"]);
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

  test("a database that this version cannot read is told from one of another Tower, an earlier and a newer one, recorded", () => {
    const acts = [
      ...["SELECT 1", "UPDATE __drizzle_migrations SET created_at = created_at - 1"],
      "UPDATE __drizzle_migrations SET hash = 'x'",
      "UPDATE __drizzle_migrations SET created_at = created_at + 2",
      ...["DELETE FROM __drizzle_migrations", "DROP TABLE __drizzle_migrations"],
    ];
    recordEach(acts, (sql) => {
      store.raw.run(sql);
      return versionFault(store);
    });
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
  expect([...hardened.matchAll(/CREATE TRIGGER `(\w+)`/g)].map((match) => match[1])).toMatchSnapshot();
});
