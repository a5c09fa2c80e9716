/** Change over the days that end at `generatedAt`, from the commits' trees. Merges do not count. */

import { countText, words } from "../../base/text.ts";
import { DAY_MS } from "../../base/time.ts";
import { NotMeasurableError, partialClone } from "../figures.ts";
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
async function treesAt(objects: ObjectReader, commits: readonly string[], paths: readonly string[]) {
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

type History = ReturnType<typeof parseChanges>;

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
      return `The last ${days} days have more than ${countText(MAX_COMMITS)} commits.`;
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
      ...words("diff-tree --stdin -r --root --always -M -l1000 --name-only -z --no-ext-diff --no-textconv"),
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

function seconds(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}

/** Reads NUL-separated fields: an empty one announces a commit id, every other one is a path. */
export function parseChanges(changes: string) {
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
  // They were read byte by byte, so that names that are no text count as well.
  const named = [...changed].map(([path, count]) => [Buffer.from(path, "latin1").toString(), count] as const);
  /** `changes`: in how many of the commits each file changed. */
  return { commits, filesTouched: changed.size, largeCommits, changes: new Map(named) };
}

// How large the trees of commits are when every folder is spelled out, found from each distinct tree object once. A
// tree that names the same folder again and again holds billions of paths in a few hundred bytes, so nothing walks a
// tree before its size is known.

/** Bounds of one tree with everything below it, and of all distinct tree objects that are read. */
const TREE_LIMITS = {
  entries: 500_000,
  depth: 512,
  pathBytes: 256 * 1024 * 1024,
  objects: 500_000,
  objectBytes: 256 * 1024 * 1024,
} as const;

/** Why a tree is not walked: `says` follows "its tree". */
interface TreeFault {
  readonly kind: "missing" | "limit";
  readonly says: string;
}

interface Folder {
  readonly oid: string;
  readonly nameBytes: number;
}

/** One tree object: its own entries, then everything below once that is known. */
interface Tree {
  readonly own: number;
  readonly ownBytes: number;
  readonly folders: readonly Folder[];
  total?: { readonly entries: number; readonly pathBytes: number; readonly depth: number };
}

const NUL = 0;
const OID_BYTES = 20;
const MISSING: TreeFault = { kind: "missing", says: "misses an object" };

function limit(says: string): TreeFault {
  return { kind: "limit", says };
}

/** The trees that are known so far. */
class Forest {
  readonly #objects: ObjectReader;
  readonly #trees = new Map<string, Tree>();
  #bytes = 0;

  constructor(objects: ObjectReader) {
    this.#objects = objects;
  }

  /** Reads what is below the roots (tree ids); a fault when one of them is not to be walked. */
  async check(roots: readonly string[]): Promise<TreeFault | undefined> {
    const fault = await this.#read(roots);
    if (fault !== undefined) return fault;
    for (const root of new Set(roots)) {
      const found = this.#measure(root) ?? overLimit(this.#trees.get(root)?.total);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  /** Level by level, each distinct tree once; sizes are asked before contents. */
  async #read(roots: readonly string[]): Promise<TreeFault | undefined> {
    let level = this.#unknown(roots);
    for (let depth = 1; level.length > 0; depth++) {
      if (depth > TREE_LIMITS.depth) return tooDeep();
      if (this.#trees.size + level.length > TREE_LIMITS.objects) return limit("has too many folders");
      const infos = await this.#objects.info(level);
      if (infos.some((info) => info?.type !== "tree")) return MISSING;
      for (const info of infos) this.#bytes += info?.size ?? 0;
      if (this.#bytes > TREE_LIMITS.objectBytes) return limit("has too large folders");
      let index = 0;
      const below: string[] = [];
      for await (const content of this.#objects.contents(level)) {
        const tree = readTree(content);
        if (tree === undefined) return MISSING;
        this.#trees.set(level[index++] ?? "", tree);
        for (const folder of tree.folders) below.push(folder.oid);
      }
      level = this.#unknown(below);
    }
    return undefined;
  }

  #unknown(oids: readonly string[]): string[] {
    return [...new Set(oids)].filter((oid) => !this.#trees.has(oid));
  }

  /** Adds up from the leaves, without recursion: trees can be deeper than the stack. */
  #measure(root: string): TreeFault | undefined {
    const path: { readonly oid: string; readonly tree: Tree; next: number }[] = [];
    const open = new Set<string>();
    const enter = (oid: string): TreeFault | undefined => {
      const tree = this.#trees.get(oid);
      if (tree === undefined) return MISSING;
      if (tree.total !== undefined) return undefined;
      // Git does not check an object's name when it reads it, so a made-up store can hold a circle.
      if (open.has(oid)) return limit("contains itself");
      open.add(oid);
      path.push({ oid, tree, next: 0 });
      return undefined;
    };
    let fault = enter(root);
    for (let top = path.at(-1); top !== undefined && fault === undefined; top = path.at(-1)) {
      const folder = top.tree.folders[top.next++];
      if (folder !== undefined) {
        fault = enter(folder.oid);
        continue;
      }
      top.tree.total = this.#sum(top.tree);
      open.delete(top.oid);
      path.pop();
    }
    return fault;
  }

  #sum(tree: Tree): NonNullable<Tree["total"]> {
    let entries = tree.own;
    let pathBytes = tree.ownBytes;
    let depth = 0;
    for (const { oid, nameBytes } of tree.folders) {
      const below = this.#trees.get(oid)?.total;
      if (below === undefined) continue;
      entries += below.entries;
      pathBytes += below.pathBytes + below.entries * (nameBytes + 1);
      depth = Math.max(depth, below.depth);
    }
    return { entries, pathBytes, depth: depth + 1 };
  }
}

function overLimit(total: Tree["total"]): TreeFault | undefined {
  if (total === undefined) return MISSING;
  if (total.entries > TREE_LIMITS.entries)
    return limit(`has more than ${countText(TREE_LIMITS.entries)} entries`);
  if (total.depth > TREE_LIMITS.depth) return tooDeep();
  return total.pathBytes > TREE_LIMITS.pathBytes ? limit("has too long paths") : undefined;
}

function tooDeep(): TreeFault {
  return limit(`is more than ${TREE_LIMITS.depth} folders deep`);
}

/** Reads `<mode> <name>\0<20 bytes>` entries; `undefined` when the object is no tree. */
function readTree(content: Uint8Array): Tree | undefined {
  const folders: Folder[] = [];
  let own = 0;
  let ownBytes = 0;
  for (let at = 0; at < content.length; ) {
    const space = content.indexOf(0x20, at);
    const end = space < 0 ? -1 : content.indexOf(NUL, space);
    if (end < 0 || end + OID_BYTES >= content.length) return undefined;
    own++;
    ownBytes += end - space;
    // Modes are octal without leading zeroes: 40000 is a folder. Some old writers put a zero before it.
    if (isFolderMode(content, at, space)) {
      const oid = Buffer.from(content.subarray(end + 1, end + 1 + OID_BYTES)).toString("hex");
      folders.push({ oid, nameBytes: end - space - 1 });
    }
    at = end + 1 + OID_BYTES;
  }
  return { own, ownBytes, folders };
}

/** As git reads modes: the type bits of an octal number. */
function isFolderMode(content: Uint8Array, from: number, to: number): boolean {
  let mode = 0;
  for (let at = from; at < to; at++) mode = (mode * 8 + ((content[at] ?? 0) - 0x30)) % 0x1000000;
  return (mode & 0o170000) === 0o040000;
}
