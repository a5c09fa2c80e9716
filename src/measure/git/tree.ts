/** The file list of one commit, as `git ls-tree -r -z -l` writes it. */

import { NotMeasurableError, partialClone } from "../refusal.ts";
import { Forest } from "./forest.ts";
import { type Repository, runGit } from "./git.ts";
import type { ObjectReader } from "./objects.ts";

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
export async function treesAt(
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
