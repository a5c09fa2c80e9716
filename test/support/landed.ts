/** Databases as an earlier release left them. */
import { Database } from "bun:sqlite";
import { listMigrations } from "../../src/db/journal.ts";

/**
 * Writes to `target` the database `source` as a release with only the first `level` migrations would hold it: the tables and columns
 * that these make, with the rows that are in them; of rows that it held as one, the first.
 */
export function asOfLevel(source: string, target: string, level: number): void {
  const old = new Database(target, { create: true, readwrite: true });
  const migrations = listMigrations().slice(0, level);
  old.run("ATTACH ? AS now", [source]);
  const [journal] = old
    .query<{ sql: string }, []>("SELECT sql FROM now.sqlite_schema WHERE name = '__drizzle_migrations'")
    .all();
  for (const sql of [journal?.sql ?? "", ...migrations.flatMap(({ statements }) => statements)]) old.run(sql);
  for (const { hash, when } of migrations) {
    old.run("INSERT INTO __drizzle_migrations (hash, created_at) VALUES (?, ?)", [hash, when]);
  }
  const tables = old
    .query<{ name: string }, []>(
      "SELECT name FROM main.sqlite_schema WHERE type = 'table' AND name NOT LIKE '\\_\\_%' ESCAPE '\\'",
    )
    .all();
  for (const { name } of tables) {
    const columns = old.query<{ name: string }, []>(`PRAGMA main.table_info(${name})`).all();
    const list = columns.map((column) => `"${column.name}"`).join(", ");
    old.run(`INSERT OR IGNORE INTO main.${name} (${list}) SELECT ${list} FROM now.${name}`);
  }
  old.close();
}
