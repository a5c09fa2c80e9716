/** Whole runs over tiny repositories, with the real git, jscpd and grammars. */

import { describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readContract } from "../../src/base/contract.ts";
import type { Measured } from "../../src/measure/measure.ts";
import { hotspotsOf } from "../../src/measure/step_history.ts";
import { CodebaseReportSchema } from "../../src/reports/measures.ts";
import { temporaryFolder } from "../support/folder.ts";
import { git, makeRepository } from "./repository.ts";
import { expectReport, measureFiles, run, tools } from "./run.ts";

const AT = "2026-03-30T00:00:00Z";
/** The same moment as a committer in another zone writes it. */
const AT_EAST = "2026-03-30T05:30:00+05:30";

/** Twelve lines that jscpd sees as one block wherever they stand. */
const BLOCK = Array.from(
  { length: 12 },
  (_, i) => `  total += first[${i}] * second[${i}] - third(${i}, "${i}");`,
).join("\n");

const PROJECT = {
  "package.json": JSON.stringify({
    name: "p",
    main: "src/index.js",
    dependencies: { a: "1" },
    devDependencies: { b: "1" },
  }),
  "src/index.js": 'import { used } from "./used.js";\nused();\n',
  "src/used.js": "// one\nexport function used() { return 1; }\nexport function spare() { return 2; }\n",
  "src/orphan.js": `export const first = [];\nfunction f(a) {\n${BLOCK}\n}\n`,
  "src/twin.py": "def g():\n    return 1\n",
  "src/other.js": `import "./used.js";\nfunction g(b) {\n${BLOCK}\n}\n`,
  "test/used_test.js": 'import { used } from "../src/used.js";\nused();\n',
  "README.md": "# p\n",
};

/** The project as it is, measured once for whoever compares with it. */
let projected: Promise<Measured> | undefined;
function measuredProject(): Promise<Measured> {
  projected ??= (async () => {
    using folder = temporaryFolder();
    const result = await run(
      makeRepository(join(folder.path, "repo"), [{ at: AT_EAST, files: PROJECT }]),
      folder.path,
    );
    if (result instanceof Error) throw result;
    return result;
  })();
  return projected;
}

describe("a whole run", () => {
  test("gives every measure a number or a reason, names commit and moment, and keeps the server's contract", async () => {
    const { report } = expectReport(await measuredProject());
    const keys = [...Object.keys(report.measures), ...Object.keys(report.unmeasured ?? {})];
    expect(new Set(keys).size).toBe(keys.length);
    expect(keys).toHaveLength(23);
    expect(report.repository).toMatchObject({ ref: "main", committedAt: AT_EAST });
    expect(report.repository?.commit).toMatch(/^[0-9a-f]{40}$/);
    expect(report.generatedAt).toBe("2026-03-31T12:00:00.000Z");
    expect(readContract(CodebaseReportSchema, JSON.parse(JSON.stringify(report)))).toMatchObject({
      ok: true,
      ignored: [],
    });
  });
  test("is the same for the same commit, and keeps no temporary file", async () => {
    using folder = temporaryFolder();
    const root = makeRepository(join(folder.path, "repo"), [{ at: AT_EAST, files: PROJECT }]);
    mkdirSync(join(folder.path, "scratch"));
    const { report } = expectReport(await run(root, join(folder.path, "scratch")));
    expect(report).toEqual((await measuredProject()).report);
    expect(readdirSync(join(folder.path, "scratch"))).toStrictEqual([]);
  });

  test("counts tests inside Rust files as tests, says so, and looks for no copies in them", async () => {
    const copies = Array.from(
      { length: 12 },
      (_, i) => `        check(${i}, thing(${i}), "value ${i}");`,
    ).join("\n");
    const file = (name: string) =>
      `fn ${name}() {}\n\n#[cfg(test)]\nmod tests {\n    #[test]\n    fn t() {\n${copies}\n    }\n}\n`;
    await measureFiles({
      "src/a.rs": file("a"),
      "src/b.rs": file("b"),
      "src/c.rs": `fn c() {\n${copies}\n}\n`,
    });
  });

  test("counts a Rust module in a file of its own as tests where it is declared for tests", async () => {
    await measureFiles({
      "src/lib.rs": "#[cfg(test)]\nmod helper;\nmod own;\n",
      "src/helper.rs": "fn a() {}\n",
      "src/helper/deep.rs": "fn b() {}\n",
      "src/own.rs": "#[cfg(test)]\nmod cases;\n",
      "src/own/cases.rs": "fn c() {}\n",
      "src/cases.rs": "fn d() {}\n",
    });
  });

  test("reads the commit, not the working tree", async () => {
    using folder = temporaryFolder();
    const root = makeRepository(join(folder.path, "repo"), [{ at: AT, files: { "a.py": "x = 1\n" } }]);
    writeFileSync(join(root, "a.py"), "x = 1\ny = 2\n");
    writeFileSync(join(root, "b.py"), "z = 3\n");
    expectReport(await run(root, folder.path));
  });

  test("a bare repository is measured like any other", async () => {
    using folder = temporaryFolder();
    const root = makeRepository(
      join(folder.path, "repo"),
      [{ at: AT, files: { "a.py": "x = 1\n" } }],
      "--bare",
    );
    expectReport(await run(root, folder.path));
  });

  test("paths limit everything that is read", async () => {
    await measureFiles(PROJECT, { paths: ["src/used.js", "test"] });
  });

  test("a repository without code measures 0 where 0 is true, one without functions no average", async () => {
    await measureFiles({ "README.md": "# p\n" });
    await measureFiles({ "a.py": "x = 1\n" });
  });
});

test("what cannot be measured is said in words (measure.md 3), recorded", async () => {
  const commit = (
    folder: string,
    files = { "a.py": "x = 1\n" } as Record<string, string>,
    ...more: string[]
  ) => makeRepository(join(folder, "repo"), [{ at: AT, files }], ...more);
  const empty = (folder: string) => makeRepository(join(folder, "repo"), []);
  type Case = readonly [what: string, make: (folder: string) => string, options?: object];
  const cases: readonly Case[] = [
    ["no such folder", (folder) => join(folder, "nowhere")],
    ["not a repository", (folder) => folder],
    ["an empty repository", empty],
    ["a machine without git", empty, { tools: { ...tools, git: undefined } }],
    ["SHA-256 names", (folder) => commit(folder, undefined, "--object-format=sha256")],
    [
      "a partial clone",
      (folder) => {
        const root = commit(folder);
        git(root, "config", "uploadpack.allowFilter", "true");
        git(folder, "clone", "-q", "--no-checkout", "--filter=blob:none", `file://${root}`, "part");
        return join(folder, "part");
      },
    ],
    [
      "a missing object without a promise",
      (folder) => {
        const root = commit(folder);
        const oid = git(root, "rev-parse", "HEAD:a.py").trim();
        rmSync(join(root, ".git/objects", oid.slice(0, 2), oid.slice(2)));
        return root;
      },
    ],
    [
      "a worktree whose repository is out of reach",
      (folder) => {
        writeFileSync(join(folder, ".git"), "gitdir: /nowhere/.git/worktrees/tree\n");
        return folder;
      },
    ],
    [
      "a folder inside a repository",
      (folder) => {
        const inside = join(commit(folder, { "a/b.py": "x = 1\n" }), "a");
        mkdirSync(inside);
        return inside;
      },
    ],
    ["a path that the commit does not have", (folder) => commit(folder, { "ab.py": "" }), { paths: ["a"] }],
    [
      "references that are no files",
      (folder) => {
        const root = empty(folder);
        writeFileSync(join(root, ".git/HEAD"), "ref: refs/heads/.invalid\n");
        return root;
      },
    ],
  ];
  const said: string[] = [];
  for (const [what, make, options = {}] of cases) {
    using folder = temporaryFolder();
    const result = await run(make(folder.path), folder.path, options);
    const words =
      result instanceof Error
        ? [`${result.fault}: ${result.message}`, result.hint ?? []].flat().join(" ")
        : "measured";
    said.push(`${what}: ${words.replaceAll(folder.path, "/folder")}`);
  }
  expect(said).toMatchSnapshot();
});

test("a shallow checkout has no history measures and every other one", async () => {
  using folder = temporaryFolder();
  const commits = [AT, "2026-03-30T01:00:00Z"].map((at, i) => ({ at, files: { [`${i}.py`]: "x = 1\n" } }));
  const root = makeRepository(join(folder.path, "repo"), commits);
  git(folder.path, "clone", "-q", "--depth=1", `file://${root}`, "shallow");
  expectReport(await run(join(folder.path, "shallow"), folder.path));
});

test("a tool that is missing, does not say its version or is broken leaves its measures unmeasured, never 0 (measure.md 3)", async () => {
  const missing = { jscpd: undefined, grammars: undefined };
  for (const other of [missing, { jscpd: Bun.which("false") ?? "" }, { grammars: ["/nowhere"] }])
    await measureFiles(PROJECT, { tools: { ...tools, ...other } });
});

describe("nothing of the measured repository is run or obeyed (measure.md 3.1, 3.3)", () => {
  test("planted configurations leave no trace and change no figure", async () => {
    using folder = temporaryFolder();
    const mark = join(folder.path, "ran");
    const js = `require("fs").writeFileSync(${JSON.stringify(mark)}, "x");\n`;
    const py = `open(${JSON.stringify(mark)}, "w").write("x")\n`;
    const planted = {
      "knip.ts": js,
      "vitest.config.js": js,
      "eslint.config.js": js,
      "jscpd.config.js": js,
      "conftest.py": py,
      "setup.py": py,
      ".jscpd.json": JSON.stringify({ minTokens: 5000, ignore: ["**/*"], path: ["/"] }),
      "package.json": JSON.stringify({
        ...JSON.parse(PROJECT["package.json"]),
        jscpd: { minTokens: 5000, ignore: ["**"] },
        scripts: { install: `touch ${mark}` },
      }),
      ".gitignore": "src/\n",
      ".ignore": "src/\n",
    };
    const files = { ...PROJECT, ...planted };
    const root = makeRepository(join(folder.path, "repo"), [{ at: AT, files }]);
    for (const [path, text] of Object.entries(planted)) writeFileSync(join(root, path), text);
    const { report } = expectReport(await run(root, folder.path));
    const plain = await measuredProject();
    expect(existsSync(mark)).toBe(false);
    const { duplicate_blocks, duplicated_lines, dependencies_direct } = plain.report.measures;
    expect(report.measures).toMatchObject({ duplicate_blocks, duplicated_lines, dependencies_direct });
  });

  test("a replaced object and a link in the working tree are not followed", async () => {
    using folder = temporaryFolder();
    const root = makeRepository(join(folder.path, "repo"), [
      { at: "2026-03-29T00:00:00Z", files: { "a.py": "x = 1\n" } },
      { at: AT, files: { "a.py": "x = 1\ny = 2\n" } },
    ]);
    git(root, "replace", git(root, "rev-parse", "HEAD").trim(), git(root, "rev-parse", "HEAD~1").trim());
    symlinkSync("/etc", join(root, "b"));
    expectReport(await run(root, folder.path));
  });
});

test("a run can be ended: an abort rejects and leaves no temporary file", async () => {
  using folder = temporaryFolder();
  const root = makeRepository(join(folder.path, "repo"), [{ at: AT, files: PROJECT }]);
  mkdirSync(join(folder.path, "scratch"));
  const abort = new AbortController();
  const ended = run(root, join(folder.path, "scratch"), {
    signal: abort.signal,
    onStep: (step) => {
      if (step.step.startsWith("Comparing")) abort.abort();
    },
  });
  expect(ended.then(() => "done")).rejects.toThrow();
  await ended.catch(() => undefined);
  expect(readdirSync(join(folder.path, "scratch"))).toStrictEqual([]);
});

test("hotspots are files of many changes in 90 days and of much complexity, ten at most", async () => {
  using folder = temporaryFolder();
  const branches = (count: number) => `export function f(x) {\n${"  if (x) x--;\n".repeat(count)}}\n`;
  const many = Object.fromEntries(Array.from({ length: 12 }, (_, at) => [`m${at}.js`, branches(1)]));
  const root = makeRepository(join(folder.path, "repo"), [
    // Half a day before the 90 days that end at noon on 31 March begin, and half a day after.
    { at: "2025-12-31T00:00:00Z", files: { "old.js": branches(90) } },
    { at: "2026-01-01T00:00:00Z", files: { "first.js": branches(40) } },
    { at: "2026-01-10T00:00:00Z", files: { "often.js": branches(2), "hard.js": branches(30), ...many } },
    { at: "2026-03-10T00:00:00Z", files: { "often.js": branches(3) } },
  ]);
  const { account } = expectReport(await run(root, folder.path));
  expect(account.hotspots).toHaveLength(10);
  expect(account.hotspots.slice(0, 3)).toMatchSnapshot();
  const alike = new Map([
    ["b.js", 1],
    ["a.js", 1],
  ]);
  expect(hotspotsOf(alike, alike).map(({ path }) => path)).toEqual(["a.js", "b.js"]);
});

test("files of languages that are not counted are named beside the languages", async () => {
  await measureFiles({
    "a.py": "x = 1\n",
    "b.gleam": "x\n",
    "c.gleam": "x\n",
    "d.hx": "x\n",
    "e.json": "{}\n",
  });
});
