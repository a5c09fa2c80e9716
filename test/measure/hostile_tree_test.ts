/** Repositories whose objects are made to break whoever reads them. */

import { describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { deflateSync } from "node:zlib";
import { temporaryFolder } from "../support/folder.ts";
import { git, gitInput, makeRepository } from "./repository.ts";
import { expectReport, run } from "./run.ts";

/** A bomb of billions of files took more than 10 GB; a small repository takes about 100 MB, the runtime's own part. */
const MOST_MEMORY = 400 * 1024 * 1024;

function emptyRepository(folder: string): string {
  return makeRepository(join(folder, "repo"), []);
}

interface Ended {
  readonly code: number;
  readonly out: string;
  readonly err: string;
  /** Of the largest process that the command started or was, in bytes. */
  readonly mostMemory: number;
}

/** Starts the command from a small process: the kernel counts the memory of the one that starts a program as its own. */
const STARTER = `
const child = Bun.spawn(process.argv.slice(1), { stdout: "pipe", stderr: "pipe" });
const [code, out, err] = await Promise.all([child.exited, new Response(child.stdout).text(), new Response(child.stderr).text()]);
console.log(JSON.stringify({ code, out, err, mostMemory: child.resourceUsage().maxRSS }));`;

async function measureProcess(root: string, scratch: string): Promise<Ended> {
  const entry = join(import.meta.dir, "../../src/measure/main.ts");
  const starter = Bun.spawn([process.execPath, "-e", STARTER, process.execPath, entry, root], {
    env: { ASSET: "harbor", PATH: process.env["PATH"] ?? "", TMPDIR: scratch },
    stdout: "pipe",
  });
  return JSON.parse(await new Response(starter.stdout).text());
}

async function refusal(make: (root: string) => void, options = {}): Promise<string> {
  using folder = temporaryFolder();
  const root = emptyRepository(folder.path);
  make(root);
  const result = await run(root, folder.path, options);
  expect(readdirSync(folder.path)).toEqual(["repo"]);
  return result instanceof Error ? `${result.message} ${result.hint ?? ""}`.trim() : "measured";
}

describe("a tree is sized before it is walked", () => {
  const folderOfFiles = (root: string) => {
    const oid = writeBlob(root, "x = 1\n");
    return writeTree(
      root,
      Array.from({ length: 10 }, (_, i) => ({ mode: "100644", name: `f${i}.py`, oid })),
    );
  };

  test("ten billion files in a few objects are refused in one line, within the memory of a small repository", async () => {
    using folder = temporaryFolder();
    const root = emptyRepository(folder.path);
    commitTrees(root, writeBomb(root, folderOfFiles(root), 9, 10));
    const ended = await measureProcess(root, folder.path);
    expect(ended).toMatchObject({ code: 3, out: "" });
    expect(ended.err.trim().split("\n").slice(1)).toEqual([
      "measure: The commit is too large to be read: its tree has more than 500,000 entries. Measure a part of it with --path.",
    ]);
    expect(ended.mostMemory).toBeLessThan(MOST_MEMORY);
  });

  test("folders without a single file are entries as well", async () => {
    const made = await refusal((root) => commitTrees(root, writeBomb(root, writeTree(root, []), 40, 2)));
    expect(made).toContain("its tree has more than 500,000 entries");
  });

  test("a tree deeper than 512 folders is refused, one of 512 is read", async () => {
    using folder = temporaryFolder();
    const root = emptyRepository(folder.path);
    const around = (oid: string) => writeByHand(root, "tree", treeBytes([{ mode: "40000", name: "d", oid }]));
    const trees = [folderOfFiles(root)];
    for (let folders = 1; folders < 512; folders++) trees.push(around(trees.at(-1) ?? ""));
    commitTrees(root, trees.at(-1) ?? "");
    expectReport(await run(root, folder.path));
    // Each folder beside all that lie in it: level by level they are two deep.
    const beside = trees.map((oid, at) => ({ mode: "40000", name: String(at).padStart(3, "0"), oid }));
    for (const deep of [around(trees.at(-1) ?? ""), writeByHand(root, "tree", treeBytes(beside))]) {
      commitTrees(root, deep);
      expect(await run(root, folder.path)).toMatchObject({
        message: "The commit is too large to be read: its tree is more than 512 folders deep.",
      });
    }
  });

  test("paths of more than 256 MiB together are refused, their slashes counted", async () => {
    const made = await refusal((root) => {
      const oid = writeBlob(root, "x = 1\n");
      const name = (at: number) => `f${String(at).padStart(5, "0")}`;
      const files = Array.from({ length: 55_000 }, (_, at) => ({ mode: "100644", name: name(at), oid }));
      let tree = writeByHand(root, "tree", treeBytes(files));
      for (let folders = 1; folders < 512; folders++)
        tree = writeByHand(root, "tree", treeBytes([{ mode: "40000", name: "of9bytes.", oid: tree }]));
      commitTrees(root, tree);
    });
    expect(made).toContain("its tree has too long paths");
  });

  test("a tree that contains itself is refused", async () => {
    const oid = "ab".repeat(20);
    const made = await refusal((root) => {
      const again = treeBytes([{ mode: "40000", name: "again", oid }]);
      writeUnder(root, oid, "tree", again);
      commitBlindly(root, writeByHand(root, "tree", again));
    });
    expect(made).toContain("its tree contains itself");
  });

  test("a part beside the bomb is measured with --path", async () => {
    using folder = temporaryFolder();
    const root = emptyRepository(folder.path);
    const files = folderOfFiles(root);
    commitTrees(
      root,
      writeTree(root, [
        { mode: "40000", name: "bomb", oid: writeBomb(root, files, 9, 10) },
        { mode: "40000", name: "src", oid: files },
      ]),
    );
    expectReport(await run(root, folder.path, { paths: ["src"] }));
  });

  test("a bomb that came and went within 30 days leaves the history unmeasured and the rest measured", async () => {
    using folder = temporaryFolder();
    const root = emptyRepository(folder.path);
    const files = folderOfFiles(root);
    commitTrees(root, files, writeBomb(root, files, 9, 10), files);
    expectReport(await run(root, folder.path));
  });

  test("a commit of megabytes is refused before it is read", async () => {
    const made = await refusal((root) => {
      commitBlindly(root, folderOfFiles(root), "x".repeat(1024 * 1024));
    });
    expect(made).toBe("The commit object is larger than 1 MiB.");
  });

  test("a HEAD that names no commit is refused", async () => {
    const made = await refusal((root) => {
      const tree = folderOfFiles(root);
      writeFileSync(join(root, ".git/HEAD"), `${tree}\n`);
    });
    expect(made).toBe("HEAD names a tree, not a commit.");
  });
});

test("names that no report can hold are left out, and the others are measured", async () => {
  using folder = temporaryFolder();
  const root = emptyRepository(folder.path);
  const oid = writeBlob(root, "x = 1\n");
  const names: (string | Uint8Array)[] = [
    "-rf.py",
    "--output=x.py",
    "a b.py",
    "new\nline.py",
    "bell\u0007.py",
    Buffer.from([0xff, 0xfe, 0x2e, 0x70, 0x79]),
    `${"n".repeat(4093)}.py`,
    `${"n".repeat(300)}.py`,
    "../climbs.py",
    "..",
    ".git",
    "sub/../../climbs.py",
    "/absolute.py",
    "back\\slash.py",
    "twice.py",
    "twice.py",
  ];
  commitTrees(
    root,
    writeTree(
      root,
      names.map((name) => ({ mode: "100644", name, oid })),
    ),
  );
  expectReport(await run(root, folder.path));
  expect(existsSync(join(folder.path, "climbs.py"))).toBe(false);
  expect(readdirSync(folder.path)).toEqual(["repo"]);
});

test("a run that takes too long ends in one line and leaves nothing behind", async () => {
  const made = await refusal((root) => commitTrees(root, writeTree(root, [])), { limitMs: 0 });
  expect(made).toBe("The run went over its time limit. Measure a part of it with --path.");
});

// Trees, commits and objects that no honest git would write, made with plumbing. Never imported by src.

/** One entry of a tree object; the name is raw. */
interface RawEntry {
  readonly mode: string;
  readonly name: string | Uint8Array;
  readonly oid: string;
}

function writeBlob(root: string, text: string): string {
  return gitInput(root, Buffer.from(text), "hash-object", "-w", "--stdin");
}

/** Writes a tree object as it is given, with names that git itself would refuse. */
function writeTree(root: string, entries: readonly RawEntry[]): string {
  return gitInput(root, treeBytes(entries), "hash-object", "-w", "--literally", "-t", "tree", "--stdin");
}

function treeBytes(entries: readonly RawEntry[]): Buffer {
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
function commitTrees(root: string, ...trees: readonly string[]): void {
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
function writeBomb(root: string, below: string, levels: number, width: number): string {
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
function writeByHand(root: string, type: string, content: Uint8Array): string {
  const oid = new Bun.CryptoHasher("sha1")
    .update(`${type} ${content.length}\0`)
    .update(content)
    .digest("hex");
  writeUnder(root, oid, type, content);
  return oid;
}

/** Commits a tree that may not be there, on a detached HEAD. */
function commitBlindly(root: string, tree: string, message = "x"): void {
  const who = "Ada <ada@example.test> 1774828800 +0000";
  const text = `tree ${tree}\nauthor ${who}\ncommitter ${who}\n\n${message}\n`;
  writeFileSync(join(root, ".git/HEAD"), `${writeByHand(root, "commit", Buffer.from(text))}\n`);
}

/** Puts an object under a name that is not its own; git reads most kinds without a check. */
function writeUnder(root: string, oid: string, type: string, content: Uint8Array): void {
  const folder = join(root, ".git/objects", oid.slice(0, 2));
  mkdirSync(folder, { recursive: true });
  const loose = Buffer.concat([Buffer.from(`${type} ${content.length}\0`), content]);
  writeFileSync(join(folder, oid.slice(2)), deflateSync(loose));
}
