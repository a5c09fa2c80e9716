/**
 * Makes the migration from the tables: runs drizzle-kit, then writes into the new file what it cannot express: STRICT on every table,
 * WITHOUT ROWID on some, the triggers that refuse UPDATE and DELETE on append-only tables, and those of `triggers.sql`.
 *
 * Until 1.0.0 there is one migration, and `bun run db:generate` makes it anew. From then on every release migrates, and
 * `bun run db:generate <name>` adds one to those before.
 */

import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { MIGRATIONS_FOLDER } from "./migrations.ts";
import { APPEND_ONLY_TABLES } from "./snapshot.ts";

/** Many small rows that are found by a key of several columns: kept in its order, they need no second tree for it. */
const IN_KEY_ORDER = ["archive_day", "archive_tally", "flow_tally", "pulse_freshness", "pulse_waiting"];

const BREAKPOINT = "\n--> statement-breakpoint\n";

/** Adds STRICT and the triggers to one migration's SQL: those of the tables that it makes. */
export function harden(sql: string, appendOnly: readonly string[], triggers: readonly string[]): string {
  const strict = sql.replace(
    /(CREATE TABLE `(\w+)` \([\s\S]*?\n\))(;)/g,
    (_, table: string, name: string, end: string) =>
      `${table} STRICT${IN_KEY_ORDER.includes(name) ? ", WITHOUT ROWID" : ""}${end}`,
  );
  const created = new Set([...strict.matchAll(/CREATE TABLE `(\w+)`/g)].map((match) => match[1]));
  const refusing = appendOnly
    .filter((table) => created.has(table))
    .flatMap((table) =>
      (["UPDATE", "DELETE"] as const).map(
        (act) =>
          `CREATE TRIGGER \`${table}_no_${act.toLowerCase()}\` BEFORE ${act} ON \`${table}\` BEGIN SELECT RAISE(ABORT, '${table} is append-only'); END;`,
      ),
    );
  const own = triggers.filter((trigger) => created.has(/\bON `(\w+)`/.exec(trigger)?.[1]));
  return `${[strict.trimEnd(), ...refusing, ...own].join(BREAKPOINT)}\n`;
}

function generate(name: string | undefined): void {
  if (name === undefined) rmSync(MIGRATIONS_FOLDER, { recursive: true, force: true });
  const before = new Set(name === undefined ? [] : readdirSync(MIGRATIONS_FOLDER));
  // On Bun: the files of the tables import its SQLite, which Node does not have.
  const run = Bun.spawnSync(
    [
      "bunx",
      "--bun",
      "drizzle-kit",
      "generate",
      "--config",
      "src/store/kit.ts",
      `--name=${name ?? "baseline"}`,
    ],
    { stdout: "inherit", stderr: "inherit" },
  );
  if (run.exitCode !== 0) throw new Error("drizzle-kit failed");
  const triggers = readFileSync(join(import.meta.dir, "triggers.sql"), "utf8")
    .trimEnd()
    .split(BREAKPOINT);
  for (const file of readdirSync(MIGRATIONS_FOLDER)) {
    if (!file.endsWith(".sql") || before.has(file)) continue;
    const path = join(MIGRATIONS_FOLDER, file);
    writeFileSync(path, harden(readFileSync(path, "utf8"), APPEND_ONLY_TABLES, triggers));
  }
}

if (import.meta.main) generate(Bun.argv[2]);
