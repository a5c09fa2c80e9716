/** `.tower-measure`: what a repository's own people dismissed is left out, counted and told. */

import { describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { Dismissals, readIgnoreList } from "../../src/measure/ignore.ts";
import { temporaryFolder } from "../support/folder.ts";
import { recordEach } from "../support/mixtures.ts";
import { makeRepository } from "./repository.ts";
import { expectReport, measureFiles, run } from "./run.ts";

const entry = (...lines: readonly string[]) => `[[ignore]]\n${lines.join("\n")}\n`;
const OLD = entry('kind = "path"', 'path = "old"', 'reason = "Kept for the archive only"');

function fault(text: string): string {
  const read = readIgnoreList(new TextEncoder().encode(text));
  return typeof read === "string" ? read : "good";
}

describe("a list of what to leave out", () => {
  test("files it names are in no figure, and are told with their number", async () => {
    await measureFiles({
      ".tower-measure": `${OLD}${entry('kind = "path"', 'path = "nowhere/**"', 'reason = "x"')}`,
      "old/a.py": "x = 1\n",
      "old/deep/package.json": '{"dependencies":{"a":"1"}}',
      "older/b.py": "y = 1\n",
    });
  });

  test("a file that only the list speaks of is used by nothing", async () => {
    await measureFiles({
      "package.json": '{"main":"a.js"}',
      "a.js": "start();\n",
      "spare.js": "start();\n",
      ".tower-measure": entry('kind = "path"', 'path = "old"', 'reason = "As old as spare.js"'),
    });
  });

  test("a repository without one says nothing about it", async () => {
    await measureFiles({ "a.py": "x = 1\n" });
  });

  test("the list of the commit counts, not the one of the working tree", async () => {
    using folder = temporaryFolder();
    const root = makeRepository(join(folder.path, "repo"), [
      { at: "2026-03-30T00:00:00Z", files: { ".tower-measure": OLD, "old/a.py": "x = 1\n" } },
    ]);
    writeFileSync(join(root, ".tower-measure"), "no list at all");
    expectReport(await run(root, folder.path));
  });

  test("a bad one ends the run with the entry, the field and the rule", async () => {
    using folder = temporaryFolder();
    const root = makeRepository(join(folder.path, "repo"), [
      { at: "2026-03-30T00:00:00Z", files: { ".tower-measure": `${OLD}${entry('kind = "file"')}` } },
    ]);
    expect(await run(root, folder.path)).toMatchSnapshot();
    const large = makeRepository(join(folder.path, "large"), [
      { at: "2026-03-30T00:00:00Z", files: { ".tower-measure": "#".repeat(64 * 1024 + 1) } },
    ]);
    expect(await run(large, folder.path)).toMatchObject({
      message: ".tower-measure: it is larger than 64 KiB.",
    });
  });

  test("every rule is said in one line without control characters, recorded", () => {
    const path = (value: string, ...more: string[]) => entry('kind = "path"', `path = "${value}"`, ...more);
    const reason = 'reason = "x"';
    const texts = [
      ...["", path("a"), path("a", 'reason = " "'), path("../a", reason), path("/a", reason)],
      ...[path("a", 'name = "f"', reason), `${OLD}\npaths = "b"\n`, "[[ignored]]\n", "ignore = 3\n"],
      ...[OLD.repeat(51), "ignore = [3]\n"],
    ];
    recordEach(texts, fault);
    for (const text of ["[[ignore]\n", `a = ${"[".repeat(60_000)}`, "a = 1\na = 2", '"\u001b[31m" = 1']) {
      expect(fault(text)).not.toBe("good");
      expect(fault(text)).toMatch(/^[\x20-\x7e]{1,160}$/);
    }
    expect(readIgnoreList(new Uint8Array([0x61, 0xff]))).toBe("it cannot be read as TOML");
  });
});

describe("an entry", () => {
  const dismissals = (path: string, kind: "path" | "unused-export" = "path", name?: string) =>
    new Dismissals([{ kind, path, reason: "x", ...(name === undefined ? {} : { name }) }]);
  const matches = (pattern: string, path: string) => dismissals(pattern).names("path", path);

  test("names a file, a folder with all below, or a pattern", () => {
    expect(matches("src/a.ts", "src/a.ts")).toBe(true);
    expect(matches("src/a", "src/a.ts")).toBe(false);
    expect(matches("src/", "src/deep/a.ts")).toBe(true);
    expect(matches("*.ts", "a.ts")).toBe(true);
    expect(matches("*.ts", "src/a.ts")).toBe(false);
    expect(matches("**/*.ts", "src/deep/.a.ts")).toBe(true);
    expect(matches("packages/*/old", "packages/x/old/a.ts")).toBe(true);
    expect(matches("app/[slug]/page.tsx", "app/[slug]/page.tsx")).toBe(true);
    expect(matches("app/[slug]/*.tsx", "app/[slug]/page.tsx")).toBe(true);
    expect(matches("app/[slug]/*.tsx", "app/s/page.tsx")).toBe(false);
    expect(matches("{a,b}*", "a")).toBe(false);
    expect(matches("!a*", "b")).toBe(false);
  });

  test("with a name takes that name alone, and only findings of its kind", () => {
    const list = dismissals("src", "unused-export", "spare");
    expect(list.dismisses("unused-export", "src/a.ts", "spare")).toBe(true);
    expect(list.dismisses("unused-export", "src/a.ts", "other")).toBe(false);
    expect(list.dismisses("unused-file", "src/a.ts")).toBe(false);
    expect(list.told()).toMatchObject([{ count: 1 }]);
  });

  test("counts a finding once, however often it is asked for it", () => {
    const list = dismissals("src", "unused-export");
    for (const name of ["a", "b", "a"]) expect(list.dismisses("unused-export", "src/x.ts", name)).toBe(true);
    expect(list.names("unused-export", "src/x.ts", "c")).toBe(true);
    expect(list.told()).toMatchObject([{ count: 2 }]);
  });
});

test("of three places of a copy, each entry that took part is told: without one of them the copy would be back", async () => {
  const body = Array.from({ length: 12 }, (_, i) => `  total += first[${i}] * second[${i}] - third(${i});`);
  const copies = Object.fromEntries(
    ["a", "b", "c"].map((name) => [`src/${name}.js`, `function ${name}() {\n${body.join("\n")}\n}\n`]),
  );
  const told = async (...paths: readonly string[]) => {
    const list = paths.map((path) => `[[ignore]]\nkind = "duplicate"\npath = "${path}"\nreason = "x"\n`);
    const { report } = await measureFiles({ ...copies, ".tower-measure": list.join("") });
    return [report.measures.duplicate_blocks, ...(report.dismissed ?? []).map(({ count }) => count)];
  };
  expect(await told("src/a.js")).toEqual([1, 1]);
  expect(await told("src/a.js", "src/b.js")).toEqual([0, 1, 1]);
  expect(await told("src")).toEqual([0, 1]);
});
