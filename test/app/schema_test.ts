/** The migration beside the tables that it was made of: whoever changes a table and makes no migration would run the old one. */

import { expect, test } from "bun:test";
import { join } from "node:path";
import { generateSQLiteDrizzleJson, generateSQLiteMigration } from "drizzle-kit/api";
import { harden } from "../../src/store/generate.ts";
import { TABLE_FILES } from "../../src/store/kit.ts";
import { MIGRATIONS_FOLDER } from "../../src/store/migrations.ts";
import { APPEND_ONLY_TABLES } from "../../src/store/snapshot.ts";

const BREAKPOINT = "--> statement-breakpoint";
const statements = (sql: string) =>
  sql
    .split(BREAKPOINT)
    .map((one) => one.trim())
    .sort();

test("the baseline is what the tables, the append-only ones and the triggers make today", async () => {
  const files: object[] = await Promise.all(TABLE_FILES.map((path) => import(path)));
  const schema = Object.assign({}, ...files);
  const [nothing, tables] = [await generateSQLiteDrizzleJson({}), await generateSQLiteDrizzleJson(schema)];
  const made = await generateSQLiteMigration(nothing, tables);
  const triggers = await Bun.file(join(import.meta.dir, "../../src/store/triggers.sql")).text();
  const migration = await Bun.file(join(MIGRATIONS_FOLDER, "0000_baseline.sql")).text();
  expect(statements(migration)).toEqual(
    statements(harden(made.join(`\n${BREAKPOINT}\n`), APPEND_ONLY_TABLES, statements(triggers))),
  );
});
