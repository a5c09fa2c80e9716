/**
 * Makes a migration from the tables (`bun run db:generate <name>`): runs drizzle-kit, then writes into the new file what it
 * cannot express: STRICT on every table, and the triggers that refuse UPDATE and DELETE on append-only tables.
 */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { APPEND_ONLY_TABLES, PLAIN_APPEND_ONLY_TABLES } from "./append_only.ts";

const FOLDER = join(import.meta.dir, "..", "..", "drizzle");

/** Adds STRICT and the append-only triggers to one migration's SQL. */
export function harden(sql: string, appendOnly: readonly string[]): string {
  const strict = sql.replace(/(CREATE TABLE `\w+` \([\s\S]*?\n\))(;)/g, "$1 STRICT$2");
  const created = new Set([...strict.matchAll(/CREATE TABLE `(\w+)`/g)].map((match) => match[1]));
  const triggers = appendOnly
    .filter((table) => created.has(table))
    .flatMap((table) =>
      (["UPDATE", "DELETE"] as const).map(
        (act) =>
          `CREATE TRIGGER \`${table}_no_${act.toLowerCase()}\` BEFORE ${act} ON \`${table}\` BEGIN SELECT RAISE(ABORT, '${table} is append-only'); END;`,
      ),
    );
  return [strict.trimEnd(), ...triggers].join("\n--> statement-breakpoint\n").concat("\n");
}

function generate(name: string): void {
  const before = new Set(readdirSync(FOLDER));
  const run = Bun.spawnSync(
    ["bunx", "drizzle-kit", "generate", "--config", "src/db/kit.ts", `--name=${name}`],
    { stdout: "inherit", stderr: "inherit" },
  );
  if (run.exitCode !== 0) throw new Error("drizzle-kit failed");
  for (const file of readdirSync(FOLDER)) {
    if (!file.endsWith(".sql") || before.has(file)) continue;
    const path = join(FOLDER, file);
    writeFileSync(
      path,
      harden(readFileSync(path, "utf8"), [...APPEND_ONLY_TABLES, ...PLAIN_APPEND_ONLY_TABLES]),
    );
  }
}

if (import.meta.main) {
  const name = Bun.argv[2];
  if (name === undefined) throw new Error("a name is needed: bun run db:generate <name>");
  generate(name);
}
