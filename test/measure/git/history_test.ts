import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { parseChanges, readHistory } from "../../../src/measure/git/history.ts";
import { makeStore, ObjectReader } from "../../../src/measure/git/objects.ts";
import { temporaryFolder } from "../../support/folder.ts";
import { type Commit, git, makeRepository } from "../repository.ts";
import { NOW } from "../run.ts";

async function historyOf(root: string, now: number) {
  using folder = temporaryFolder();
  const store = join(folder.path, "git");
  makeStore(store, join(root, ".git/objects"));
  const { signal } = new AbortController();
  const repository = { git: Bun.which("git") ?? "git", store, signal };
  await using objects = new ObjectReader(repository);
  return await readHistory(repository, objects, git(root, "rev-parse", "HEAD").trim(), [], now);
}

function numbered(count: number): Commit["files"] {
  return Object.fromEntries(Array.from({ length: count }, (_, i) => [`f${i}.py`, `x = ${i}\n`]));
}

describe("history over 30 days (measure.md 3.8)", () => {
  test("the window ends at the moment of the report and commits of 20 files are large", async () => {
    using folder = temporaryFolder();
    const root = makeRepository(join(folder.path, "repo"), [
      { at: "2026-02-01T00:00:00Z", files: { "old.py": "1" } },
      { at: "2026-03-02T00:00:00Z", files: numbered(20) },
      { at: "2026-02-01T00:00:00Z", files: { "skewed.py": "1" } },
      { at: "2026-03-05T00:00:00Z", files: { "f0.py": "2", "new.py": "1" } },
      { at: "2026-03-06T00:00:00Z", files: {} },
      { at: "2026-04-20T00:00:00Z", files: { "later.py": "1" } },
    ]);
    const history = (now: number) => historyOf(root, now);
    expect(await history(NOW)).toMatchObject({ commits: 3, filesTouched: 21, largeCommits: 1 });
    expect(await history(NOW + 90 * 86_400_000)).toMatchSnapshot();
  });

  test("merges do not count and a rename is one file", async () => {
    using folder = temporaryFolder();
    const text = Array.from({ length: 40 }, (_, i) => `line ${i}`).join("\n");
    const root = makeRepository(join(folder.path, "repo"), [
      { at: "2026-03-10T00:00:00Z", files: { "a.py": text } },
    ]);
    const commit = (...args: readonly string[]) =>
      git(root, "-c", "user.name=Ada", "-c", "user.email=ada@example.test", ...args);
    git(root, "reset", "-q", "--hard");
    git(root, "mv", "a.py", "b.py");
    commit("commit", "-q", "-m", "x", "--date=2026-03-11T00:00:00Z");
    git(root, "checkout", "-q", "-b", "side", "HEAD~1");
    commit("commit", "-q", "--allow-empty", "-m", "y");
    git(root, "checkout", "-q", "main");
    commit("merge", "-q", "--no-ff", "-m", "z", "side");
    const now = Number(git(root, "log", "-1", "--format=%ct").trim()) * 1000 + 1000;
    expect(await historyOf(root, now)).toMatchSnapshot();
  });

  test("a file changes once in a commit, and its name is text", () => {
    const id = "a".repeat(40);
    const name = Buffer.from("é.ts").toString("latin1");
    const { changes } = parseChanges(`\0${id}\0\n${name}\0b.ts\0b.ts\0\0${id}\0\n${name}\0`);
    expect([...changes]).toEqual([
      ["é.ts", 2],
      ["b.ts", 1],
    ]);
  });

  test("a path that looks like a commit, or starts with a newline, is a path", () => {
    const id = "a".repeat(40);
    expect(parseChanges(`\0${id}\0\n${id}\0\nx\0\0${id}\0`)).toMatchSnapshot();
    expect(parseChanges("")).toMatchObject({ commits: 0, filesTouched: 0, largeCommits: 0 });
  });
});
