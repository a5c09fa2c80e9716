import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { readContract } from "../../src/base/contract_parts.ts";
import { MAX_PATH_LENGTH, RepositoryPath } from "../../src/base/repository.ts";

function rulesOf(path: unknown): string[] {
  const result = readContract(RepositoryPath, path);
  return result.ok ? [] : result.errors.map(({ rule }) => rule);
}

describe("paths are repository-relative (spec, Findings)", () => {
  for (const path of [
    "a",
    "src/a.ts",
    ".github/x",
    "...",
    "a..b/c",
    "..a/b..",
    "src/...",
    "ä/日本/😀",
    "a b",
    "~/x",
    "a//b",
    "a/./b",
    "C",
    "x".repeat(512),
  ]) {
    test(`${JSON.stringify(path.slice(0, 20))} passes`, () => {
      expect(rulesOf(path)).toEqual([]);
    });
  }

  const refused: readonly (readonly [unknown, string])[] = [
    ["", "path-relative"],
    ["/etc/passwd", "path-relative"],
    ["//host/share", "path-relative"],
    ["C:/x", "path-relative"],
    ["c:x", "path-relative"],
    ["..", "path-segment"],
    ["../a", "path-segment"],
    ["a/../b", "path-segment"],
    ["a/..", "path-segment"],
    ["a\\b", "path-backslash"],
    ["a\u0000b", "control-character"],
    ["a\nb", "control-character"],
    ["a\u007f", "control-character"],
    ["a\u0085", "control-character"],
    ["x".repeat(513), "max-length"],
    ["😀".repeat(513), "max-length"],
    ["a\ud800", "well-formed"],
    [7, "type"],
    [null, "type"],
    [["a"], "type"],
  ];
  for (const [path, rule] of refused) {
    test(`${JSON.stringify(path).slice(0, 24)} breaks the rule ${rule}`, () => {
      expect(rulesOf(path)).toEqual([rule]);
    });
  }

  test(`${MAX_PATH_LENGTH} code points pass, also when they are surrogate pairs`, () => {
    expect(rulesOf("😀".repeat(512))).toEqual([]);
  });

  test("a path passes exactly when no rule of the specification is broken (property)", () => {
    const part = fc.oneof(
      fc.constantFrom("..", ".", "", "a", "...", "\\", "\t", "C:", "ü"),
      fc.string({ maxLength: 4 }),
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 5 }), (parts) => {
        const path = parts.join("/");
        const fits =
          path !== "" &&
          !path.startsWith("/") &&
          !/^[a-z]:/i.test(path) &&
          !path.split("/").includes("..") &&
          !path.includes("\\") &&
          !/\p{Cc}/u.test(path) &&
          path.isWellFormed() &&
          [...path].length <= 512;
        expect(rulesOf(path).length === 0).toBe(fits);
      }),
      { numRuns: 2_000 },
    );
  });
});
