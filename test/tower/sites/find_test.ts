import { describe, expect, test } from "bun:test";
import { siteMeant } from "../../../src/tower/sites/portfolio.ts";
import { parsed, textOf } from "../../support/html.ts";
import { world } from "../../support/world.ts";

const SITES = [
  { asset: "shop", url: "https://shop.example/" },
  { asset: "shop-two", url: "https://two.example/" },
  { asset: "Orchard", url: null },
];

describe("Find opens the site that is meant", () => {
  for (const [text, site] of [
    ["orch", "Orchard"],
    ["ORCHARD", "Orchard"],
    ["two.example", "shop-two"],
    // Exactly the identifier of one, though others hold it too.
    ["Shop", "shop"],
    ["sho", undefined],
    ["nothing", undefined],
    ["", undefined],
  ] as const) {
    test(`${JSON.stringify(text)}: ${site ?? "none"}`, () => {
      expect(siteMeant(SITES, text)).toBe(site);
    });
  }
});

test("from any page: one match is opened, several are listed, none says so", async () => {
  const site = await world();
  const leadsTo = async (text: string) =>
    (await site.ask(`/?find=${encodeURIComponent(text)}`)).headers.get("location");
  expect(await leadsTo("HARB")).toBe("/sites/harbor");
  expect(await leadsTo(" orchard ")).toBe("/sites/orchard");
  expect(await leadsTo("r")).toBe("/?q=r");
  expect(await leadsTo("nowhere")).toBe("/?q=nowhere");
  const none = await site.ask("/?q=nowhere");
  const words = textOf(parsed(await none.text()));
  expect(words).toContain("No site matches");
  expect(words).toContain("No identifier or address holds nowhere.");
  await site.close();
});
