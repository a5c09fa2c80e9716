/**
 * The seal at the end of a backup: one line of JSON after the database's last page, with the digest of every byte before it and
 * of what the line says, and that digest's keyed code. SQLite's own check finds broken pages, but not a changed byte in a text; with
 * the digest a damaged file is always found. Anybody can take a digest anew: that the installation itself made the file, only the
 * code shows. SQLite reads as many pages as its header says, so a sealed file still opens as a database.
 */

import { closeSync, fstatSync, fsyncSync, openSync, readSync, writeSync } from "node:fs";
import * as v from "valibot";
import type { InstallationKeys } from "../base/keys.ts";

const amount = v.pipe(v.number(), v.safeInteger(), v.minValue(0));

/** What of the archive goes along with a database. */
const ObjectsSchema = v.object({
  /** Objects that its manifest names, and the length of their gzip bytes. */
  named: amount,
  bytes: amount,
  /** How many of them did not lie whole beside the backup when it was sealed, since they were damaged or missing where they came from. */
  lacking: amount,
  /** Whether none goes along, since whoever made the backup wanted it so: then it says nothing of how they lie. */
  left_out: v.boolean(),
});

const SealSchema = v.object({
  /** The version of this format; earlier ones were never released. */
  tower_backup: v.literal(3),
  /** When the backup was made, in UTC. */
  made_at: v.string(),
  /** Length of the database before the seal. */
  bytes: amount,
  /** Rows of the append-only tables. */
  rows: v.record(v.string(), amount),
  objects: ObjectsSchema,
  /** The id of the installation's key; absent where none was at hand. */
  key: v.optional(v.string()),
  /** SHA-256 in lower-case hexadecimal over the database and then the facts (`factBytes`). */
  sha256: v.string(),
  /** The keyed code of `sha256`; absent like `key`. */
  mac: v.optional(v.string()),
});

export type Seal = v.InferOutput<typeof SealSchema>;

/** What a seal says, without its digest and code. */
type SealFacts = Omit<Seal, "sha256" | "mac">;

/** No seal is longer, in bytes. */
export const LONGEST_SEAL = 4_096;

const NEWLINE = 0x0a;

/** What the digest covers after the database. */
function factBytes({ tower_backup, made_at, bytes, rows, objects, key }: SealFacts): Uint8Array {
  return new TextEncoder().encode(JSON.stringify({ tower_backup, made_at, bytes, rows, objects, key }));
}

/** The bytes that follow the database. */
export function sealBytes(seal: Seal): Uint8Array {
  const { tower_backup, made_at, bytes, rows, objects, key, sha256, mac } = seal;
  const line = JSON.stringify({ tower_backup, made_at, bytes, rows, objects, key, sha256, mac });
  const sealed = new TextEncoder().encode(`\n${line}\n`);
  if (sealed.length > LONGEST_SEAL) throw new RangeError("the seal is longer than its reader looks for");
  return sealed;
}

/**
 * Reads the seal from a file's last bytes (at most `LONGEST_SEAL`); undefined when none ends there exactly as one is written. Its
 * digest is not judged here.
 */
export function readSeal(tail: Uint8Array, fileBytes: number): Seal | undefined {
  const start = tail.lastIndexOf(NEWLINE, -2);
  if (start < 0) return undefined;
  const line = tail.subarray(start);
  let read: unknown;
  try {
    read = JSON.parse(new TextDecoder().decode(line));
  } catch {
    return undefined;
  }
  const judged = v.safeParse(SealSchema, read);
  if (!judged.success || judged.output.bytes + line.length !== fileBytes) return undefined;
  return Buffer.from(sealBytes(judged.output)).equals(line) ? judged.output : undefined;
}

const CHUNK_BYTES = 1024 * 1024;

/**
 * The digest of a backup: SHA-256 over the database at the start of an open file and the facts of its seal, in lower-case
 * hexadecimal. Each piece of the database is handed to `onPiece` as it is read. Throws when the file is shorter than the facts
 * say. Blocks for as long as reading takes.
 */
export function digestFile(
  file: number,
  facts: SealFacts,
  onPiece: (piece: Uint8Array, at: number) => void = () => undefined,
): string {
  const hasher = new Bun.CryptoHasher("sha256");
  const buffer = new Uint8Array(CHUNK_BYTES);
  for (let at = 0; at < facts.bytes; ) {
    const read = readSync(file, buffer, 0, Math.min(CHUNK_BYTES, facts.bytes - at), at);
    if (read === 0) throw new Error("the file ended early");
    const piece = buffer.subarray(0, read);
    hasher.update(piece);
    onPiece(piece, at);
    at += read;
  }
  return hasher.update(factBytes(facts)).digest("hex");
}

/** The seal that an open file ends with; undefined where it ends with none that is whole. */
export function sealAtEnd(file: number, size: number): Seal | undefined {
  const tail = new Uint8Array(Math.min(LONGEST_SEAL, size));
  readSync(file, tail, 0, tail.length, size - tail.length);
  return readSeal(tail, size);
}

/** Writes all of `bytes` at `position` of an open file: one call may take only a part, as where the disk is nearly full. */
export function writeAll(file: number, bytes: Uint8Array, position: number): void {
  for (let done = 0; done < bytes.length; ) {
    done += writeSync(file, bytes, done, bytes.length - done, position + done);
  }
}

/** A backup file as it was found. */
type Unsealed = { readonly ok: true; readonly seal: Seal } | { readonly ok: false; readonly reason: string };

/**
 * Copies the database out of a backup into the new file `target`, and judges what it copied by the seal. Waits until the disk has
 * it. Throws the system's error when a file cannot be read or written.
 */
export function unseal(path: string, target: string): Unsealed {
  const file = openSync(path, "r");
  try {
    const stat = fstatSync(file);
    if (!stat.isFile()) return { ok: false, reason: `${path} is not a file` };
    const seal = sealAtEnd(file, stat.size);
    if (seal === undefined) {
      return {
        ok: false,
        reason: `${path} does not end with a whole seal: it is damaged, cut short, or not made by tower backup`,
      };
    }
    const copy = openSync(target, "wx", 0o600);
    try {
      const digest = digestFile(file, seal, (piece, at) => writeAll(copy, piece, at));
      if (digest !== seal.sha256) {
        return { ok: false, reason: `${path} is damaged: its bytes are not those that were sealed` };
      }
      fsyncSync(copy);
      return { ok: true, seal };
    } finally {
      closeSync(copy);
    }
  } finally {
    closeSync(file);
  }
}

/** Where a backup comes from, as far as its seal proves it. */
export type Origin =
  | { readonly kind: "proven" }
  /** It may be ours or anybody's. */
  | { readonly kind: "unproven"; readonly reason: string }
  /** It claims to be of the key at hand, and is not. */
  | { readonly kind: "forged"; readonly reason: string };

/** Judges the code of a seal whose digest holds. */
export function originOf(seal: Seal, keys: InstallationKeys | undefined): Origin {
  if (seal.key === undefined || seal.mac === undefined) {
    return { kind: "unproven", reason: "it was made without a key" };
  }
  if (keys === undefined) {
    return { kind: "unproven", reason: `the key it was made with (${seal.key}) is not here` };
  }
  if (keys.id !== seal.key) {
    return {
      kind: "unproven",
      reason: `it was made with another key (${seal.key}) than the one here (${keys.id})`,
    };
  }
  return keys.forPurpose("backup").holds(seal.sha256, seal.mac)
    ? { kind: "proven" }
    : { kind: "forged", reason: "its seal names the key that is here, but was not made with it" };
}
