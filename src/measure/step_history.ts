/** Change over the last 30 days, from the history. */
import { explain, type Figures, HISTORY_KEYS, record } from "./figures.ts";
import type { Repository } from "./git/git.ts";
import { readHistory } from "./git/history.ts";
import type { ObjectReader } from "./git/objects.ts";
import type { Revision } from "./git/revision.ts";
import { pathspecs } from "./paths.ts";
import type { RunContext } from "./step.ts";

interface Window extends Pick<RunContext, "onStep"> {
  readonly paths: readonly string[];
  /** Its end, in milliseconds since the epoch. */
  readonly now: number;
}

/** Records the figures of the window. */
export async function recordHistory(
  figures: Figures,
  repository: Repository,
  objects: ObjectReader,
  revision: Revision,
  { paths, now, onStep }: Window,
): Promise<void> {
  if (revision.shallow) {
    explain(figures, HISTORY_KEYS, "The checkout is shallow.");
    return;
  }
  onStep?.({ kind: "start", step: "Reading 30 days of history" });
  const history = await readHistory(repository, objects, revision.commit, pathspecs(paths), now);
  if (typeof history === "string") {
    explain(figures, HISTORY_KEYS, history);
    return;
  }
  record(figures, {
    commits_30d: history.commits,
    files_touched_30d: history.filesTouched,
    large_commits_30d: history.largeCommits,
  });
}
