import { describe, expect, test } from "bun:test";
import { suggestAttachments } from "../../src/providers/properties.ts";

const SITES = [
  { id: "shop", url: "https://www.shop.example" },
  { id: "blog.example", url: null },
  { id: "harbor", url: "https://harbor.example/" },
  { id: "harbor-old", url: "http://harbor.example" },
];

const suggested = (property: string, name: string) =>
  suggestAttachments([{ property, name }], SITES).get(property);

describe("which site a property is most likely of", () => {
  test("its address is the site's, as a domain property, a prefix, or another writing of the host", () => {
    expect(suggested("sc-domain:shop.example", "")).toBe("shop");
    expect(suggested("http://shop.example/", "")).toBe("shop");
  });

  test("its name holds the site's address", () => {
    expect(suggested("123", "Shop (www.shop.example)")).toBe("shop");
    expect(suggested("123", "shop.example - GA4")).toBe("shop");
    expect(suggested("123", "https://shop.example/")).toBe("shop");
  });

  test("its name is the site's id, however it is written; an id that is a host counts as its address", () => {
    expect(suggested("123", "SHOP")).toBe("shop");
    expect(suggested("123", "blog.example")).toBe("blog.example");
    expect(suggested("123", "Harbor Old")).toBe("harbor-old");
  });

  test("nothing is suggested where two sites are equally likely, or none is", () => {
    expect(suggested("sc-domain:harbor.example", "")).toBeUndefined();
    expect(suggested("123", "Another site")).toBeUndefined();
    expect(suggested("123", "")).toBeUndefined();
    expect(suggested("sc-domain:deep.shop.example", "")).toBeUndefined();
  });

  test("properties are looked at one by one: one without a site takes no other's", () => {
    const all = suggestAttachments(
      [
        { property: "1", name: "shop" },
        { property: "2", name: "nothing" },
        { property: "3", name: "blog.example" },
      ],
      SITES,
    );
    expect([...all]).toEqual([
      ["1", "shop"],
      ["3", "blog.example"],
    ]);
  });
});
