/** A signal ends the command with nothing left behind, whatever it is doing at that moment. */
import { describe, expect, test } from "bun:test";
import { chmodSync, existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "../support/folder.ts";
import { makeRepository } from "./repository.ts";

const SRC = join(import.meta.dir, "../../src");
const STALLS = `class A { void f() { x = ${"a<".repeat(128 * 1024)} } }\n`;

interface Moment {
  readonly name: string;
  /** Words of the git call that waits for ever. */
  readonly git?: string;
  readonly signal: NodeJS.Signals;
  readonly command: readonly string[];
}

const MOMENTS: readonly Moment[] = [
  {
    name: "while git reads the trees",
    git: "--batch-command",
    signal: "SIGINT",
    command: ["cli.ts", "measure"],
  },
  { name: "while git compares commits", git: "diff-tree", signal: "SIGTERM", command: ["measure/main.ts"] },
  { name: "while git reads the files", git: "--batch", signal: "SIGHUP", command: ["measure/main.ts"] },
  { name: "while a file is parsed", signal: "SIGTERM", command: ["cli.ts", "measure"] },
];

/** A git that makes a mark and waits in the call that holds `words`, and is the real one otherwise. */
function stallingGit(folder: string, words: string | undefined, mark: string): string {
  const program = join(folder, "git");
  const wait =
    words === undefined ? "" : `case " $* " in *" ${words} "*) : > ${mark}; exec /bin/sleep 60;; esac\n`;
  writeFileSync(program, `#!/bin/sh\n${wait}exec ${Bun.which("git")} "$@"\n`);
  chmodSync(program, 0o755);
  return folder;
}

/** Waits for the mark, or for the line that is written when the parsing starts. */
async function reached(mark: string | undefined, stderr: AsyncIterator<Uint8Array>): Promise<string> {
  let said = "";
  while (mark === undefined ? !said.includes("Comparing code") : !existsSync(mark)) {
    if (mark !== undefined) await Bun.sleep(5);
    else said += new TextDecoder().decode((await stderr.next()).value);
  }
  return said;
}

/** The command's clock is the machine's, and a commit counts within 30 days of it. */
function yesterday(): string {
  return `${new Date(Date.now() - 86_400_000).toISOString().slice(0, 19)}Z`;
}

describe("a signal", () => {
  for (const { name, git, signal, command } of MOMENTS) {
    test(`${signal} ${name} leaves no file and is one line and exit code 130`, async () => {
      using folder = temporaryFolder();
      const root = makeRepository(join(folder.path, "repo"), [
        {
          at: yesterday(),
          files: { "A.java": STALLS, "b.js": "b();\n" },
        },
      ]);
      for (const part of ["bin", "scratch"]) mkdirSync(join(folder.path, part));
      const mark = join(folder.path, "mark");
      const child = Bun.spawn([process.execPath, join(SRC, command[0] ?? ""), ...command.slice(1), root], {
        env: {
          ASSET: "harbor",
          PATH: stallingGit(join(folder.path, "bin"), git, mark),
          TMPDIR: join(folder.path, "scratch"),
        },
        stdout: "pipe",
        stderr: "pipe",
      });
      const stderr = child.stderr[Symbol.asyncIterator]();
      let said = await reached(git === undefined ? undefined : mark, stderr);
      expect(readdirSync(join(folder.path, "scratch"))).toHaveLength(1);
      child.kill(signal);
      expect(await child.exited).toBe(130);
      for (let next = await stderr.next(); next.done !== true; next = await stderr.next()) {
        said += new TextDecoder().decode(next.value);
      }
      expect(said.trim().split("\n").at(-1)).toBe("measure: interrupted");
      expect(await new Response(child.stdout).text()).toBe("");
      expect(readdirSync(join(folder.path, "scratch"))).toEqual([]);
    });
  }
});

test("a scratch folder that cannot be written is one line", async () => {
  using folder = temporaryFolder();
  const root = makeRepository(join(folder.path, "repo"), [
    { at: "2026-03-30T00:00:00Z", files: { "b.js": "b();\n" } },
  ]);
  const child = Bun.spawn([process.execPath, join(SRC, "measure/main.ts"), root], {
    env: { ASSET: "harbor", PATH: process.env["PATH"] ?? "", TMPDIR: join(folder.path, "nowhere") },
    stdout: "pipe",
    stderr: "pipe",
  });
  expect(await child.exited).toBe(1);
  const lines = (await new Response(child.stderr).text()).trim().split("\n");
  expect(lines).toHaveLength(2);
  expect(lines[1]).toStartWith("measure: ENOENT");
});
