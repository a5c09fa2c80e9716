import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { readContract } from "../../src/base/contract.ts";
import {
  commitAddress,
  MAX_PATH_LENGTH,
  RepositoryPath,
  repositoryAddress,
  withoutUser,
} from "../../src/base/repository.ts";

const COMMIT = "3f786850e387550fdab836ed7e6dc881de23001b";

describe("the address of a repository", () => {
  test.each([
    ["https://github.com/acme/shop.git", "https://github.com/acme/shop"],
    ["https://github.com/acme/shop/", "https://github.com/acme/shop"],
    ["http://git.example:8080/acme/shop", "http://git.example:8080/acme/shop"],
    ["git@github.com:acme/shop.git", "https://github.com/acme/shop"],
    ["ssh://git@gitlab.example:22/group/sub/shop.git", "https://gitlab.example/group/sub/shop"],
  ])("%p is %p", (remote, address) => {
    expect(repositoryAddress(remote)).toBe(address);
  });

  test.each([
    "javascript:alert(1)//a/b",
    "data:text/html,a/b",
    "https://user:secret@github.com/acme/shop",
    "https://token@github.com/acme/shop",
    "https://github.com/acme",
    "https://github.com/acme/shop?x=1",
    "https://github.com/acme/shop#x",
    "git@host:acme/shop",
    "git@10.0.0.1:acme/shop",
    "ssh://git@github.com:2222/acme/shop",
    "ssh://deploy@github.com/acme/shop",
    "git://github.com/acme/shop",
    "file:///srv/git/shop",
    "/srv/git/shop",
    "../shop",
    "",
  ])("%p stays text", (remote) => {
    expect(repositoryAddress(remote)).toBeUndefined();
  });

  test("whatever the remote, a link is a web address of the host that it names, without a user, a query or a way up", () => {
    const host = fc.oneof(fc.domain(), fc.string(), fc.constantFrom("github.com", "localhost", "[::1]"));
    const path = fc.oneof(fc.webPath(), fc.string(), fc.constant("/acme/shop"), fc.constant("a/../../b/c"));
    const remote = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.webUrl({ withQueryParameters: true, withFragments: true }),
      fc
        .tuple(
          fc.constantFrom("git@", "ssh://git@", "https://", "https://a:b@", "javascript:"),
          host,
          fc.constantFrom(":", "/", ""),
          path,
        )
        .map((parts) => parts.join("")),
    );
    fc.assert(
      fc.property(remote, (text) => {
        const address = commitAddress(text, COMMIT) ?? repositoryAddress(text);
        if (address === undefined) return;
        const url = new URL(address);
        expect(url.href).toBe(address);
        expect(url.protocol).toMatch(/^https?:$/);
        expect([url.username, url.password, url.search, url.hash]).toEqual(["", "", "", ""]);
        expect(text.toLowerCase()).toContain(url.hostname);
        expect(url.pathname).not.toContain("..");
      }),
      { numRuns: 2_000 },
    );
  });
});

test.each([
  ["https://ci:hunter2@git.example/acme/shop.git", "https://git.example/acme/shop.git"],
  ["https://ghp_token@github.com/acme/shop", "https://github.com/acme/shop"],
  ["ssh://deploy:p@ss@git.example/acme/shop", "ssh://git.example/acme/shop"],
  ["ssh://git@github.com/acme/shop", "ssh://git@github.com/acme/shop"],
  ["git@github.com:acme/shop.git", "git@github.com:acme/shop.git"],
  ["https://github.com/acme/a@b", "https://github.com/acme/a@b"],
])("%p is shown without a password or a token: %p", (remote, shown) => {
  expect(withoutUser(remote)).toBe(shown);
});

describe("the address of a commit", () => {
  test.each([
    ["git@github.com:acme/shop.git", `https://github.com/acme/shop/commit/${COMMIT}`],
    ["https://gitlab.com/acme/shop", `https://gitlab.com/acme/shop/-/commit/${COMMIT}`],
    ["https://bitbucket.org/acme/shop", `https://bitbucket.org/acme/shop/commits/${COMMIT}`],
    ["https://forgejo.example/acme/shop", `https://forgejo.example/acme/shop/commit/${COMMIT}`],
    ["https://git.example/acme/shop", undefined],
  ])("in %p is %p", (remote, address) => {
    expect(commitAddress(remote, COMMIT)).toBe(address);
  });

  test("is none for what is no whole commit", () => {
    for (const commit of ["3f78685", `${COMMIT}/../x`, "main", ""]) {
      expect(commitAddress("https://github.com/acme/shop", commit)).toBeUndefined();
    }
  });
});

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
