/** The worker of `backup.ts`: one snapshot, step by step, then it ends. */

import "../base/low_priority.ts";
import { closeSync, fstatSync, fsync, fsyncSync, ftruncateSync, futimesSync, openSync } from "node:fs";
import { promisify } from "node:util";
import { systemClock } from "../base/base.ts";
import { MacKey, type MacKeyMaterial } from "../base/keys.ts";
import { pathFault } from "../base/storage_fault.ts";
import { versionFaultIn } from "../store/migrations.ts";
import { countAppendOnly, type RowCounts, snapshotInto } from "../store/snapshot.ts";
import { openReadOnly, type Store } from "../store/store.ts";
import { type ArchivePlace, type CopiedObjects, type CopyProgress, copyArchive } from "./backup_objects.ts";
import { checkContents, checkFile, type Finding } from "./keep.ts";
import { digestFile, LONGEST_SEAL, sealBytes, writeAll } from "./seal.ts";

declare const self: Worker;

/** What the worker answers: each step as it is reached, how far a long one is, or why there is no further one. */
export type SnapshotAnswer =
  | SnapshotStep
  | ({ readonly step: "copying" } & CopyProgress)
  | { readonly step: "failed"; readonly reason: string };

const tell = (answer: SnapshotAnswer) => self.postMessage(answer);

self.onmessage = async ({ data }: MessageEvent<SnapshotRequest>) => {
  const last = await lastOf(data);
  // What was compiled for a database keeps its file open until it is collected, and with it the room of a backup that is removed:
  // this thread is ended at its last word, and then nothing is collected any more.
  Bun.gc(true);
  tell(last);
};

/** Tells every step but the last, which is returned. */
async function lastOf(request: SnapshotRequest): Promise<SnapshotAnswer> {
  let last: SnapshotAnswer = { step: "failed", reason: "it came to no end" };
  try {
    for await (const step of snapshotSteps(request, (progress) => tell({ step: "copying", ...progress }))) {
      if (step.step === "judged") last = step;
      else tell(step);
    }
    return last;
  } catch (error) {
    return { step: "failed", reason: pathFault(error) };
  }
}

/** What to copy, where to, and the moment to write into the seal. */
export interface SnapshotRequest {
  readonly source: string;
  /** A file that is not there yet. */
  readonly target: string;
  readonly madeAt: string;
  /** The keys for the seal and for the audit; undefined where no key is at hand. */
  readonly keys: { readonly seal: MacKeyMaterial; readonly audit: MacKeyMaterial } | undefined;
  /** Where the objects are that it names. */
  readonly archive: ArchivePlace;
}

/** A snapshot that is whole, checked and on the disk. */
export interface SnapshotFacts {
  readonly bytes: number;
  readonly rows: RowCounts;
  readonly objects: CopiedObjects;
}

/** What becomes of a snapshot: first that it is whole, then what is to be said of what it says. */
type SnapshotStep =
  | ({ readonly step: "whole" } & SnapshotFacts)
  /** What is wrong with what it says, which is as in the source: the copy itself is sound. */
  | { readonly step: "judged"; readonly faults: readonly string[] };

const flush = promisify(fsync);

/**
 * Copies the database and checks the copy, then the objects that it names, then seals it and waits until the disk has it; then judges
 * what it says, which changes nothing about the copy and takes longer than all before: by then it may have another name. Throws when
 * the copy is not sound. Blocks for seconds: it runs on a worker.
 */
async function* snapshotSteps(
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
      // One transaction: outside the log each look would take the file's locks anew, which cost more than all of the looks.
      copy.raw.run("BEGIN");
      const rows = rowsOfSound(copy, before);
      const { size } = fstatSync(file);
      // Room for the seal: objects may take all that is left.
      writeAll(file, new Uint8Array(LONGEST_SEAL), size);
      const objects = await copyArchive(copy, { rows, archive, target }, (progress) => {
        // Whoever sweeps this folder meanwhile sees that it is not left behind.
        futimesSync(file, systemClock.now() / 1_000, systemClock.now() / 1_000);
        onProgress?.(progress);
      });
      const { named, bytes, lacking, leftOut } = objects;
      const sealed = {
        tower_backup: 3,
        made_at: madeAt,
        bytes: size,
        rows,
        objects: { named, bytes, lacking, left_out: leftOut },
        key: sealKey?.id,
      } as const;
      const sha256 = digestFile(file, sealed);
      const seal = sealBytes({ ...sealed, sha256, mac: sealKey?.mac(sha256) });
      writeAll(file, seal, size);
      ftruncateSync(file, size + seal.length);
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
