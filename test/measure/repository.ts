/** Tiny git repositories with fixed dates, made with one `git fast-import` each. Never imported by src. */

import { mkdirSync } from "node:fs";

/** A file of a commit: text, bytes, or an entry with its own mode. */
export type Entry =
  | string
  | Uint8Array
  | { readonly mode: "120000"; readonly target: string }
  | { readonly mode: "160000" };

/** One commit: its files replace or add to those before. */
export interface Commit {
  readonly at: string;
  /** Paths as text, or as raw bytes in a latin1 string behind `bytes:`. */
  readonly files: Readonly<Record<string, Entry>>;
}

const GIT = Bun.which("git") ?? "git";
const ENV = {
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_CONFIG_GLOBAL: "/dev/null",
  HOME: "/nonexistent",
  LC_ALL: "C",
  TZ: "UTC",
};

/** Runs git in a folder; throws with git's words when it fails. */
export function git(folder: string, ...args: readonly string[]): string {
  const result = Bun.spawnSync([GIT, "-c", "protocol.file.allow=always", ...args], { cwd: folder, env: ENV });
  if (result.exitCode !== 0) throw new Error(`git ${args.join(" ")}: ${result.stderr.toString()}`);
  return result.stdout.toString();
}

/** Runs git with input and gives its trimmed answer. */
export function gitInput(folder: string, input: Uint8Array, ...args: readonly string[]): string {
  const result = Bun.spawnSync([GIT, ...args], { cwd: folder, env: ENV, stdin: input });
  if (result.exitCode !== 0) throw new Error(`git ${args.join(" ")}: ${result.stderr.toString()}`);
  return result.stdout.toString().trim();
}

/** Makes a bare-working-tree repository (`.git` only) at `folder` from commits on branch `main`. */
export function makeRepository(
  folder: string,
  commits: readonly Commit[],
  ...init: readonly string[]
): string {
  mkdirSync(folder, { recursive: true });
  git(folder, "init", "-q", "-b", "main", ...init);
  const result = Bun.spawnSync([GIT, "fast-import", "--quiet", "--force"], {
    cwd: folder,
    env: ENV,
    stdin: Buffer.concat(commits.flatMap(commitParts)),
  });
  if (result.exitCode !== 0) throw new Error(`git fast-import: ${result.stderr.toString()}`);
  return folder;
}

function commitParts(commit: Commit): Buffer[] {
  const seconds = Date.parse(commit.at) / 1000;
  const offset = /([-+]\d\d):(\d\d)$/.exec(commit.at)?.slice(1).join("") ?? "+0000";
  const head = `commit refs/heads/main\ncommitter Ada <ada@example.test> ${seconds} ${offset}\ndata 1\nx\n`;
  return [
    Buffer.from(head),
    ...Object.entries(commit.files).flatMap(([path, entry]) => entryParts(path, entry)),
  ];
}

function entryParts(path: string, entry: Entry): Buffer[] {
  const name = path.startsWith("bytes:") ? Buffer.from(path.slice(6), "latin1") : Buffer.from(path);
  const quoted = `"${[...name].map((byte) => `\\${byte.toString(8).padStart(3, "0")}`).join("")}"`;
  if (typeof entry === "object" && "mode" in entry && entry.mode === "160000") {
    return [Buffer.from(`M 160000 ${"1".repeat(40)} ${quoted}\n`)];
  }
  const data =
    typeof entry === "object" && "mode" in entry
      ? Buffer.from(entry.target)
      : Buffer.from(entry as string | Uint8Array);
  const mode = typeof entry === "object" && "mode" in entry ? entry.mode : "100644";
  return [Buffer.from(`M ${mode} inline ${quoted}\ndata ${data.length}\n`), data, Buffer.from("\n")];
}
