/**
 * Changes, from the history: the figures of 30 days, and the files that change most of those that are hard to change. The report has no
 * field for the latter (the specification fixes its envelope), so the command lists them on the terminal.
 */

import { explain, type Figures, HISTORY_KEYS, record } from "./figures.ts";
import type { Revision } from "./git/checkout.ts";
import { readHistory } from "./git/history.ts";
import type { ObjectReader, Repository } from "./git/objects.ts";
import { compareText } from "./repeats/duplication.ts";
import type { RunContext } from "./steps.ts";
import { pathspecs } from "./usable.ts";

interface Window extends Pick<RunContext, "onStep"> {
  readonly paths: readonly string[];
  /** Its end, in milliseconds since the epoch. */
  readonly now: number;
}

/** Records the figures of 30 days; gives in how many commits of 90 days each file changed, where that is known. */
export async function recordHistory(
  figures: Figures,
  repository: Repository,
  objects: ObjectReader,
  revision: Revision,
  { paths, now, onStep }: Window,
): Promise<ReadonlyMap<string, number> | undefined> {
  if (revision.shallow) {
    explain(figures, HISTORY_KEYS, "The checkout is shallow.");
    return undefined;
  }
  onStep?.({ kind: "start", step: "Reading 30 days of history" });
  const history = await readHistory(repository, objects, revision.commit, pathspecs(paths), now);
  if (typeof history === "string") {
    explain(figures, HISTORY_KEYS, history);
    return undefined;
  }
  record(figures, {
    commits_30d: history.commits,
    files_touched_30d: history.filesTouched,
    large_commits_30d: history.largeCommits,
  });
  const longer = await readHistory(repository, objects, revision.commit, pathspecs(paths), now, HOTSPOT_DAYS);
  return typeof longer === "string" ? undefined : longer.changes;
}

const HOTSPOT_DAYS = 90;

const MAX_HOTSPOTS = 10;

/** A file that changes often and is hard to change, with the complexity of its functions together. */
export type Hotspot = ReturnType<typeof hotspotsOf>[number];

/** The files with the most changes times complexity. */
export function hotspotsOf(changes: ReadonlyMap<string, number>, complexity: ReadonlyMap<string, number>) {
  const spots = [...complexity].flatMap(([path, one]) => {
    const times = changes.get(path);
    return times === undefined ? [] : [{ path, changes: times, complexity: one }];
  });
  const weight = (spot: (typeof spots)[number]) => spot.changes * spot.complexity;
  return spots.sort((a, b) => weight(b) - weight(a) || compareText(a.path, b.path)).slice(0, MAX_HOTSPOTS);
}
