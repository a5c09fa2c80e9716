import { cpSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../../src/app/prepare.ts";
import { words } from "./words.ts";

const PARTS = words("src drizzle public .github/docs package.json bun.lock tsconfig.json bunfig.toml");

/** A checkout of its own at `root`, with what the service needs; its packages are those of this one. */
export function copyCheckout(root: string): void {
  for (const name of PARTS)
    cpSync(join(ROOT, name), join(root, name), { recursive: true, preserveTimestamps: true });
  symlinkSync(join(ROOT, "node_modules"), join(root, "node_modules"));
}
