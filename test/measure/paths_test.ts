/** `--path`: only what lies inside counts, and what it is used for is looked up everywhere. */

import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { temporaryFolder } from "../support/folder.ts";
import { git, gitInput, makeRepository } from "./repository.ts";
import { expectReport, measureFiles, run } from "./run.ts";

const BLOCK = Array.from({ length: 12 }, (_, i) => `  t += a[${i}] * b[${i}] - c(${i}, "${i}");`).join("\n");

const FILES = {
  "package.json": JSON.stringify({ name: "p", main: "app/main.js", dependencies: { a: "1" } }),
  "app/main.js": 'import { start } from "../server/start.js";\nimport "../server/loose.js";\nstart();\n',
  "app/copy.js": `export function f(a) {\n${BLOCK}\n}\n`,
  "app/long.js": `export const x = [\n${"  1,\n".repeat(99)}];\n`,
  "server/start.js": "export function start() {\n  return 1;\n}\n",
  "server/loose.js": "export const loose = 1;\n",
  "server/orphan.js": `export function g(b) {\n${BLOCK}\n}\n`,
  "server/package.json": JSON.stringify({ name: "s", dependencies: { b: "1", c: "1" } }),
  "server/made_pb2.py": "x = 1\n",
  "app/made_pb2.py": "x = 1\n",
  "server/page.ex": "x = 1\n",
  "app/page.gleam": "x\n",
};

describe("--path", () => {
  test("every figure counts the files inside alone, and none is unused for being used from outside", async () => {
    await measureFiles(FILES);
    await measureFiles(FILES, { paths: ["server"] });
  });

  test("a folder's name is no beginning of another's", async () => {
    await measureFiles({ "a/x.py": "x = 1\n", "ab/y.py": "y = 1\n" }, { paths: ["a"] });
  });

  test("where only the path is here it is measured, and what is unused is not known", async () => {
    using folder = temporaryFolder();
    const root = makeRepository(join(folder.path, "repo"), [
      { at: "2026-03-30T00:00:00Z", files: { "in/a.js": "a();\n", "out/b.js": "b();\n" } },
    ]);
    const lost = git(root, "rev-parse", "HEAD:out/b.js").trim();
    const kept = git(root, "rev-list", "--objects", "HEAD")
      .split("\n")
      .map((line) => line.slice(0, 40));
    git(folder.path, "init", "-q", "--bare", "-b", "main", "part");
    const part = join(folder.path, "part");
    const list = kept.filter((oid) => oid !== lost).join("\n");
    gitInput(root, new TextEncoder().encode(list), "pack-objects", "-q", join(part, "objects/pack/pack"));
    git(part, "update-ref", "refs/heads/main", git(root, "rev-parse", "HEAD").trim());
    expect(await run(part, folder.path)).toBeInstanceOf(Error);
    expectReport(await run(part, folder.path, { paths: ["in"] }));
  });
});
