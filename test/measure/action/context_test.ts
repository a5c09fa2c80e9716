import { describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { copyInto, ignoredBy, rulesOf } from "../../../.ci/image/context.ts";
import { temporaryFolder } from "../../support/folder.ts";

test("what .dockerignore leaves out: of the rules that fit a path or a folder above it, the last decides", () => {
  const isIgnored = ignoredBy("# all\n*\n!src\nsrc/**/*.log\n!.github/actions\n");
  const kept = ["src/a.ts", "src", ".github/actions/x/action.yml"];
  const left = ["data/key", "src/a/b.log", "src/b.log", ".github/workflows/x.yml", "srcs"];
  expect(kept.filter(isIgnored)).toStrictEqual([]);
  expect(left.filter((path) => !isIgnored(path))).toStrictEqual([]);
});

describe("COPY", () => {
  const make = (folder: string) => {
    const [context, root] = [join(folder, "context"), join(folder, "root")];
    for (const path of ["src/deep", "data"]) mkdirSync(join(context, path), { recursive: true });
    for (const path of ["a.txt", "b.txt", "src/one", "src/deep/two", "data/key"]) {
      writeFileSync(join(context, path), path);
    }
    writeFileSync(join(context, ".dockerignore"), "data\n");
    const copy = (to: string, ...sources: readonly string[]) =>
      copyInto(context, root, "/app", { sources, to }, rulesOf(context));
    return { root, copy };
  };

  test("takes a folder's contents, and a file by its name or to the name that is given", () => {
    using folder = temporaryFolder();
    const { root, copy } = make(folder.path);
    copy("lib", "src");
    copy("./", "a.txt", "b.txt");
    copy("/etc/c.txt", "a.txt");
    copy("all/", "*.txt");
    expect(readFileSync(join(root, "app/lib/deep/two"), "utf8")).toBe("src/deep/two");
    expect(readdirSync(join(root, "app")).sort()).toEqual(["a.txt", "all", "b.txt", "lib"]);
    expect(readdirSync(join(root, "app/all")).sort()).toEqual(["a.txt", "b.txt"]);
    expect(existsSync(join(root, "etc/c.txt"))).toBe(true);
  });

  test("fails where a source is not there, is left out, or several have no folder to go to", () => {
    using folder = temporaryFolder();
    const { copy } = make(folder.path);
    expect(() => copy("x", "gone")).toThrow("gone is not there");
    expect(() => copy("x", "data")).toThrow("data is not there, or .dockerignore leaves it out");
    expect(() => copy("x", "a.txt", "b.txt")).toThrow("a folder that ends with /");
  });
});
