import { objectsNamed } from "../archive/mod.ts";
import type { RowCounts, Store } from "../db/mod.ts";
import { openObjectStore } from "../objects/mod.ts";
import type { Config } from "../platform/config.ts";
import { settleBeside, storeBeside } from "./beside.ts";
import { type CopiedObjects, copyObjects } from "./copy_objects.ts";
import { ObjectTally } from "./object_tally.ts";
import { reportHeld } from "./report_held.ts";

/** Which archive to copy, and where to. Plain data: it travels to a worker. */
export interface WantedArchive {
  /** Undefined where its objects are left out on purpose. */
  readonly from: Pick<Config, "rawSignals" | "s3"> | undefined;
  /** The folder that the backup lies in. */
  readonly folder: string;
  /** What the paths of copies under way begin with. */
  readonly temporary: string;
}

/** How far copying is. */
export interface CopyProgress {
  /** Objects that were looked at, and about how many there are. */
  readonly objects: number;
  readonly of: number;
  readonly copied: number;
}

/** Least time between two words on how far it is, in milliseconds. */
const TELL_MS = 1_000;

/** Copies the objects that the manifest of a snapshot names into the folder beside it, and waits until the disk has them. */
export async function copyArchive(
  snapshot: Store,
  rows: RowCounts,
  { from, folder, temporary }: WantedArchive,
  onProgress: (progress: CopyProgress) => void,
): Promise<CopiedObjects> {
  const of = rows["archive_object"] ?? 0;
  const named = objectsNamed(snapshot.db);
  const meant = reportHeld(snapshot.db);
  if (from === undefined) {
    const tally = new ObjectTally(meant);
    for (const object of named) tally.name(object);
    return { ...tally.told(), copied: 0, copiedBytes: 0, leftOut: true };
  }
  let [copies, told] = [0, Number.NEGATIVE_INFINITY];
  const copied = await copyObjects({
    named,
    from: openObjectStore(from),
    into: storeBeside(folder),
    meant,
    temporary: () => `${temporary}-object-${++copies}`,
    onDone: (done) => {
      if (performance.now() - told < TELL_MS) return;
      told = performance.now();
      onProgress({ ...done, of });
    },
  });
  await settleBeside(folder);
  return copied;
}
