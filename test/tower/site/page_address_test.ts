import { expect, test } from "bun:test";
import fc from "fast-check";
import { countryName, ownHosts, plainAddress, shownAddress } from "../../../src/tower/site/key_cell.tsx";
import { recordEach } from "../../support/mixtures.ts";
import { texts } from "../../support/words.ts";

test("how an address is told where the site's own host is shop.example, recorded", () => {
  const addresses = texts(
    "https://shop.example/checkout?a=1|https://SHOP.example/Checkout|https://shop.example|https://shop.example?a=1",
    "https://other.example/checkout|https://shop.example.evil.example/|https://shop.example@evil.example/",
    "https://shop.example:8443/|/checkout|javascript:alert(1)|(not set)",
    "https://shop.example/caf%C3%A9-1?q=%E6%97%A5%E6%9C%AC|/%F0%9F%8D%93/%D0%B9",
    // What ASCII encodes is another address than the character is.
    "/a%2Fb%20c%25d%3Fe%0Af",
    // Cut within a character, no UTF-8, a sign that turns, one that is not seen, one that looks like a slash, a mark on a slash.
    "/caf%C3|/caf%E9|/a%E2%80%AEb|/a%E2%80%8Bb%C2%A0|/a%E2%88%95b|/%CC%81a",
    // The same signs as they are: they are encoded.
    "/a\u202Eb\u0007c|https://evil\u202E.example/caf%C3%A9",
  );
  recordEach(addresses, (address) => shownAddress(address, ["shop.example"]));
});

test("nothing of an address that is told is hidden or turned round, whatever came", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 60 }), (text) => {
      for (const address of [
        text,
        `https://shop.example/${text}`,
        `/${encodeURIComponent(text.toWellFormed())}`,
      ]) {
        for (const told of [shownAddress(address, ["shop.example"]), plainAddress(address)]) {
          expect(told).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
        }
      }
    }),
  );
});

test("a site's own hosts are those of its address and of its properties", () => {
  expect(
    ownHosts(["https://www.shop.example/", null, undefined, "sc-domain:Shop.example", "properties/1"]),
  ).toEqual(["www.shop.example", "shop.example"]);
});

test("countries by their codes, recorded", () => recordEach(texts("deu|GBR|xkx|zzz|qqq|"), countryName));
