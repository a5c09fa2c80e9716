import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { commitAddress, repositoryAddress } from "../../src/base/repository.ts";

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
