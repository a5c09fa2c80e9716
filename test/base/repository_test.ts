import { expect, test } from "bun:test";
import fc from "fast-check";
import { commitAddress, repositoryAddress } from "../../src/base/repository.ts";

const COMMIT = "3f786850e387550fdab836ed7e6dc881de23001b";

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

test("what is no whole commit has no address", () => {
  for (const commit of ["3f78685", `${COMMIT}/../x`, "main", ""]) {
    expect(commitAddress("https://github.com/acme/shop", commit)).toBeUndefined();
  }
});
