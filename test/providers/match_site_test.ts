import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { hostKey } from "../../src/providers/properties.ts";
import { recordEach } from "../support/mixtures.ts";
import { texts } from "../support/words.ts";

describe("one site's addresses have one key", () => {
  test("by its host alone, without www where it has two labels more; recorded", () => {
    const addresses = texts(
      "https://example.com/|http://example.com|https://www.example.com/shop?x=1#top|HTTPS://WWW.Example.COM:8443/|example.com",
      "www.example.com/|example.com:8080|https://example.com./|sc-domain:example.com|SC-Domain:Example.com",
      "https://user:word@example.com/|https://bücher.example/|https://XN--BCHER-KVA.example/|  https://example.com/  ",
      "https://shop.example.com/|https://www2.example.com/|http://127.0.0.1:4700/|http://[::1]:80/|http://localhost:3000",
      // A name of one label is no site's `www.`.
      "http://www.com/",
    );
    recordEach(addresses, hostKey);
  });

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
