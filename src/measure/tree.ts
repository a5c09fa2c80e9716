/** The file list of one commit, as `git ls-tree -r -z -l` writes it. */
import { type Repository, runGit } from "./git.ts";
import { partialClone } from "./refusal.ts";

/** One entry of the tree. The path is raw bytes: git promises no encoding. */
export interface TreeEntry {
  readonly mode: string;
  readonly oid: string;
  /** Bytes; `undefined` for what is no blob. */
  readonly size: number | undefined;
  readonly path: Uint8Array;
}

/** Lists every entry of the commit below the paths; no paths means the whole tree. */
export async function listTree(
  repository: Repository,
  commit: string,
  paths: readonly string[],
): Promise<TreeEntry[]> {
  const result = await runGit(repository, [
    "ls-tree",
    "-r",
    "-z",
    "-l",
    "--full-tree",
    commit,
    "--",
    ...paths,
  ]);
  if (!result.ok) throw new Error(`git ls-tree did not finish: ${result.reason}`);
  if (result.code !== 0) throw partialClone();
  return parseTree(result.stdout);
}

/** Reads the NUL-separated listing `<mode> <type> <oid> <size>\t<path>`. */
export function parseTree(listing: Uint8Array): TreeEntry[] {
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
