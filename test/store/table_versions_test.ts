/** Which tables were written to is told of every kind of write, and of none that was taken back. */

import { Database } from "bun:sqlite";
import { beforeEach, expect, test } from "bun:test";
import { join } from "node:path";
import { openStore } from "../../src/store/store.ts";
import { VersionedTables } from "../../src/store/table_versions.ts";
import { temporaryFolder } from "../support/folder.ts";
import { fresh } from "../support/fresh.ts";

const TABLES = ["site", "page", "note"];
const folder = fresh(temporaryFolder);
const store = fresh(() => openStore(join(folder.path, "tower.db")));
let tables: VersionedTables;
beforeEach(() => {
  run(
    "CREATE TABLE site (id INTEGER PRIMARY KEY, name TEXT UNIQUE) STRICT",
    "CREATE TABLE page (site INTEGER REFERENCES site (id) ON DELETE CASCADE, path TEXT, PRIMARY KEY (site, path)) STRICT, WITHOUT ROWID",
    "CREATE TABLE note (a) ",
    "CREATE TABLE beside (a)",
    "CREATE TRIGGER noted AFTER INSERT ON beside WHEN new.a = 'told' BEGIN INSERT INTO note VALUES (new.a); END",
    "INSERT INTO site VALUES (1, 'one'), (2, 'two')",
    "INSERT INTO page VALUES (1, '/'), (2, '/')",
  );
  tables = new VersionedTables(store, TABLES);
});

function run(...statements: readonly string[]): void {
  for (const statement of statements) store.raw.run(statement);
}

/** The tables that something writes to, as it is told. */
function touchedBy(write: () => void): string[] {
  const before = tables.versions();
  write();
  const after = tables.versions();
  expect(before?.size).toBe(TABLES.length);
  return TABLES.filter((name) => before?.get(name) !== after?.get(name));
}

const WRITES: readonly (readonly [touched: readonly string[], ...statements: string[]])[] = [
  [["site"], "INSERT INTO site VALUES (3, 'three')"],
  [["site"], "UPDATE site SET name = 'uno' WHERE id = 1"],
  [["site"], "INSERT INTO site VALUES (1, 'x') ON CONFLICT (id) DO UPDATE SET name = excluded.name"],
  [["page"], "DELETE FROM page"],
  [["note"], "INSERT INTO note SELECT column1 FROM (VALUES ('a'), ('b'))"],
  [["page", "site"], "DELETE FROM site WHERE id = 1"],
  [["page", "site"], "INSERT OR REPLACE INTO site VALUES (9, 'one')"],
  [["note"], "INSERT INTO beside VALUES ('told')"],
  [[], "INSERT INTO beside VALUES ('not told')"],
  [[], "UPDATE site SET name = 'none' WHERE id = 99"],
  [[], "BEGIN", "INSERT INTO site VALUES (4, 'four')", "ROLLBACK"],
  [
    ["note"],
    "BEGIN",
    "INSERT INTO note VALUES (1)",
    "SAVEPOINT s",
    "DELETE FROM site",
    "ROLLBACK TO s",
    "COMMIT",
  ],
];

for (const [touched, ...statements] of WRITES) {
  test(`${statements.join("; ")}: ${touched.join(", ") || "nothing"}`, () => {
    expect(touchedBy(() => run(...statements)).sort()).toEqual([...touched]);
  });
}

test("a commit after one that was taken back has a mark of its own", () => {
  const marks = [tables.versions()?.get("site")];
  run("BEGIN", "INSERT INTO site VALUES (4, 'four')", "ROLLBACK", "INSERT INTO site VALUES (4, 'vier')");
  marks.push(tables.versions()?.get("site"));
  expect(new Set(marks).size).toBe(2);
});

test("inside a transaction it cannot be told", () => {
  tables.versions();
  run("BEGIN", "INSERT INTO site VALUES (4, 'four')");
  expect(tables.versions()).toBeUndefined();
  run("COMMIT");
  store.rawRead.run("BEGIN");
  expect(tables.versions()).toBeUndefined();
  store.rawRead.run("COMMIT");
  expect(tables.versions()?.size).toBe(TABLES.length);
});

test("what another program commits may be anywhere", () => {
  const other = new Database(join(folder.path, "tower.db"));
  expect(touchedBy(() => other.run("INSERT INTO beside VALUES (1)"))).toEqual(TABLES);
  expect(touchedBy(() => undefined)).toStrictEqual([]);
  other.close();
});

test("a table that was made anew is watched, and a table that is not there leaves nothing told", () => {
  expect(touchedBy(() => run("DROP TABLE note", "CREATE TABLE note (a)"))).toEqual(TABLES);
  expect(touchedBy(() => run("INSERT INTO note VALUES (1)"))).toEqual(["note"]);
  run("DROP TABLE note");
  expect(tables.versions()).toBeUndefined();
  run("CREATE TABLE note (a)");
  expect(touchedBy(() => run("INSERT INTO note VALUES (1)"))).toEqual(["note"]);
});

test("the sites whose rows were written are told by table, each once, of rows that went too", () => {
  const siteOf = { site: "CAST(NEW.id AS TEXT)", page: "CAST(nullif(NEW.site, 3) AS TEXT)" };
  const known = new VersionedTables(store, TABLES, siteOf);
  const written = () =>
    Object.fromEntries([...known.takeSites()].map(([table, sites]) => [table, [...sites]]));
  known.versions();
  run(
    "INSERT INTO page VALUES (1, '/a'), (1, '/b')",
    "UPDATE site SET name = 'uno' WHERE id = 1",
    "DELETE FROM page WHERE site = 2",
    "INSERT INTO note VALUES (1)",
  );
  expect(written()).toEqual({ page: ["1", "2"], site: ["1"] });
  expect(written()).toEqual({});
  run("INSERT INTO site VALUES (3, 'three')", "INSERT INTO page VALUES (3, '/')");
  expect(written()).toEqual({ page: [null], site: ["3"] });
});

test("nothing of it is stored", () => {
  const stored = () => [
    ...store.rawRead.query("SELECT count(*) FROM sqlite_master").values(),
    ...store.rawRead.query("PRAGMA data_version").values(),
  ];
  const before = stored();
  tables.versions();
  expect(stored()).toEqual(before);
});

test("the site of a row that is written again and again is noted once, whatever its statement says of conflicts", () => {
  const noting = new VersionedTables(store, TABLES, { site: "NEW.name" });
  noting.versions();
  for (let round = 0; round < 2; round++)
    run(
      "INSERT INTO site VALUES (7, 'seven') ON CONFLICT (id) DO UPDATE SET name = excluded.name",
      "UPDATE OR ABORT site SET name = 'seven' WHERE id = 7",
      "INSERT OR REPLACE INTO site VALUES (7, 'seven')",
    );
  expect(noting.takeSites()).toEqual(new Map([["site", new Set(["seven"])]]));
  expect(noting.takeSites()).toEqual(new Map());
});
