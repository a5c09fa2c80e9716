/** Backups as somebody would make them who has a backup and an SQLite, and perhaps the key. */

import { Database } from "bun:sqlite";
import { closeSync, fstatSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import type { InstallationKeys } from "../../src/base/keys.ts";
import { digestFile, readSeal, type Seal, sealBytes, writeAll } from "../../src/keep/seal.ts";

/** The seal of a backup file. Throws when it has none. */
export function sealOf(path: string): Seal {
  const bytes = readFileSync(path);
  const seal = readSeal(bytes.subarray(-4_096), bytes.length);
  if (seal === undefined) throw new Error(`${path} has no seal`);
  return seal;
}

/**
 * Writes to `target` the backup `from` with what `change` does to its database, sealed anew: what the seal counts and digests is
 * right again, and its code is that of `keys`, or the one from before where there are none.
 */
export function craftBackup(
  from: string,
  target: string,
  change: (database: Database) => void,
  keys?: InstallationKeys,
): void {
  const seal = sealOf(from);
  rmSync(target, { force: true });
  writeFileSync(target, readFileSync(from).subarray(0, seal.bytes));
  const database = new Database(target, { readwrite: true, create: false });
  change(database);
  database.close();
  sealFile(target, { ...seal, key: keys?.id ?? seal.key }, keys);
}

/** Seals a database file in its place. */
export function sealFile(
  path: string,
  like: Pick<Seal, "made_at" | "rows" | "objects" | "key" | "mac">,
  keys?: InstallationKeys,
): void {
  const file = openSync(path, "r+");
  const { size } = fstatSync(file);
  const { made_at, rows, objects, key } = like;
  const facts = { tower_backup: 3, made_at, bytes: size, rows, objects, key } as const;
  const sha256 = digestFile(file, facts);
  const mac = keys?.forPurpose("backup").mac(sha256) ?? like.mac;
  writeAll(file, sealBytes({ ...facts, sha256, mac }), size);
  closeSync(file);
}
