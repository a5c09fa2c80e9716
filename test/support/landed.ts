/** Databases as an earlier release left them: its migrations applied and recorded, nothing later. */
import { Database } from "bun:sqlite";
import { BODY_TABLES } from "../../src/db/append_only.ts";
import { applyMigrations } from "../../src/db/expected_schema.ts";
import { listMigrations } from "../../src/db/journal.ts";
import { openStore, type Store } from "../../src/db/mod.ts";
import { DIGESTED_VERSION } from "../../src/db/old_rows.ts";
import { readingsBetween } from "../../src/pulse/reading_store.ts";

/** An empty database of the first release, in memory. */
export function landedDatabase(): Store {
  const store = openStore(":memory:");
  bringTo(store.raw, 1);
  return store;
}

/**
 * Writes to `target` the database `source` as a release with only the first `level` migrations would hold it: the tables and columns
 * that these make, with the rows that are in them; of rows that it held as one, the first.
 */
export function asOfLevel(source: string, target: string, level: number): void {
  const old = new Database(target, { create: true, readwrite: true });
  bringTo(old, level);
  old.run("ATTACH ? AS now", [source]);
  const tables = old
    .query<{ name: string }, []>(
      "SELECT name FROM main.sqlite_schema WHERE type = 'table' AND name NOT LIKE '\\_\\_%' ESCAPE '\\'",
    )
    .all();
  const kept = new Set(
    old
      .query<{ name: string }, []>("SELECT name FROM now.sqlite_schema")
      .all()
      .map(({ name }) => name),
  );
  for (const { name } of tables) {
    if (!kept.has(name)) continue;
    const columns = old.query<{ name: string }, []>(`PRAGMA main.table_info(${name})`).all();
    const list = columns.map((column) => `"${column.name}"`).join(", ");
    // Bodies lay in the rows of their reports. None may be packed.
    const beside = BODY_TABLES.get(name);
    const from =
      beside === undefined || !columns.some((column) => column.name === "body")
        ? `now.${name}`
        : `now.${name} JOIN (SELECT id, body FROM now.${beside}) USING (id)`;
    old.run(`INSERT OR IGNORE INTO main.${name} (${list}) SELECT ${list} FROM ${from}`);
  }
  const held = new Set(tables.map(({ name }) => name));
  if (held.has("row_digest_before")) old.run(`PRAGMA user_version = ${DIGESTED_VERSION}`);
  if (held.has("pulse_reading") && !kept.has("pulse_reading"))
    old.transaction(() => putReadings(old, source))();
  old.close();
}

/** The readings and names as they stood before there were series. */
function putReadings(old: Database, source: string): void {
  const store = openStore(source);
  const put = old.query(
    `INSERT INTO pulse_reading (asset, metric, date, pulse, last24h, avg7d, total)
     VALUES (?1, ?2, ?3, (SELECT max(id) FROM pulse WHERE asset = ?1 AND date = ?3), ?4, NULL, ?5)`,
  );
  const names = old.query("SELECT 1 FROM main.sqlite_schema WHERE name = 'pulse_metric'").all();
  for (const { asset, metric } of store.raw
    .query<{ asset: string; metric: string }, []>("SELECT asset, metric FROM series WHERE source = 'pulse'")
    .all()) {
    const days = readingsBetween(store.db, asset, metric, { from: -719_528, to: 2_932_896 });
    for (const { date, last24h, total } of days) put.run(asset, metric, date, last24h, total);
    if (names.length === 0) continue;
    old.run("INSERT INTO pulse_metric VALUES (?, ?, ?)", [asset, metric, days.at(-1)?.date ?? "2026-01-01"]);
  }
  store.close();
}

/** What the first `level` migrations make of an empty database. */
function bringTo(raw: Database, level: number): void {
  const migrations = listMigrations().slice(0, level);
  applyMigrations(raw, migrations);
  for (const { hash, when } of migrations) {
    raw.run("INSERT INTO __drizzle_migrations (hash, created_at) VALUES (?, ?)", [hash, when]);
  }
}
