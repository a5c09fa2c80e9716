import { expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";

const SOURCE = join(import.meta.dir, "../../../src");

/** Files that make markup, each with its reason. A new one is a decision. */
const ALLOWED: Readonly<Record<string, string>> = {
  "tower/jsx/jsx-runtime.ts": "makes elements from escaped parts",
};

test("markup is made from escaped parts alone: no other file uses the brand behind it", () => {
  const found = readdirSync(SOURCE, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => /\bnew Safe\(/.test(readFileSync(path, "utf8")))
    .map((path) => relative(SOURCE, path));
  expect(found.sort()).toEqual(Object.keys(ALLOWED).sort());
});
