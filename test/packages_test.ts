import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { dependencies } from "../package.json";
import { missingPackages, neededPackages, ROOT } from "../src/app/prepare.ts";

test("what is needed is what the dependencies lead to: the nearest of a name going up, and a peer that is not optional", () => {
  const needed = neededPackages({
    workspaces: { "": { dependencies: { a: "1", "@s/b": "1" } } },
    packages: {
      a: ["a@1.0.0", "", { dependencies: { c: "2", gone: "1" }, optionalDependencies: { "for-macs": "1" } }],
      "a/c": ["c@2.0.0", "", { dependencies: { d: "1", c: "1" } }],
      "@s/b": ["@s/b@1.0.0", "", { peerDependencies: { c: "1", e: "1" }, optionalPeers: ["e"] }],
      c: ["c@1.0.0", ""],
      d: ["d@1.0.0", "", { dependencies: { a: "1" } }],
      e: ["e@1.0.0", ""],
      "for-macs": ["for-macs@1.0.0", ""],
      tool: ["tool@1.0.0", ""],
    },
  });
  expect([...needed].sort()).toEqual([
    ["@s/b", "@s/b@1.0.0"],
    ["a", "a@1.0.0"],
    ["a/c", "c@2.0.0"],
    ["c", "c@1.0.0"],
    ["d", "d@1.0.0"],
  ]);
});

test("nothing is missing where the tests run, and every dependency of the product is asked for", () => {
  expect(missingPackages(ROOT)).toEqual([]);
  const lock = Bun.JSONC.parse(readFileSync(join(ROOT, "bun.lock"), "utf8")) as Parameters<
    typeof neededPackages
  >[0];
  expect([...neededPackages(lock).keys()]).toEqual(expect.arrayContaining(Object.keys(dependencies)));
});
