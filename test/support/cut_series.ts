/** A series of power cuts on both file systems, some of them in the first start, two at a time; one line of figures for each kind. */

import { cutControl, cutOnce } from "./power_cut.ts";
import { freshlySeeded } from "./random_counts.ts";

/** Cuts run side by side: each has a disk and a service of its own. */
const SIDE_BY_SIDE = 3;

/** Cuts `cuts` times on one file system; every third falls into a first start. Every list is empty when every promise held. */
export async function cutSeries(kind: "ext4" | "xfs", cuts: number) {
  const random = freshlySeeded(`moments of the cuts, ${kind}`);
  const results = await sideBySide(cuts, (i) =>
    cutOnce(
      kind,
      // A first start takes about half a second; what it leaves unsynced would be written by the kernel within a few more.
      i % 3 === 0
        ? { firstStart: true, afterMs: 150 + random() * 900 }
        : { firstStart: false, afterMs: 200 + random() * 600 },
    ),
  );
  const sum = (of: (result: (typeof results)[number]) => number) =>
    results.reduce((total, result) => total + of(result), 0);
  return {
    cuts,
    acknowledged: sum(({ acknowledged }) => acknowledged),
    lost: sum(({ lost }) => lost),
    lostWhile: sum(({ lostWhile }) => lostWhile),
    faults: results.flatMap(({ faults }) => faults),
    dead: results.flatMap(({ dead }) => (dead === undefined ? [] : [dead])),
  };
}

/** The same without syncs, at most so many times: what must be lost for the series to mean anything. */
export async function controlSeries(kind: "ext4" | "xfs", cuts: number) {
  const random = freshlySeeded(`moments of the cuts without syncs, ${kind}`);
  let [rowsLost, filesLost] = [0, 0];
  for (let cut = 0; cut < cuts && (rowsLost === 0 || filesLost === 0); cut++) {
    const { rows, files } = await cutControl(kind, 100 + random() * 300);
    rowsLost += rows.lost;
    filesLost += files.lost;
  }
  return { rowsLost, filesLost };
}

/** Every run ends, and takes its disk down, before a failure is told. */
async function sideBySide<T>(count: number, run: (i: number) => Promise<T>): Promise<T[]> {
  const results: T[] = [];
  let next = 0;
  const lanes = await Promise.allSettled(
    Array.from({ length: Math.min(SIDE_BY_SIDE, count) }, async () => {
      while (next < count) {
        const i = next++;
        results[i] = await run(i);
      }
    }),
  );
  for (const lane of lanes) if (lane.status === "rejected") throw lane.reason;
  return results;
}
