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
  test("over a thousand properties and sites: suggestions first, every property on one page of one list, none twice", () => {
    const properties = Array.from({ length: 1_000 }, (_, place) =>
      seen({ property: `https://site-${place}.example/`, usable: place % 10 !== 0 }),
    );
    const sites = Array.from({ length: 1_000 }, (_, place) => site(`site-${place * 2}.example`));
    const attachments = properties.slice(1, 5).map((of, place) => attached(`a-${place}`, of));
    const rows = propertyRows({ properties, attachments, sites });
    expect(rows.filter(({ seen, suggested }) => suggested !== undefined && !seen.usable)).toStrictEqual([]);
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
    const named = propertyRows({
      properties: ["b", "A", "C"].map((property) => seen({ property })),
      attachments,
      sites,
    });
    expect(attachView(named, usual).rows.map(({ seen: { name } }) => name)).toEqual(["A", "b", "C"]);
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
            { credential, provider, property, site: typed.toWellFormed().trim() },
          ]);
        },
      ),
    );
  });
});
