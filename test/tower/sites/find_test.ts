import { expect, test } from "bun:test";
import { siteMeant } from "../../../src/tower/sites/portfolio.ts";
import { world } from "../../support/world.ts";

const SITES = [
  { asset: "shop", url: "https://shop.example/" },
  { asset: "shop-two", url: "https://two.example/" },
  { asset: "Orchard", url: null },
];

test("Find opens the site that is meant: a part of one name or address, or exactly the identifier of one", () => {
  const typed = ["orch", "ORCHARD", "two.example", "Shop", "sho", "nothing", ""];
  const meant = ["Orchard", "Orchard", "shop-two", "shop", undefined, undefined, undefined];
  expect(typed.map((text) => siteMeant(SITES, text))).toEqual(meant);
});

test("from any page: one match is opened, several are listed, none says so", async () => {
  const site = await world();
  const leadsTo = async (text: string) =>
    (await site.ask(`/?find=${encodeURIComponent(text)}`)).headers.get("location");
  const led = await Promise.all(["HARB", " orchard ", "r", "nowhere"].map(leadsTo));
  expect(led).toEqual(["/sites/harbor", "/sites/orchard", "/?q=r", "/?q=nowhere"]);
  await site.close();
});
