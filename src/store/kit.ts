/** Where drizzle-kit finds the tables and keeps the migrations. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { defineConfig } from "drizzle-kit";

const SRC = join(import.meta.dir, "..");

/** Every file that declares a table. */
export const TABLE_FILES: readonly string[] = [...new Bun.Glob("**/*.ts").scanSync(SRC)]
  .map((path) => join(SRC, path))
  .filter((path) => readFileSync(path, "utf8").includes("= sqliteTable("))
  .sort();

export default defineConfig({ dialect: "sqlite", schema: [...TABLE_FILES], out: "./drizzle" });
