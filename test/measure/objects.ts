/** Trees, commits and objects that no honest git would write, made with plumbing. Never imported by src. */

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { deflateSync } from "node:zlib";
import { git, gitInput } from "./repository.ts";

/** One entry of a tree object; the name is raw. */
export interface RawEntry {
  readonly mode: string;
  readonly name: string | Uint8Array;
  readonly oid: string;
}

export function writeBlob(root: string, text: string): string {
  return gitInput(root, Buffer.from(text), "hash-object", "-w", "--stdin");
}

/** Writes a tree object as it is given, with names that git itself would refuse. */
export function writeTree(root: string, entries: readonly RawEntry[]): string {
  return gitInput(root, treeBytes(entries), "hash-object", "-w", "--literally", "-t", "tree", "--stdin");
}

export function treeBytes(entries: readonly RawEntry[]): Buffer {
  return Buffer.concat(
    entries.flatMap(({ mode, name, oid }) => [
      Buffer.from(`${mode} `),
      Buffer.from(name),
      Buffer.from([0]),
      Buffer.from(oid, "hex"),
    ]),
  );
}

/** Commits trees one after the other on `main`; the oldest first. */
export function commitTrees(root: string, ...trees: readonly string[]): void {
  let parent: string | undefined;
  for (const tree of trees) {
    const above = parent === undefined ? "" : `parent ${parent}\n`;
    const who = "Ada <ada@example.test> 1774828800 +0000";
    const text = `tree ${tree}\n${above}author ${who}\ncommitter ${who}\n\nx\n`;
    parent = gitInput(root, Buffer.from(text), "hash-object", "-w", "-t", "commit", "--stdin");
  }
  git(root, "update-ref", "refs/heads/main", parent ?? "");
}

/** A tree that names the same folder `width` times on each of `levels` levels: `width ** levels` copies of `below`. */
export function writeBomb(root: string, below: string, levels: number, width: number): string {
  let tree = below;
  for (let level = 0; level < levels; level++) {
    const oid = tree;
    tree = writeTree(
      root,
      Array.from({ length: width }, (_, i) => ({ mode: "40000", name: `d${i}`, oid })),
    );
  }
  return tree;
}

/** Puts an object in place without git, named by its content, and gives its name. Git is slow to start and would refuse some. */
export function writeByHand(root: string, type: string, content: Uint8Array): string {
  const oid = new Bun.CryptoHasher("sha1")
    .update(`${type} ${content.length}\0`)
    .update(content)
    .digest("hex");
  writeUnder(root, oid, type, content);
  return oid;
}

/** Commits a tree that may not be there, on a detached HEAD. */
export function commitBlindly(root: string, tree: string, message = "x"): void {
  const who = "Ada <ada@example.test> 1774828800 +0000";
  const text = `tree ${tree}\nauthor ${who}\ncommitter ${who}\n\n${message}\n`;
  writeFileSync(join(root, ".git/HEAD"), `${writeByHand(root, "commit", Buffer.from(text))}\n`);
}

/** Puts an object under a name that is not its own; git reads most kinds without a check. */
export function writeUnder(root: string, oid: string, type: string, content: Uint8Array): void {
  const folder = join(root, ".git/objects", oid.slice(0, 2));
  mkdirSync(folder, { recursive: true });
  const loose = Buffer.concat([Buffer.from(`${type} ${content.length}\0`), content]);
  writeFileSync(join(folder, oid.slice(2)), deflateSync(loose));
}
