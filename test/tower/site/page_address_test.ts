import { expect, test } from "bun:test";
import fc from "fast-check";
import { countryName, ownHosts, plainAddress, shownAddress } from "../../../src/tower/site/key_cell.tsx";

test.each([
  ["https://shop.example/checkout?a=1", "/checkout?a=1"],
  ["https://SHOP.example/Checkout", "/Checkout"],
  ["https://shop.example", "/"],
  ["https://shop.example?a=1", "/?a=1"],
  ["https://other.example/checkout", "other.example/checkout"],
  ["https://shop.example.evil.example/", "shop.example.evil.example/"],
  ["https://shop.example@evil.example/", "shop.example@evil.example/"],
  ["https://shop.example:8443/", "shop.example:8443/"],
  ["/checkout", "/checkout"],
  ["javascript:alert(1)", "javascript:alert(1)"],
  ["(not set)", "(not set)"],
  ["https://shop.example/caf%C3%A9-1?q=%E6%97%A5%E6%9C%AC", "/café-1?q=日本"],
  ["/%F0%9F%8D%93/%D0%B9", "/🍓/й"],
  // What ASCII encodes is another address than the character is.
  ["/a%2Fb%20c%25d%3Fe%0Af", "/a%2Fb%20c%25d%3Fe%0Af"],
  // Cut within a character, no UTF-8, a sign that turns, one that is not seen, one that looks like a slash, a mark on a slash.
  ["/caf%C3", "/caf%C3"],
  ["/caf%E9", "/caf%E9"],
  ["/a%E2%80%AEb", "/a%E2%80%AEb"],
  ["/a%E2%80%8Bb%C2%A0", "/a%E2%80%8Bb%C2%A0"],
  ["/a%E2%88%95b", "/a%E2%88%95b"],
  ["/%CC%81a", "/%CC%81a"],
  // The same signs as they are: they are encoded.
  ["/a\u202Eb\u0007c", "/a%E2%80%AEb%07c"],
  ["https://evil\u202E.example/caf%C3%A9", "evil%E2%80%AE.example/café"],
])("%s is told as %s where the site's own host is shop.example", (address, told) => {
  expect(shownAddress(address, ["shop.example"])).toBe(told);
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

test.each([
  ["deu", "Germany"],
  ["GBR", "United Kingdom"],
  ["xkx", "Kosovo"],
  ["zzz", "Not known"],
  ["qqq", undefined],
  ["", undefined],
])("the country %s is %s", (code, name) => {
  expect(countryName(code)).toBe(name);
});
