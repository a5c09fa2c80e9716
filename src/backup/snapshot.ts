import { closeSync, fstatSync, fsync, fsyncSync, futimesSync, openSync } from "node:fs";
import { promisify } from "node:util";
import { checkContents, checkFile, type Finding } from "../check/mod.ts";
import {
  countAppendOnly,
  openReadOnly,
  type RowCounts,
  type Store,
  snapshotInto,
  versionFaultIn,
} from "../db/mod.ts";
import { systemClock } from "../platform/clock.ts";
import { MacKey, type MacKeyMaterial } from "../platform/keys.ts";
import type { CopiedObjects } from "./copy_objects.ts";
import { type CopyProgress, copyArchive, type WantedArchive } from "./copy_objects.ts";
import { digestFile, type SealedObjects, sealBytes, writeAll } from "./seal.ts";

/** What to copy, where to, and the moment to write into the seal. */
export interface SnapshotRequest {
  readonly source: string;
  /** A file that is not there yet. */
  readonly target: string;
  readonly madeAt: string;
  /** The keys for the seal and for the audit; undefined where no key is at hand. */
  readonly keys: { readonly seal: MacKeyMaterial; readonly audit: MacKeyMaterial } | undefined;
  /** Where the objects are that it names, and where they are copied to. */
  readonly archive: WantedArchive;
}

/** A snapshot that is whole, checked and on the disk. */
export interface SnapshotFacts {
  readonly bytes: number;
  readonly rows: RowCounts;
  readonly objects: CopiedObjects;
}

/** What becomes of a snapshot: first that it is whole, then what is to be said of what it says. */
export type SnapshotStep =
  | ({ readonly step: "whole" } & SnapshotFacts)
  /** What is wrong with what it says, which is as in the source: the copy itself is sound. */
  | { readonly step: "judged"; readonly faults: readonly string[] };

const flush = promisify(fsync);

/**
 * Copies the database and checks the copy, then the objects that it names, then seals it and waits until the disk has it; then judges
 * what it says, which changes nothing about the copy and takes longer than all before: by then it may have another name. Throws when
 * the copy is not sound. Blocks for seconds: it runs on a worker.
 */
export async function* snapshotSteps(
  request: SnapshotRequest,
  onProgress?: (progress: CopyProgress) => void,
): AsyncGenerator<SnapshotStep> {
  const { source, target, madeAt, keys, archive } = request;
  const version = versionFaultIn(source);
  if (version !== undefined) throw new Error(`${source} cannot be read: ${version}`);
  const sealKey = keyOf(keys?.seal);
  const file = openSync(target, "wx+", 0o600);
  let flushed: Promise<unknown> = Promise.resolve();
  try {
    const before = snapshotInto(source, target);
    // On another thread, while the copy is checked on this one. That it failed is told where it is waited for.
    flushed = flush(file).catch((error: unknown) => error);
    const copy = openReadOnly(target);
    try {
      const rows = rowsOfSound(copy, before);
      const objects = await copyArchive(copy, rows, archive, (progress) => {
        // Whoever sweeps this folder meanwhile sees that it is not left behind.
        futimesSync(file, systemClock.now() / 1_000, systemClock.now() / 1_000);
        onProgress?.(progress);
      });
      const { size } = fstatSync(file);
      const sealed = {
        tower_backup: 3,
        made_at: madeAt,
        bytes: size,
        rows,
        objects: sealedObjects(objects),
        key: sealKey?.id,
      } as const;
      const sha256 = digestFile(file, sealed);
      const seal = sealBytes({ ...sealed, sha256, mac: sealKey?.mac(sha256) });
      writeAll(file, seal, size);
      const failed = await flushed;
      if (failed instanceof Error) throw failed;
      fsyncSync(file);
      yield { step: "whole", bytes: size + seal.length, rows, objects };
      yield { step: "judged", faults: faultsOf(checkContents(copy, keyOf(keys?.audit))) };
    } finally {
      copy.close();
    }
  } finally {
    await flushed;
    closeSync(file);
  }
}

function sealedObjects({ named, bytes, lacking, leftOut }: CopiedObjects): SealedObjects {
  return { named, bytes, lacking, left_out: leftOut };
}

function keyOf(material: MacKeyMaterial | undefined): MacKey | undefined {
  return material === undefined ? undefined : new MacKey(material);
}

/** The rows of a copy that is sound; throws when it is not. */
function rowsOfSound(copy: Store, before: RowCounts): RowCounts {
  const unsound = faultsOf(checkFile(copy));
  const rows = countAppendOnly(copy);
  for (const [table, least] of Object.entries(before)) {
    const held = rows[table] ?? 0;
    if (held < least) unsound.push(`${table}: ${held} rows, but the source held ${least}`);
  }
  if (unsound.length > 0) throw new Error(`the copy is not sound: ${unsound.join("; ")}`);
  return rows;
}

function faultsOf(findings: readonly Finding[]): string[] {
  return findings.flatMap(({ what, faults }) => faults.map((fault) => `${what}: ${fault}`));
}
