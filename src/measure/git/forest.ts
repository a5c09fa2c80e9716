/**
 * How large the trees of commits are when every folder is spelled out, found from each distinct tree object once. A tree that
 * names the same folder again and again holds billions of paths in a few hundred bytes, so nothing walks a tree before its size
 * is known.
 */

import type { ObjectReader } from "./objects.ts";

/** Bounds of one tree with everything below it, and of all distinct tree objects that are read. */
const TREE_LIMITS = {
  entries: 500_000,
  depth: 512,
  pathBytes: 256 * 1024 * 1024,
  objects: 500_000,
  objectBytes: 256 * 1024 * 1024,
} as const;

/** Why a tree is not walked: `says` follows "its tree". */
export interface TreeFault {
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
export class Forest {
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
      if (path.length >= TREE_LIMITS.depth) return tooDeep();
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
    return limit(`has more than ${TREE_LIMITS.entries.toLocaleString("en-US")} entries`);
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
