/**
 * The seal at the end of a backup: one line of JSON after the database's last page, with the digest of every byte before it and
 * of what the line says, and that digest's keyed code. SQLite's own check finds broken pages, but not a changed byte in a text; with
 * the digest a damaged file is always found. Anybody can take a digest anew: that the installation itself made the file, only the
 * code shows. SQLite reads as many pages as its header says, so a sealed file still opens as a database.
 */
import * as v from "valibot";

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

export type SealedObjects = v.InferOutput<typeof ObjectsSchema>;

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
export type SealFacts = Omit<Seal, "sha256" | "mac">;

/** No seal is longer, in bytes. */
export const LONGEST_SEAL = 4_096;

const NEWLINE = 0x0a;

/** What the digest covers after the database. */
export function factBytes({ tower_backup, made_at, bytes, rows, objects, key }: SealFacts): Uint8Array {
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
