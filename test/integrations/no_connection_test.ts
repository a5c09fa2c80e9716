/** Reading health asks nobody: in a network of its own without a way out it works, and it opens no connection, counted by the kernel. */

import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { migrateStore } from "../../src/store/migrations.ts";
import { openStore } from "../../src/store/store.ts";
import { Writer } from "../../src/store/writer.ts";
import { instant } from "../support/clock.ts";
import { temporaryFolder } from "../support/folder.ts";
import { plantPortfolio } from "../support/health_portfolio.ts";

const CHILD = join(import.meta.dir, "..", "support", "health_child.ts");
const TIMES = 20;

/** Why the kernel cannot be asked here; undefined where it can. */
const reason = missing();

function missing(): string | undefined {
  for (const program of ["unshare", "strace"])
    if (Bun.which(program) === null) return `there is no ${program}`;
  const tried = Bun.spawnSync(["unshare", "-n", "strace", "-f", "-o", "/dev/null", "true"]);
  return tried.success ? undefined : "a network of its own, or strace, is not permitted";
}

/** A database of 31 sites with everything set up. */
async function filled(folder: { readonly path: string }): Promise<string> {
  const path = join(folder.path, "tower.db");
  const store = openStore(path);
  migrateStore(store);
  const writer = new Writer(store);
  await writer.write((tx) => plantPortfolio(tx, 31, instant("2026-11-20T14:02:10Z")));
  writer.close();
  store.close();
  return path;
}

/** What a child said, and the calls that make a connection or an endpoint of a network for one. */
async function counted(...given: readonly string[]): Promise<{ said: string; calls: readonly string[] }> {
  using folder = temporaryFolder();
  const path = await filled(folder);
  const log = join(folder.path, "calls");
  const child = Bun.spawn(
    [
      "unshare",
      "-n",
      "strace",
      "-f",
      "-e",
      "trace=socket,connect,sendto,sendmsg",
      "-o",
      log,
      process.execPath,
      CHILD,
      path,
      String(TIMES),
      ...given,
    ],
    { stdin: "ignore", stdout: "pipe", stderr: "inherit" },
  );
  const said = await new Response(child.stdout).text();
  expect(await child.exited).toBe(0);
  const calls = readFileSync(log, "utf8")
    .split("\n")
    .filter((line) => /\b(?:socket|connect)\(.*\bAF_INET6?\b/.test(line));
  return { said, calls };
}

if (reason !== undefined)
  process.stdout.write(`reading health without a network is not run here: ${reason}\n`);

describe.skipIf(reason !== undefined)("in a network of its own without a route", () => {
  test("health is read, whole and of a site, and no connection is opened", async () => {
    const { said, calls } = await counted();
    expect(said).toBe(`${2 * TIMES} read\n`);
    expect(calls).toStrictEqual([]);
  });

  test("a connection would be counted", async () => {
    const { calls } = await counted("ask");
    expect(calls.length).toBeGreaterThan(0);
  });
});
