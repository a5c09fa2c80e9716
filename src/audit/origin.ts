/**
 * Who wrote the audit. The chain of hashes shows that rows follow on each other, but whoever can write the file can make another
 * chain. So each row carries, beside its hash, the hash's keyed code: `<key id>:<code>`. A code stands for every row before it too,
 * because its hash does: the first row with one also fixes the rows from before there were codes.
 *
 * The key belongs to the writing connection, given to it once at start: an act is recorded by whoever does it, and none of them
 * should need the key in hand.
 */
import type { Db } from "../db/mod.ts";
import type { MacKey } from "../platform/keys.ts";

const keys = new WeakMap<Db, MacKey>();

/** From now on rows appended through this connection carry codes of this key. */
export function keyAudit(db: Db, key: MacKey): void {
  keys.set(db, key);
}

/** The code for a row with this hash, or null where no key was given. */
export function macOf(db: Db, hash: string): string | null {
  const key = keys.get(db);
  return key === undefined ? null : `${key.id}:${key.mac(hash)}`;
}

/** The id of the key of the newest rows, as this connection writes them. */
export function keyIdOf(db: Db): string | undefined {
  return keys.get(db)?.id;
}

/** The id of the key that a stored code was made with. */
export function idInMac(mac: string): string {
  return mac.slice(0, mac.indexOf(":"));
}
