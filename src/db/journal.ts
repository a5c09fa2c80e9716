import { readFileSync } from "node:fs";
import { join } from "node:path";
import { sha256Hex } from "../lib/digest.ts";

/** Where this release's migrations lie. */
export const MIGRATIONS_FOLDER = join(import.meta.dir, "..", "..", "drizzle");

/** One migration of this release. */
export interface Migration {
  readonly tag: string;
  /** SHA-256 of its file, as drizzle records it. */
  readonly hash: string;
  /** When it was made, in milliseconds since the epoch, as drizzle records it. */
  readonly when: number;
  readonly statements: readonly string[];
}

interface Journal {
  readonly entries: readonly { readonly tag: string; readonly when: number }[];
}

/** The migrations of this release, in their order. */
export function listMigrations(): Migration[] {
  const text = readFileSync(join(MIGRATIONS_FOLDER, "meta", "_journal.json"), "utf8");
  return (JSON.parse(text) as Journal).entries.map(({ tag, when }) => {
    const sql = readFileSync(join(MIGRATIONS_FOLDER, `${tag}.sql`), "utf8");
    return { tag, when, hash: sha256Hex(sql), statements: sql.split("--> statement-breakpoint") };
  });
}
