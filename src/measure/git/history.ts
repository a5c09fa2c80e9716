/** Change over the days that end at `generatedAt`, from the commits' trees. Merges do not count. */
import { Forest } from "./forest.ts";
import { GitLimitError, type Repository, runGit } from "./git.ts";
import type { ObjectReader } from "./objects.ts";
import { treesAt } from "./tree.ts";

/** Raised with any change of what counts as a commit or as a change of a file. */
export const HISTORY_READER = "codehistory 1.0.0";

/** A commit that touches at least this many files is a large one (spec, Measures). */
const LARGE_COMMIT_FILES = 20;

/** Above these the history is not counted. */
const MAX_COMMITS = 100_000;
const MAX_PATHS_BYTES = 64 * 1024 * 1024;

const DAY_MS = 86_400_000;

export interface History {
  readonly commits: number;
  readonly filesTouched: number;
  readonly largeCommits: number;
  /** In how many of the commits each file changed. */
  readonly changes: ReadonlyMap<string, number>;
}

/** Reads the history, or says why it is not known. `now` is in milliseconds since the epoch. */
export async function readHistory(
  repository: Repository,
  objects: ObjectReader,
  commit: string,
  paths: readonly string[],
  now: number,
  days = 30,
): Promise<History | string> {
  try {
    const commits = await listCommits(repository, commit, paths, now - days * DAY_MS, now);
    if (commits === undefined) return "Git could not read the history.";
    if (commits.length > MAX_COMMITS)
      return `The last ${days} days have more than ${MAX_COMMITS.toLocaleString("en-US")} commits.`;
    // Both sides of every difference are bounded before git walks them.
    const sides = commits.flatMap((id) => [id, `${id}^1`]);
    const fault = await new Forest(objects).check(await treesAt(objects, sides, paths));
    if (fault?.kind === "missing") return "Git could not read the history.";
    if (fault !== undefined)
      return `A commit of the last ${days} days is too large to be read: its tree ${fault.says}.`;
    return await countChanges(repository, commits, paths);
  } catch (error) {
    if (error instanceof GitLimitError) return error.message;
    throw error;
  }
}

async function listCommits(
  repository: Repository,
  commit: string,
  paths: readonly string[],
  from: number,
  to: number,
): Promise<string[] | undefined> {
  const listed = await runGit(repository, {
    doing: "listing the commits",
    args: [
      "rev-list",
      "--no-merges",
      `--max-count=${MAX_COMMITS + 1}`,
      `--since-as-filter=${seconds(from)}`,
      `--until=${seconds(to)}`,
      commit,
      "--",
      ...paths,
    ],
  });
  if (listed === undefined) return undefined;
  return new TextDecoder()
    .decode(listed)
    .split("\n")
    .filter((id) => id !== "");
}

/** Renames are found as git finds them by default: each counts as one file. */
async function countChanges(
  repository: Repository,
  commits: readonly string[],
  paths: readonly string[],
): Promise<History | string> {
  const changes = await runGit(repository, {
    doing: "comparing the commits",
    args: [
      "diff-tree",
      "--stdin",
      "-r",
      "--root",
      "--always",
      "-M",
      "-l1000",
      "--name-only",
      "-z",
      "--no-ext-diff",
      "--no-textconv",
      "--format=%x00%H",
      "--",
      ...paths,
    ],
    input: new TextEncoder().encode(commits.map((id) => `${id}\n`).join("")),
    maxBytes: MAX_PATHS_BYTES,
  });
  return changes === undefined
    ? "Git could not read the history."
    : parseChanges(new TextDecoder("latin1").decode(changes));
}

/** Names are read byte by byte, so that those that are no text count as well. */
function decodeName(path: string): string {
  return Buffer.from(path, "latin1").toString("utf8");
}

function seconds(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}

/** Reads NUL-separated fields: an empty one announces a commit id, every other one is a path. */
export function parseChanges(changes: string): History {
  const changed = new Map<string, number>();
  let commits = 0;
  let largeCommits = 0;
  let files = new Set<string>();
  let announced = false;
  let first = false;
  const close = () => {
    if (files.size >= LARGE_COMMIT_FILES) largeCommits++;
    files = new Set();
  };
  for (const field of changes.split("\0")) {
    if (field === "") announced = true;
    else if (announced) {
      close();
      commits++;
      announced = false;
      first = true;
    } else {
      const path = first && field.startsWith("\n") ? field.slice(1) : field;
      first = false;
      if (!files.has(path)) changed.set(path, (changed.get(path) ?? 0) + 1);
      files.add(path);
    }
  }
  close();
  const named = [...changed].map(([path, count]) => [decodeName(path), count] as const);
  return { commits, filesTouched: changed.size, largeCommits, changes: new Map(named) };
}
