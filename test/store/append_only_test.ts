import { describe, expect, test } from "bun:test";
import { APPEND_ONLY_TABLES } from "../../src/store/snapshot.ts";
import { testStore } from "../support/database.ts";
import { fresh } from "../support/fresh.ts";

const store = fresh(testStore);

/** Fills one row of a table with values of the declared types. */
function insertRow(table: string, verb = "INSERT"): void {
  const columns = store.raw.query<{ name: string; type: string }, []>(`PRAGMA table_info(${table})`).all();
  const values = columns.map(({ name, type }) => {
    if (/INT|REAL/i.test(type)) return "1";
    if (/BLOB/i.test(type)) return "x'00'";
    return name === "rule" ? "NULL" : "'x'";
  });
  store.raw.run("PRAGMA ignore_check_constraints = ON");
  store.raw.run("PRAGMA foreign_keys = OFF");
  store.raw.run(
    `${verb} INTO ${table} (${columns.map(({ name }) => `"${name}"`).join(", ")}) VALUES (${values.join(", ")})`,
  );
}

const count = (table: string) =>
  store.raw.query<{ n: number }, []>(`SELECT count(*) AS n FROM ${table}`).get()?.n;

describe("append-only tables are append-only in the database itself (decisions 4)", () => {
  for (const table of APPEND_ONLY_TABLES) {
    test(`${table} refuses UPDATE, DELETE, REPLACE and upsert`, () => {
      insertRow(table);
      const columns = store.raw.query<{ name: string }, []>(`PRAGMA table_info(${table})`).all();
      const [key, ...others] = columns.map(({ name }) => name);
      const refusal = `${table} is append-only`;
      for (const name of [key, ...others]) {
        expect(() => store.raw.run(`UPDATE ${table} SET "${name}" = "${name}"`)).toThrow(refusal);
      }
      expect(() => store.raw.run(`DELETE FROM ${table}`)).toThrow(refusal);
      expect(() => insertRow(table, "INSERT OR REPLACE")).toThrow(refusal);
      expect(() => insertRow(table, "REPLACE")).toThrow(refusal);
      expect(() => store.raw.run(`UPDATE OR REPLACE ${table} SET "${key}" = "${key}"`)).toThrow(refusal);
      expect(count(table)).toBe(1);
    });
  }

  test("the triggers hold for every table of the list, and the list for every pair of triggers", () => {
    const triggers = store.raw
      .query<{ name: string }, []>(
        "SELECT name FROM sqlite_schema WHERE type = 'trigger' AND name LIKE '%\\_no\\_%' ESCAPE '\\' ORDER BY name",
      )
      .all()
      .map(({ name }) => name);
    expect(triggers).toEqual(
      APPEND_ONLY_TABLES.flatMap((table) => [`${table}_no_delete`, `${table}_no_update`]).sort(),
    );
  });
});
