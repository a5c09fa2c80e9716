import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { hostKey } from "../../src/providers/properties.ts";

describe("one site's addresses have one key", () => {
  for (const [address, key] of [
    ["https://example.com/", "example.com"],
    ["http://example.com", "example.com"],
    ["https://www.example.com/shop?x=1#top", "example.com"],
    ["HTTPS://WWW.Example.COM:8443/", "example.com"],
    ["example.com", "example.com"],
    ["www.example.com/", "example.com"],
    ["example.com:8080", "example.com"],
    ["https://example.com./", "example.com"],
    ["sc-domain:example.com", "example.com"],
    ["SC-Domain:Example.com", "example.com"],
    ["https://user:word@example.com/", "example.com"],
    ["https://bücher.example/", "xn--bcher-kva.example"],
    ["https://XN--BCHER-KVA.example/", "xn--bcher-kva.example"],
    ["  https://example.com/  ", "example.com"],
    ["https://shop.example.com/", "shop.example.com"],
    ["https://www2.example.com/", "www2.example.com"],
    ["http://127.0.0.1:4700/", "127.0.0.1"],
    ["http://[::1]:80/", "[::1]"],
    ["http://localhost:3000", "localhost"],
    // A name of one label is no site's `www.`.
    ["http://www.com/", "www.com"],
  ] as const) {
    test(`${address} → ${key}`, () => expect(hostKey(address)).toBe(key));
  }

  test("what names no host has no key", () => {
    for (const text of ["", "  ", "not a host", "https://", "sc-domain:", "a b.example"]) {
      expect(hostKey(text)).toBeUndefined();
    }
  });

  test("scheme, www, case, port and path make no difference, and another host always does", () => {
    const label = fc.stringMatching(/^[a-v][a-z0-9]{0,8}$/);
    fc.assert(
      fc.property(
        label,
        label,
        fc.constantFrom("http://", "https://", ""),
        fc.constantFrom("", "www."),
        fc.constantFrom("", ":8443", "/", "/a/b?c#d"),
        fc.boolean(),
        (a, b, scheme, www, rest, upper) => {
          const written = `${scheme}${www}${a}.example${rest}`;
          const key = hostKey(upper ? written.toUpperCase() : written);
          expect(key).toBe(`${a}.example`);
          if (a !== b) expect(key).not.toBe(hostKey(`https://${b}.example/`));
        },
      ),
    );
  });
});
