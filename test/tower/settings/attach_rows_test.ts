import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { PROVIDERS } from "../../../src/providers/adapter.ts";
import type { Attachment, SeenProperty } from "../../../src/providers/credentials.ts";
import {
  attachAddress,
  attachView,
  PAGE_SIZE,
  propertyRows,
  rowValue,
  tickedRows,
} from "../../../src/tower/settings/attach_rows.ts";

const seen = (changes: Partial<SeenProperty> & Pick<SeenProperty, "property">): SeenProperty => ({
  credential: "c-1",
  provider: "search-console",
  name: changes.property,
  timeZone: null,
  usable: true,
  seenAt: 0,
  ...changes,
});
const site = (id: string, lifecycle = "live") => ({ id, url: null, lifecycle });
const attached = (asset: string, of: SeenProperty): Attachment => ({
  asset,
  provider: of.provider,
  credential: of.credential,
  connectionRevision: "r",
  property: of.property,
});
const usual = attachAddress.usual;

describe("the screen of attachments", () => {
  test("suggests the site of a property's address, unless it has one of the provider or is retired, or another site has the property", () => {
    const properties = ["sc-domain:shop.example", "sc-domain:old.example", "sc-domain:taken.example"].map(
      (property) => seen({ property }),
    );
    const moved = seen({ property: "sc-domain:moved.example" });
    const other = seen({ property: "https://taken.example/" });
    const rows = propertyRows({
      properties: [...properties, other, moved],
      attachments: [attached("taken.example", other), attached("new.example", moved)],
      sites: ["shop.example", "taken.example", "moved.example"]
        .map((id) => site(id))
        .concat(site("old.example", "retired")),
    });
    expect(rows.map(({ seen: { property }, suggested, sites }) => [property, suggested, ...sites])).toEqual([
      ["sc-domain:shop.example", "shop.example"],
      ["sc-domain:old.example", undefined],
      ["sc-domain:taken.example", undefined],
      ["https://taken.example/", undefined, "taken.example"],
      ["sc-domain:moved.example", undefined, "new.example"],
    ]);
  });

  test("what is attached though no account lists it is counted and shown as attached", () => {
    const byHand = seen({ property: "sc-domain:shop.example" });
    const other = seen({ property: "300000001", provider: "analytics" });
    const rows = propertyRows({
      properties: [],
      attachments: [attached("shop.example", byHand), attached("shop.example", other)],
      sites: [site("shop.example"), site("other.example")],
    });
    expect(attachView(rows, usual).counts).toEqual({ open: 0, attached: 2, unusable: 0, suggested: 0 });
    const shown = attachView(rows, { ...usual, show: "attached" }).rows;
    expect(shown.map(({ seen: { property }, sites }) => [property, ...sites])).toEqual([
      ["300000001", "shop.example"],
      ["sc-domain:shop.example", "shop.example"],
    ]);
  });

  test("what is attached stands by site, all properties of one together", () => {
    const properties = ["300000002", "300000001", "sc-domain:b.example"].map((property) =>
      seen({ property, provider: property.startsWith("3") ? "analytics" : "search-console" }),
    );
    const rows = propertyRows({
      properties,
      attachments: properties.map((of, place) =>
        attached(["a.example", "b.example"][Number(place > 0)] ?? "", of),
      ),
      sites: [site("a.example"), site("b.example")],
    });
    const shown = attachView(rows, { ...usual, show: "attached" }).rows;
    expect(shown.map(({ seen: { property }, sites }) => [...sites, property].join(" "))).toEqual([
      "a.example 300000002",
      "b.example 300000001",
      "b.example sc-domain:b.example",
    ]);
  });

  test("a property that two credentials list stands once, as the one lists it that it is attached over", () => {
    const [one, other] = ["c-1", "c-2"].map((credential) =>
      seen({ credential, property: "sc-domain:shop.example" }),
    );
    if (one === undefined || other === undefined) throw new Error("two are made");
    const rows = propertyRows({
      properties: [one, other],
      attachments: [attached("shop.example", other)],
      sites: [site("shop.example")],
    });
    expect(rows.map(({ seen: { credential } }) => credential)).toEqual(["c-2"]);
    const unusable = propertyRows({
      properties: [{ ...one, usable: false }, other],
      attachments: [],
      sites: [],
    });
    expect(unusable.map(({ seen: { credential } }) => credential)).toEqual(["c-2"]);
  });

  test("over a thousand properties and sites: suggestions first, every property on one page of one list, none twice", () => {
    const properties = Array.from({ length: 1_000 }, (_, place) =>
      seen({ property: `https://site-${place}.example/`, usable: place % 10 !== 0 }),
    );
    const sites = Array.from({ length: 1_000 }, (_, place) => site(`site-${place * 2}.example`));
    const attachments = properties.slice(1, 5).map((of, place) => attached(`a-${place}`, of));
    const rows = propertyRows({ properties, attachments, sites });
    const shown: string[] = [];
    for (const show of [null, "attached", "unusable"] as const) {
      const pages = attachView(rows, { ...usual, show }).paging.pages;
      const order: boolean[] = [];
      for (let page = 1; page <= pages; page++) {
        const view = attachView(rows, { ...usual, show, page });
        expect(view.rows.length).toBeLessThanOrEqual(PAGE_SIZE);
        shown.push(...view.rows.map(({ seen: { property } }) => property));
        order.push(...view.rows.map(({ suggested }) => suggested !== undefined));
      }
      expect(order).toEqual(order.toSorted((one, other) => Number(other) - Number(one)));
    }
    expect(shown.toSorted()).toEqual(properties.map(({ property }) => property).toSorted());
    expect(attachView(rows, { ...usual, q: "SITE-77.ex" }).rows).toHaveLength(1);
  });

  test("a row goes through its form and back, whatever a provider calls its properties", () => {
    fc.assert(
      fc.property(
        fc.uuid(),
        fc.constantFrom(...PROVIDERS),
        fc.string({ minLength: 1 }),
        fc.string(),
        (credential, provider, property, typed) => {
          const form = new URLSearchParams([
            ["pick", "7"],
            ["row-7", rowValue({ credential, provider, property })],
            ["site-7", typed],
            ["row-8", rowValue({ credential, provider, property })],
          ]);
          expect(tickedRows(new URLSearchParams(form.toString()))).toEqual([
            { place: "7", credential, provider, property, site: typed.toWellFormed().trim() },
          ]);
        },
      ),
    );
  });

  test("what is no row of ours is left out", () => {
    const form = new URLSearchParams([
      ["pick", "1"],
      ["pick", "2"],
      ["row-2", "c-1 serp x"],
      ["pick", "3"],
      ["row-3", "c-1 analytics"],
    ]);
    expect(tickedRows(form)).toEqual([]);
  });
});
