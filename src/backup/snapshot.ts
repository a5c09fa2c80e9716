import { closeSync, fstatSync, fsyncSync, openSync } from "node:fs";
import { checkContents, checkFile, type Finding } from "../check/mod.ts";
import { countAppendOnly, openReadOnly, type RowCounts, snapshotInto } from "../db/mod.ts";
import { MacKey, type MacKeyMaterial } from "../platform/keys.ts";
import { digestFile } from "./file_digest.ts";
import { sealBytes } from "./seal.ts";
import { writeAll } from "./write_all.ts";

/** What to copy, where to, and the moment to write into the seal. */
export interface SnapshotRequest {
  readonly source: string;
  /** A file that is not there yet. */
  readonly target: string;
  readonly madeAt: string;
  /** The keys for the seal and for the audit; undefined where no key is at hand. */
  readonly keys: { readonly seal: MacKeyMaterial; readonly audit: MacKeyMaterial } | undefined;
}

/** A snapshot that is whole, checked and on the disk. */
export interface SnapshotFacts {
  readonly bytes: number;
  readonly rows: RowCounts;
  /** What is wrong with what it says, which is as in the source: the copy itself is sound. */
  readonly faults: readonly string[];
}

/**
 * Copies the database, checks the copy, seals it and waits until the disk has it. Throws when the copy is not sound. Blocks for
 * seconds: it runs on a worker.
 */
export function makeSnapshot({ source, target, madeAt, keys }: SnapshotRequest): SnapshotFacts {
  const sealKey = keyOf(keys?.seal);
  const file = openSync(target, "wx+", 0o600);
  try {
    const before = snapshotInto(source, target);
    const { rows, faults } = examine(target, before, keyOf(keys?.audit));
    const { size } = fstatSync(file);
    const sealed = { tower_backup: 2, made_at: madeAt, bytes: size, rows, key: sealKey?.id } as const;
    const sha256 = digestFile(file, sealed);
    const seal = sealBytes({ ...sealed, sha256, mac: sealKey?.mac(sha256) });
    writeAll(file, seal, size);
    fsyncSync(file);
    return { bytes: size + seal.length, rows, faults };
  } finally {
    closeSync(file);
  }
}

function keyOf(material: MacKeyMaterial | undefined): MacKey | undefined {
  return material === undefined ? undefined : new MacKey(material);
}

function examine(
  path: string,
  before: RowCounts,
  auditKey: MacKey | undefined,
): { rows: RowCounts; faults: readonly string[] } {
  const copy = openReadOnly(path);
  try {
    const unsound = faultsOf(checkFile(copy));
    const rows = countAppendOnly(copy);
    for (const [table, least] of Object.entries(before)) {
      const held = rows[table] ?? 0;
      if (held < least) unsound.push(`${table}: ${held} rows, but the source held ${least}`);
    }
    if (unsound.length > 0) throw new Error(`the copy is not sound: ${unsound.join("; ")}`);
    return { rows, faults: faultsOf(checkContents(copy, auditKey)) };
  } finally {
    copy.close();
  }
}

function faultsOf(findings: readonly Finding[]): string[] {
  return findings.flatMap(({ what, faults }) => faults.map((fault) => `${what}: ${fault}`));
}
