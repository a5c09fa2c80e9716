/** Change over the days that end at `generatedAt`, from the commits' trees. Merges do not count. */

import { NotMeasurableError, partialClone } from "../refusal.ts";
import { Forest } from "./forest.ts";
import { GitLimitError, type ObjectReader, type Repository, runGit } from "./objects.ts";

// The file list of one commit, as `git ls-tree -r -z -l` writes it.

/** One entry of the tree. The path is raw bytes: git promises no encoding. */
export interface TreeEntry {
  readonly mode: string;
  readonly oid: string;
  /** Bytes; `undefined` for what is no blob. */
  readonly size: number | undefined;
  readonly path: Uint8Array;
}

/** Lists every entry of the commit below the paths; no paths means the whole tree. The size is known before the walk. */
export async function listTree(
  repository: Repository,
  objects: ObjectReader,
  commit: string,
  paths: readonly string[],
): Promise<TreeEntry[]> {
  const fault = await new Forest(objects).check(await treesAt(objects, [commit], paths));
  if (fault?.kind === "missing") throw partialClone();
  if (fault !== undefined) {
    throw new NotMeasurableError(
      `The commit is too large to be read: its tree ${fault.says}.`,
      "Measure a part of it with --path.",
    );
  }
  const listing = await runGit(repository, {
    doing: "listing the commit's files",
    args: ["ls-tree", "-r", "-z", "-l", "--full-tree", commit, "--", ...paths],
  });
  if (listing === undefined) throw partialClone();
  return parseTree(listing);
}

/** The trees of the commits at the paths, each once; the whole trees without paths. What is no tree is left out. */
async function treesAt(
  objects: ObjectReader,
  commits: readonly string[],
  paths: readonly string[],
): Promise<string[]> {
  const names = commits.flatMap((commit) =>
    paths.length === 0 ? [`${commit}^{tree}`] : paths.map((path) => `${commit}:${path}`),
  );
  const found = await objects.info(names);
  return [...new Set(found.flatMap((info) => (info?.type === "tree" ? [info.oid] : [])))];
}

/** Reads the NUL-separated listing `<mode> <type> <oid> <size>\t<path>`. */
function parseTree(listing: Uint8Array): TreeEntry[] {
  const entries: TreeEntry[] = [];
  const decoder = new TextDecoder("latin1");
  for (let start = 0; start < listing.length; ) {
    const end = listing.indexOf(0, start);
    const tab = listing.indexOf(9, start);
    if (end < 0 || tab < 0 || tab > end) break;
    const [mode = "", , oid = "", size = ""] = decoder.decode(listing.subarray(start, tab)).split(/ +/);
    entries.push({
      mode,
      oid,
      size: /^\d+$/.test(size) ? Number(size) : undefined,
      path: listing.subarray(tab + 1, end),
    });
    start = end + 1;
  }
  return entries;
}

/** Raised with any change of what counts as a commit or as a change of a file. */
export const HISTORY_READER = "codehistory 1.0.0";

/** A commit that touches at least this many files is a large one (spec, Measures). */
const LARGE_COMMIT_FILES = 20;

/** Above these the history is not counted. */
const MAX_COMMITS = 100_000;
const MAX_PATHS_BYTES = 64 * 1024 * 1024;

const DAY_MS = 86_400_000;

interface History {
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
