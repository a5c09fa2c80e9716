/** A signal ends the command with nothing left behind, whatever it is doing at that moment. */

import { describe, expect, test } from "bun:test";
import { chmodSync, existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "../support/folder.ts";
import { makeRepository } from "./repository.ts";

const ROOT = join(import.meta.dir, "../..");
const STALLS = `class A { void f() { x = ${"a<".repeat(128 * 1024)} } }\n`;

const IMAGE = ["src/measure/main.ts"];
const CLI = ["src/cli.ts", "measure"];
const SCRIPT = ["run", "tower", "measure"];

interface Moment {
  readonly name: string;
  /** Words of the git call that waits for ever. */
  readonly git?: string;
  /** Words on standard error that come just before; or the post has arrived. */
  readonly said?: string;
  readonly signal: NodeJS.Signals;
  readonly command: readonly string[];
  /** A terminal signals everything that it runs; `kill` one process. */
  readonly group?: true;
  readonly times?: number;
}

const MOMENTS: readonly Moment[] = [
  { name: "while git reads the trees", git: "--batch-command", signal: "SIGINT", command: CLI },
  { name: "while git lists the files", git: "ls-tree", signal: "SIGHUP", command: CLI, group: true },
  { name: "while git compares commits", git: "diff-tree", signal: "SIGTERM", command: IMAGE },
  {
    name: "to the script alone, while git reads the trees",
    git: "--batch-command",
    signal: "SIGTERM",
    command: SCRIPT,
  },
  {
    name: "twice, while git reads the trees",
    git: "--batch-command",
    signal: "SIGINT",
    command: SCRIPT,
    group: true,
    times: 2,
  },
  { name: "while files are compared", said: "Comparing code", signal: "SIGINT", command: IMAGE, group: true },
  { name: "while a file is parsed", said: "Comparing code", signal: "SIGTERM", command: CLI },
  {
    name: "while the report is posted",
    said: "Measured in",
    signal: "SIGINT",
    command: [...IMAGE, "--post"],
  },
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

/** Waits for the mark, or for words on standard error. */
async function reached(
  mark: string,
  words: string | undefined,
  stderr: AsyncIterator<Uint8Array>,
): Promise<string> {
  let said = "";
  while (words === undefined ? !existsSync(mark) : !said.includes(words)) {
    if (words === undefined) await Bun.sleep(5);
    else said += new TextDecoder().decode((await stderr.next()).value);
  }
  return said;
}

/** The command's clock is the machine's, and a commit counts within 30 days of it. */
function yesterday(): string {
  return `${new Date(Date.now() - 86_400_000).toISOString().slice(0, 19)}Z`;
}

/** Starts the command in a folder of its own and waits for the moment. */
async function startUntil(
  { git, said: words, command }: Pick<Moment, "git" | "said" | "command">,
  folder: string,
) {
  const files = { "A.java": command.includes("--post") ? "class A {}\n" : STALLS, "b.js": "b();\n" };
  const root = makeRepository(join(folder, "repo"), [{ at: yesterday(), files }]);
  const mark = join(folder, "mark");
  const scratch = join(folder, "scratch");
  for (const part of [join(folder, "bin"), scratch]) mkdirSync(part);
  // Answers nothing for ever.
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    idleTimeout: 0,
    fetch: () => Promise.withResolvers<Response>().promise,
  });
  const child = Bun.spawn([process.execPath, ...command, root], {
    cwd: ROOT,
    detached: true,
    env: {
      ASSET: "harbor",
      ASSET_TOKEN: "t",
      INGEST_URL: server.url.origin,
      PATH: `${stallingGit(join(folder, "bin"), git, mark)}:${join(process.execPath, "..")}`,
      TMPDIR: scratch,
    },
    stdout: "pipe",
    stderr: "pipe",
  });
  const stderr = child.stderr[Symbol.asyncIterator]();
  const said = await reached(mark, git === undefined ? words : undefined, stderr);
  return { child, scratch, said, stderr, server };
}

describe("a signal", () => {
  for (const moment of MOMENTS) {
    const { name, signal, command, group, times = 1 } = moment;
    test(`${signal} ${name} leaves no file and is one line and exit code 130`, async () => {
      using folder = temporaryFolder();
      const { child, scratch, stderr, server, ...started } = await startUntil(moment, folder.path);
      let { said } = started;
      if (!command.includes("--post")) expect(readdirSync(scratch)).toHaveLength(1);
      for (let sent = 0; sent < times; sent++) process.kill(group === true ? -child.pid : child.pid, signal);
      expect(await child.exited).toBe(130);
      for (let next = await stderr.next(); next.done !== true; next = await stderr.next()) {
        said += new TextDecoder().decode(next.value);
      }
      server.stop(true);
      const lines = said
        .trim()
        .split("\n")
        .filter((line) => !line.startsWith("error: script"));
      expect(lines.at(-1)).toBe("measure: interrupted");
      expect(await new Response(child.stdout).text()).toBe("");
      expect(readdirSync(scratch)).toStrictEqual([]);
    });
  }
});
