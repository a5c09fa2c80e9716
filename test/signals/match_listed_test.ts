import { describe, expect, test } from "bun:test";
import { listedAddress } from "../../src/signals/matched_site.ts";

describe("a site's listed address", () => {
  const listed = [
    "http://harbor.example/",
    "https://harbor.example/",
    "https://harbor.example/blog/",
    "https://www.orchard.example/",
  ];

  test.each([
    ["https://harbor.example", "https://harbor.example/"],
    ["http://harbor.example/", "http://harbor.example/"],
    ["https://www.harbor.example/blog", "https://harbor.example/blog/"],
    ["https://harbor.example/shop", "https://harbor.example/"],
    ["https://orchard.example", "https://www.orchard.example/"],
    ["https://quay.example", undefined],
  ])("of %s", (url, expected) => expect(listedAddress({ id: "x", url }, listed)).toBe(expected));

  test("is that of its id where it names no other, and none where neither is a host", () => {
    expect(listedAddress({ id: "harbor.example", url: null }, listed)).toBe("https://harbor.example/");
    expect(listedAddress({ id: "harbor", url: null }, listed)).toBeUndefined();
  });
});
