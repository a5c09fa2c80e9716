/**
 * The measuring command over a large repository: its time beside that of a bare `git cat-file` which only reads the same files, and the
 * memory of all its processes together. `bun run bench measure [--files=100000] [--trees=mixed,tiny]`.
 */

import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ROOT } from "../../src/app/prepare.ts";
import { makeLargeTree, TREES } from "./parts/large_tree.ts";

const given = new Map(
  Bun.argv.slice(2).map((option) => option.replace(/^--/, "").split("=") as [string, string]),
);
const FILES = Number(given.get("files") ?? 100_000);
const LOOK_MS = 200;

const folder = mkdtempSync(join(tmpdir(), "tower-bench-"));
try {
  for (const tree of TREES) {
    if (!(given.get("trees") ?? TREES.join(",")).split(",").includes(tree)) continue;
    const repository = join(folder, tree);
    await makeLargeTree(repository, tree, FILES);
    const { seconds: bare, bytes } = await readBare(repository);
    const run = await measure(repository);
    const cells = [
      `${tree}: ${FILES} files, ${(bytes / 1e6).toFixed(0)} MB`,
      `bare git cat-file ${bare.toFixed(1)} s`,
      `measured in ${run.seconds.toFixed(1)} s (${(run.seconds / bare).toFixed(1)} times)`,
      `${run.cpu.toFixed(0)} s of processor`,
      `at most ${run.peak.toFixed(0)} MB at once (${(run.peak / (bytes / 1e6)).toFixed(2)} times the files)`,
    ];
    process.stdout.write(`${cells.join("; ")}\n${run.most}\n`);
    if (run.code !== 0) process.exitCode = 1;
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** What nobody can do without: git unpacks every file, and somebody takes it. */
async function readBare(repository: string): Promise<{ seconds: number; bytes: number }> {
  const listed = Bun.spawnSync(["git", "-C", repository, "ls-tree", "-r", "--format=%(objectname)", "HEAD"]);
  const begin = performance.now();
  const child = Bun.spawn(["git", "-C", repository, "cat-file", "--batch", "--buffer"], {
    stdin: listed.stdout,
    stdout: "pipe",
  });
  let bytes = 0;
  for await (const part of child.stdout) bytes += part.length;
  return { seconds: (performance.now() - begin) / 1000, bytes };
}

async function measure(repository: string) {
  const begin = performance.now();
  const child = Bun.spawn(
    [process.execPath, join(ROOT, "src/measure/main.ts"), repository, "--out", join(folder, "report.json")],
    { env: { ...process.env, ASSET: "harbor" }, stdin: "ignore", stdout: "ignore", stderr: "ignore" },
  );
  let peak = 0;
  let most = "";
  const timer = setInterval(() => {
    const held = familyOf(child.pid).map((pid) => ({ name: nameOf(pid), size: shareOf(pid) }));
    const sum = held.reduce((all, { size }) => all + size, 0);
    if (sum <= peak) return;
    peak = sum;
    most = `  then: ${held.map(({ name, size }) => `${name} ${size.toFixed(0)} MB`).join(", ")}`;
  }, LOOK_MS);
  const code = await child.exited;
  clearInterval(timer);
  const cpu = Number(child.resourceUsage()?.cpuTime.total ?? 0) / 1e6;
  return { code, seconds: (performance.now() - begin) / 1000, cpu, peak, most };
}

/** A process and all that it started, as far as Linux tells. */
function familyOf(root: number): number[] {
  const children = new Map<number, number[]>();
  for (const name of readdirSync("/proc").filter((one) => /^\d+$/.test(one))) {
    const [, parent] = read(`/proc/${name}/stat`)
      .replace(/^.*\) /s, "")
      .split(" ");
    const siblings = children.get(Number(parent)) ?? [];
    children.set(Number(parent), [...siblings, Number(name)]);
  }
  const family = [root];
  for (const pid of family) family.push(...(children.get(pid) ?? []));
  return family;
}

/** Megabytes that are a process's own, with its share of what several have in common. */
function shareOf(pid: number): number {
  return Number(/^Pss: +(\d+)/m.exec(read(`/proc/${pid}/smaps_rollup`))?.[1] ?? 0) / 1_024;
}

function nameOf(pid: number): string {
  const words = read(`/proc/${pid}/cmdline`).split("\0");
  return words.some((word) => word.endsWith("file_reader_process.ts"))
    ? "reader"
    : (words[0]?.split("/").at(-1) ?? "");
}

function read(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
