import { expect, test } from "bun:test";
import { suggestAttachments } from "../../src/providers/properties.ts";
import { recordEach } from "../support/mixtures.ts";

const SITES = [
  { id: "shop", url: "https://www.shop.example" },
  { id: "blog.example", url: null },
  { id: "harbor", url: "https://harbor.example/" },
  { id: "harbor-old", url: "http://harbor.example" },
];

test("which site a property is most likely of, by its address, its name or a site's id; recorded", () => {
  const properties = [
    ...[
      ["sc-domain:shop.example", ""],
      ["http://shop.example/", ""],
      ["123", "Shop (www.shop.example)"],
    ],
    ...[
      ["123", "shop.example - GA4"],
      ["123", "https://shop.example/"],
      ["123", "SHOP"],
      ["123", "Harbor Old"],
    ],
    ...[
      ["123", "blog.example"],
      ["sc-domain:harbor.example", ""],
      ["123", "Another site"],
      ["123", ""],
    ],
    ["sc-domain:deep.shop.example", ""],
  ] as const;
  recordEach(properties, ([property = "", name = ""]) =>
    suggestAttachments([{ property, name }], SITES).get(property),
  );
});

test("properties are looked at one by one: one without a site takes no other's", () => {
  const names = ["shop", "nothing", "blog.example"];
  const all = suggestAttachments(
    names.map((name, place) => ({ property: String(place), name })),
    SITES,
  );
  expect([...all]).toEqual([
    ["0", "shop"],
    ["2", "blog.example"],
  ]);
});
