/** Change over the 30 days that end at `generatedAt`, from the log. Merges do not count. */
import { type Repository, runGit } from "./git.ts";

/** A commit that touches at least this many files is a large one (spec, Measures). */
export const LARGE_COMMIT_FILES = 20;

const WINDOW_MS = 30 * 86_400_000;

export interface History {
  readonly commits: number;
  readonly filesTouched: number;
  readonly largeCommits: number;
}

/** Reads the log; `undefined` when git fails. `now` is in milliseconds since the epoch. */
export async function readHistory(
  repository: Repository,
  commit: string,
  paths: readonly string[],
  now: number,
): Promise<History | undefined> {
  const result = await runGit(repository, [
    "log",
    "--no-merges",
    "-M",
    "--no-ext-diff",
    "--no-textconv",
    "--no-relative",
    "--ignore-submodules=none",
    "-O/dev/null",
    `--since-as-filter=${seconds(now - WINDOW_MS)}`,
    `--until=${seconds(now)}`,
    "--format=%x00%H",
    "--name-only",
    "-z",
    commit,
    "--",
    ...paths,
  ]);
  return result.ok && result.code === 0
    ? parseLog(new TextDecoder("latin1").decode(result.stdout))
    : undefined;
}

function seconds(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}

/** Reads NUL-separated fields: an empty one announces a commit id, every other one is a path. */
export function parseLog(log: string): History {
  const touched = new Set<string>();
  let commits = 0;
  let largeCommits = 0;
  let files = new Set<string>();
  let announced = false;
  let first = false;
  const close = () => {
    if (files.size >= LARGE_COMMIT_FILES) largeCommits++;
    files = new Set();
  };
  for (const field of log.split("\0")) {
    if (field === "") announced = true;
    else if (announced) {
      close();
      commits++;
      announced = false;
      first = true;
    } else {
      const path = first && field.startsWith("\n") ? field.slice(1) : field;
      first = false;
      files.add(path);
      touched.add(path);
    }
  }
  close();
  return { commits, filesTouched: touched.size, largeCommits };
}
