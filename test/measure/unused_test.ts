import { describe, expect, test } from "bun:test";
import { searchMentions } from "../../src/measure/mentions.ts";
import { measureFiles } from "./run.ts";

describe("the mention filter", () => {
  /** Whether `candidate` is still unused when another file holds `text`. */
  function unused(
    candidate: string,
    text: string,
    all: readonly string[] = [candidate, "other.txt"],
    from = "other.txt",
  ) {
    const search = searchMentions([candidate], all);
    search.read(from, text);
    return search.unmentioned().length === 1;
  }

  test("a file that names itself stays unused", () => {
    expect(unused("src/a/job.js", "job.js src/a/job", undefined, "src/a/job.js")).toBe(true);
    expect(unused("src/a/job.js", "jobs and jobs.js")).toBe(true);
  });

  test.each([
    ["its base name when that is unique", "see job.js."],
    ["parent and stem", "import('a/job')"],
    ["a dotted module", "x.a.job.run()"],
    ["any path that ends in the stem", "load ./b/job now"],
    ["a template", `hc.\${kind}.job`],
    ["a path template", `\${dir}/job`],
    ["a glob", "**/job.js"],
  ])("%s", (_, text) => {
    expect(unused("src/a/job.js", text)).toBe(false);
  });

  test("a base name that several files share is no mention by itself", () => {
    expect(unused("src/a/job.js", "see job.js", ["src/a/job.js", "src/b/job.js"])).toBe(true);
  });

  test("three findings of one name are loaded by convention", () => {
    const candidates = ["a/transport.py", "b/transport.py", "c/transport.py"];
    expect(searchMentions(candidates, candidates).unmentioned()).toEqual([]);
    expect(searchMentions(candidates.slice(1), candidates).unmentioned()).toHaveLength(2);
  });

  test("three findings in a folder that somebody names are loaded by folder; a path through it names something else", () => {
    const candidates = ["db/migrations/1.js", "db/migrations/2.js", "db/migrations/3.js"];
    const named = searchMentions(candidates, candidates);
    named.read("knex.js", 'directory: "./db/migrations"');
    expect(named.unmentioned()).toEqual([]);
    const globbed = searchMentions(candidates, candidates);
    globbed.read("knex.js", "db/migrations/*.js");
    expect(globbed.unmentioned()).toEqual([]);
    const passed = searchMentions(candidates, candidates);
    passed.read("knex.js", "db/migrations/lib/x.css");
    expect(passed.unmentioned()).toHaveLength(3);
    const inside = searchMentions(candidates, candidates);
    inside.read("db/migrations/1.js", "./db/migrations");
    expect(inside.unmentioned()).toHaveLength(3);
  });
});

test("a planted orphan is found, an orphan that a text names is not", async () => {
  const files = {
    "package.json": JSON.stringify({ name: "p", main: "src/index.js" }),
    "src/index.js": 'import "./used.js";\n',
    "src/used.js": "export const spare = 1;\n",
    "src/forgotten.js": "export function f() {}\n",
    "src/scheduled.js": "export function g() {}\n",
    crontab: "0 4 * * * node src/scheduled.js\n",
  };
  const { report: measured } = await measureFiles(files);
  expect(measured.measures.unused_files).toBe(1);
  expect(measured.findings?.unused?.[0]).toEqual({ kind: "file", path: "src/forgotten.js" });
});
