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
    if (!result.ok) throw new Error(result.reason);
    return result;
  })();
  return projected;
}

describe("a whole run", () => {
  test("gives every measure a number or a reason, and keeps the server's contract", async () => {
    const { report } = expectReport(await measuredProject());
    expect(report.measures).toMatchObject({
      code_lines: 2 + 2 + 15 + 2 + 15,
      comment_lines: 1,
      files: 5,
      languages: 2,
      test_lines: 2,
      test_ratio: 0.0556,
      duplicate_blocks: 1,
      functions: 5,
      complex_functions: 0,
      max_function_complexity: 1,
      mean_function_complexity: 1,
      commits_30d: 1,
      files_touched_30d: 8,
      large_commits_30d: 0,
      dependencies_direct: 2,
    });
    expect(report.measures.duplicated_lines).toBeGreaterThanOrEqual(11);
    const keys = [...Object.keys(report.measures), ...Object.keys(report.unmeasured ?? {})];
    expect(new Set(keys).size).toBe(keys.length);
    expect(keys).toHaveLength(23);
    expect(readContract(CodebaseReportSchema, JSON.parse(JSON.stringify(report)))).toMatchObject({
      ok: true,
      ignored: [],
    });
  });

  test("names the commit, the tools and the moment", async () => {
    const { report } = await measuredProject();
    expect(report.repository).toMatchObject({ ref: "main", committedAt: AT_EAST });
    expect(report.repository?.commit).toMatch(/^[0-9a-f]{40}$/);
    expect(report.generatedAt).toBe("2026-03-31T12:00:00.000Z");
    expect(report.tools).toEqual({
      line_counter: "codelines 1.2.0",
      unused: "codemodules 1.2.0",
      duplication: "jscpd 5.3.2 rules 1",
      complexity: "tree-sitter 0.27.1/0.3.1/0.24.1 rules 2",
      dependencies: "codepackages 1.1.0",
      history: "codehistory 1.0.0",
    });
  });

  test("is the same for the same commit, and keeps no temporary file", async () => {
    using folder = temporaryFolder();
    const root = makeRepository(join(folder.path, "repo"), [{ at: AT_EAST, files: PROJECT }]);
    mkdirSync(join(folder.path, "scratch"));
    const { report } = expectReport(await run(root, join(folder.path, "scratch")));
    expect(report).toEqual((await measuredProject()).report);
    expect(readdirSync(join(folder.path, "scratch"))).toEqual([]);
  });

  test("counts tests inside Rust files as tests, says so, and looks for no copies in them", async () => {
    const copies = Array.from(
      { length: 12 },
      (_, i) => `        check(${i}, thing(${i}), "value ${i}");`,
    ).join("\n");
    const file = (name: string) =>
      `fn ${name}() {}\n\n#[cfg(test)]\nmod tests {\n    #[test]\n    fn t() {\n${copies}\n    }\n}\n`;
    const { report } = await measureFiles({
      "src/a.rs": file("a"),
      "src/b.rs": file("b"),
      "src/c.rs": `fn c() {\n${copies}\n}\n`,
    });
    expect(report.measures).toMatchObject({
      files: 3,
      code_lines: 16,
      test_lines: 36,
      duplicate_blocks: 0,
      functions: 3,
    });
    expect(report.notes?.test_lines).toBe("36 of them in test modules inside code files");
  });

  test("counts a Rust module in a file of its own as tests where it is declared for tests", async () => {
    const { report } = await measureFiles({
      "src/lib.rs": "#[cfg(test)]\nmod helper;\nmod own;\n",
      "src/helper.rs": "fn a() {}\n",
      "src/helper/deep.rs": "fn b() {}\n",
      "src/own.rs": "#[cfg(test)]\nmod cases;\n",
      "src/own/cases.rs": "fn c() {}\n",
      "src/cases.rs": "fn d() {}\n",
    });
    expect(report.measures).toMatchObject({ files: 3, code_lines: 2, test_lines: 7, functions: 1 });
  });

  test("reads the commit, not the working tree", async () => {
    using folder = temporaryFolder();
    const root = makeRepository(join(folder.path, "repo"), [{ at: AT, files: { "a.py": "x = 1\n" } }]);
    writeFileSync(join(root, "a.py"), "x = 1\ny = 2\n");
    writeFileSync(join(root, "b.py"), "z = 3\n");
    expect(expectReport(await run(root, folder.path)).report.measures).toMatchObject({
      code_lines: 1,
      files: 1,
    });
  });

  test("a bare repository is measured like any other", async () => {
    using folder = temporaryFolder();
    const root = makeRepository(
      join(folder.path, "repo"),
      [{ at: AT, files: { "a.py": "x = 1\n" } }],
      "--bare",
    );
    expect(expectReport(await run(root, folder.path)).report.measures.code_lines).toBe(1);
  });

  test("paths limit everything that is read", async () => {
    const { report } = await measureFiles(PROJECT, { paths: ["src/used.js", "test"] });
    expect(report.paths).toEqual(["src/used.js", "test"]);
    expect(report.measures).toMatchObject({ files: 1, code_lines: 2, test_lines: 2, files_touched_30d: 2 });
    expect(report.unmeasured?.dependencies_direct).toBe("No package list was found.");
  });

  test("a repository without code measures 0 where 0 is true and nothing where it is not", async () => {
    const { report } = await measureFiles({ "README.md": "# p\n" });
    expect(report.measures).toMatchObject({ files: 0, code_lines: 0, languages: 0, test_lines: 0 });
    expect(report.unmeasured).toMatchObject({
      test_ratio: "There are no code lines.",
      duplication_percent: "There is no code to compare.",
      unused_files: "Only JavaScript, TypeScript and Python are covered.",
      functions: "No file is in a language that the complexity tool covers.",
    });
    expect(report.findings).toEqual({ largestFiles: [] });
  });

  test("a language without functions measures 0 functions and no average", async () => {
    const { report } = await measureFiles({ "a.py": "x = 1\n" });
    expect(report.measures).toMatchObject({ functions: 0, complex_functions: 0 });
    expect(report.unmeasured?.mean_function_complexity).toBe("No function was found.");
    expect(report.findings?.complexFunctions).toEqual([]);
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
    const words = result.ok
      ? "measured"
      : [`${result.fault}: ${result.reason}`, result.hint ?? []].flat().join(" ");
    said.push(`${what}: ${words.replaceAll(folder.path, "/folder")}`);
  }
  expect(said).toMatchSnapshot();
});

describe("a shallow checkout", () => {
  test("has no history measures and every other one", async () => {
    using folder = temporaryFolder();
    const commits = [AT, "2026-03-30T01:00:00Z"].map((at, i) => ({ at, files: { [`${i}.py`]: "x = 1\n" } }));
    const root = makeRepository(join(folder.path, "repo"), commits);
    git(folder.path, "clone", "-q", "--depth=1", `file://${root}`, "shallow");
    const { report } = expectReport(await run(join(folder.path, "shallow"), folder.path));
    expect(report.measures.files).toBe(2);
    expect(report.measures.commits_30d).toBeUndefined();
    expect(report.unmeasured?.commits_30d).toBe("The checkout is shallow.");
    expect(report.tools?.["history"]).toBeUndefined();
  });
});

describe("a failing tool leaves its measures unmeasured, never 0 (measure.md 3)", () => {
  test.each([
    [
      "that is missing, as the grammars are",
      { jscpd: undefined, grammars: undefined },
      "jscpd is not installed.",
    ],
    ["that cannot say its version", { jscpd: Bun.which("false") ?? "" }, "jscpd cannot be started."],
  ])("a jscpd %s", async (_, other, reason) => {
    const { report } = await measureFiles(PROJECT, { tools: { ...tools, ...other } });
    for (const key of ["duplication_percent", "duplicated_lines", "duplicate_blocks"] as const) {
      expect(report.measures[key]).toBeUndefined();
      expect(report.unmeasured?.[key]).toBe(reason);
    }
    expect(report.findings?.duplicates).toBeUndefined();
    expect(report.tools?.["duplication"]).toBeUndefined();
    expect(report.measures.code_lines).toBeGreaterThan(0);
    expect([report.measures.functions, report.findings?.complexFunctions === undefined]).toEqual(
      "grammars" in other ? [undefined, true] : [5, false],
    );
  });

  test("a broken grammar folder", async () => {
    const { report } = await measureFiles(PROJECT, { tools: { ...tools, grammars: ["/nowhere"] } });
    expect(report.unmeasured?.functions).toBe("The parser failed.");
    expect(report.measures.duplicate_blocks).toBe(1);
  });
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
    expect(report.measures.duplicate_blocks).toBe(plain.report.measures.duplicate_blocks ?? -1);
    expect(report.measures.duplicated_lines).toBe(plain.report.measures.duplicated_lines ?? -1);
    expect(report.measures.dependencies_direct).toBe(2);
  });

  test("a replaced object and a link in the working tree are not followed", async () => {
    using folder = temporaryFolder();
    const root = makeRepository(join(folder.path, "repo"), [
      { at: "2026-03-29T00:00:00Z", files: { "a.py": "x = 1\n" } },
      { at: AT, files: { "a.py": "x = 1\ny = 2\n" } },
    ]);
    git(root, "replace", git(root, "rev-parse", "HEAD").trim(), git(root, "rev-parse", "HEAD~1").trim());
    symlinkSync("/etc", join(root, "b"));
    expect(expectReport(await run(root, folder.path)).report.measures.code_lines).toBe(2);
  });
});

describe("a run can be ended", () => {
  test("an abort rejects and leaves no temporary file", async () => {
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
    expect(readdirSync(join(folder.path, "scratch"))).toEqual([]);
  });
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
  expect(account.hotspots.slice(0, 3)).toEqual([
    { path: "first.js", changes: 1, complexity: 41 },
    { path: "hard.js", changes: 1, complexity: 31 },
    { path: "often.js", changes: 2, complexity: 4 },
  ]);
  const alike = new Map([
    ["b.js", 1],
    ["a.js", 1],
  ]);
  expect(hotspotsOf(alike, alike).map(({ path }) => path)).toEqual(["a.js", "b.js"]);
});

test("files of languages that are not counted are named beside the languages", async () => {
  const { report } = await measureFiles({
    "a.py": "x = 1\n",
    "b.gleam": "x\n",
    "c.gleam": "x\n",
    "d.hx": "x\n",
    "e.json": "{}\n",
  });
  expect(report.notes?.languages).toBe("no line of these is counted: Gleam (2 files), Haxe (1 file)");
});
