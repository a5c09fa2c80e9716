/** Files that are made to break or to stall whoever reads them. */

import { describe, expect, test } from "bun:test";
import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { FileReader } from "../../src/measure/file_reader.ts";
import type { Job } from "../../src/measure/reading.ts";
import { temporaryFolder } from "../support/folder.ts";
import { measureFiles, tools } from "./run.ts";

/** Every `<` may open a type argument or compare, so the parser follows all of them at once. */
const POISON = `class A { void f() { x = ${"a<".repeat(128 * 1024)} } }\n`;
const GOOD = "class B { int g(int a) { return a > 1 ? 2 : 3; } }\n";
/** Far above what a good file needs, on a busy machine too. */
const LIMIT_MS = 5_000;

function javaJob(file: string): Job {
  return {
    kind: "source",
    file,
    grammars: tools.grammars ?? [],
    grammar: "java",
    functions: true,
  };
}

describe("a poisonous file costs only itself", () => {
  test("one that stalls the parser is named, and the figures say that they lack it", async () => {
    await measureFiles(
      { "A.java": POISON, "B.java": GOOD, "c.js": "const f = (a) => a || 1;\n" },
      { fileLimitMs: LIMIT_MS },
    );
  });

  test("figures that would hold no file at all are unmeasured", async () => {
    await measureFiles({ "A.java": POISON }, { fileLimitMs: 100 });
  });

  test("a package list that cannot be read leaves the count unmeasured, never a partial one", async () => {
    await measureFiles({
      "package.json": JSON.stringify({ dependencies: { a: "1" } }),
      "pyproject.toml": Array.from({ length: 10_001 }, (_, i) => `k${i} = 1\n`).join(""),
    });
  });
});

test("the process that reads files is replaced when a file keeps it from answering, and stops with its owner", async () => {
  using folder = temporaryFolder();
  const pipe = join(folder.path, "pipe");
  const good = join(folder.path, "B.java");
  Bun.spawnSync(["mkfifo", pipe]);
  writeFileSync(good, GOOD);
  const { signal } = new AbortController();
  const answers = (one: FileReader, file: string) => Array.fromAsync(one.readAll([javaJob(file)]));
  const reader = new FileReader({ cwd: folder.path, signal });
  const found = { kind: "source", functions: { functions: 1, total: 2, max: 2, complex: [] } };
  expect(await answers(reader, good)).toEqual([found as never]);
  const quick = new FileReader({ cwd: folder.path, signal, limitMs: 300 });
  expect(await answers(quick, pipe)).toEqual([undefined]);
  expect(await answers(reader, good)).toEqual([found as never]);
  await Promise.all([reader.close(), quick.close()]);
  const abort = new AbortController();
  const ended = new FileReader({ cwd: folder.path, signal: abort.signal });
  const reading = answers(ended, pipe);
  abort.abort();
  expect(reading).rejects.toThrow();
  await reading.catch(() => undefined);
  await ended.close();
});

describe("jscpd is held to limits", () => {
  test("one that writes without end is ended, and what it measures is unmeasured", async () => {
    using folder = temporaryFolder();
    const jscpd = join(folder.path, "jscpd");
    const script = "exec /bin/dd if=/dev/zero of=big bs=1048576";
    writeFileSync(jscpd, `#!/bin/sh\n[ "$1" = --version ] && echo jscpd 5.3.2 && exit 0\n${script}\n`);
    chmodSync(jscpd, 0o700);
    await measureFiles({ "a.js": "f();\n" }, { tools: { ...tools, jscpd } });
  });

  test("brackets that nest without end cost nothing", async () => {
    const block = Array.from(
      { length: 12 },
      (_, i) => `  total += first[${i}] * second[${i}] - third(${i});`,
    );
    const copy = (name: string) => `function ${name}() {\n${block.join("\n")}\n}\n`;
    await measureFiles({
      "deep.js": `x = ${"[".repeat(100_000)}${"]".repeat(100_000)};\n`,
      "one.js": copy("f"),
      "two.js": copy("g"),
    });
  });
});
