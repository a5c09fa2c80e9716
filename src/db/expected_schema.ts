/**
 * The whole `sqlite_schema` against what this release's migrations make: every table, index, trigger and view. A name alone says
 * nothing: a weakened trigger keeps its name, and one more trigger looks on at every row that is written.
 */
import { Database } from "bun:sqlite";
import { listMigrations } from "./journal.ts";

interface SchemaRow {
  readonly type: string;
  readonly name: string;
  readonly tbl_name: string;
  readonly sql: string | null;
}

/** What of the schema is not what the first `level` migrations of this release make, each by name. */
export function schemaDifferences(raw: Database, level: number): string[] {
  const expected = expectedAt(level);
  const found = new Map(readSchema(raw).map((row) => [nameOf(row), row]));
  const missing = [...expected.keys()].filter((name) => !found.has(name)).map((name) => `${name} is missing`);
  const odd = [...found].flatMap(([name, row]) => {
    const made = expected.get(name);
    if (made === undefined) return [`${name} is not of this release`];
    return made === meaningOf(row) ? [] : [`${name} is not as this release makes it`];
  });
  return [...missing, ...odd];
}

const known = new Map<number, ReadonlyMap<string, string>>();

function expectedAt(level: number): ReadonlyMap<string, string> {
  let expected = known.get(level);
  if (expected === undefined) {
    expected = new Map(schemaAt(level).map((row) => [nameOf(row), meaningOf(row)]));
    known.set(level, expected);
  }
  return expected;
}

/** Made by running the migrations, as a data folder is: what SQLite writes down of an ALTER is its own. */
function schemaAt(level: number): SchemaRow[] {
  const raw = new Database(":memory:", { strict: true });
  try {
    for (const sql of listMigrations()
      .slice(0, level)
      .flatMap(({ statements }) => statements)) {
      raw.run(sql);
    }
    return readSchema(raw);
  } finally {
    raw.close();
  }
}

/** All but drizzle's own table. */
function readSchema(raw: Database): SchemaRow[] {
  return raw
    .query<SchemaRow, []>(
      "SELECT type, name, tbl_name, sql FROM sqlite_schema WHERE name NOT IN ('__drizzle_migrations', 'sqlite_autoindex___drizzle_migrations_1')",
    )
    .all();
}

function nameOf({ type, name }: SchemaRow): string {
  return `${type} ${name}`;
}

function meaningOf({ tbl_name, sql }: SchemaRow): string {
  return `${tbl_name}\n${sql === null ? "" : normalised(sql)}`;
}

const QUOTED_OR_SPACE = /('(?:''|[^'])*'|"(?:""|[^"])*"|`(?:``|[^`])*`)|[ \t\n]+/g;

/** White space between words says nothing, and another SQLite may write another; within quotes it does. */
function normalised(sql: string): string {
  return sql.replace(QUOTED_OR_SPACE, (_, quoted: string | undefined) => quoted ?? " ").trim();
}
