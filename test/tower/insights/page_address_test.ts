import { expect, test } from "bun:test";
import fc from "fast-check";
import { countryName } from "../../../src/tower/insights/country.ts";
import { cutInMiddle, ownHosts, shownAddress } from "../../../src/tower/insights/page_address.ts";

test("a text that is cut is whole in its three parts, and what is seen of it is no longer than the bound", () => {
  fc.assert(
    fc.property(
      fc.string({ unit: "grapheme", maxLength: 300 }),
      fc.integer({ min: 3, max: 80 }),
      (text, longest) => {
        const { head, middle, tail } = cutInMiddle(text, longest);
        expect(head + middle + tail).toBe(text);
        expect([...head].length + (middle === "" ? 0 : 1) + [...tail].length).toBeLessThanOrEqual(longest);
        if ([...text].length <= longest) expect(middle).toBe("");
      },
    ),
  );
});

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
])("%s is told as %s where the site's own host is shop.example", (address, told) => {
  expect(shownAddress(address, ["shop.example"])).toBe(told);
});

test("a site's own hosts are those of its address and of its properties", () => {
  expect(
    ownHosts(["https://www.shop.example/", null, undefined, "sc-domain:shop.example", "properties/1"]),
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
