/** Keys of what is monitored: report families, and ids that say nothing by themselves. */

import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { type Family, familyKey, familyOf, opaqueId } from "../../src/health/health.ts";
import { recordEach } from "../support/mixtures.ts";

const FAMILY: Family = { report: "page-query", date: "2026-11-18", query: "", device: "" };

describe("the family of an archive report", () => {
  test("is a canonical JSON tuple of report name, report date, query and device, with empty slots empty", () => {
    expect(familyKey(FAMILY)).toBe('["page-query","2026-11-18","",""]');
    const { device, query, date, report } = FAMILY;
    expect(familyKey({ device, query, date, report })).toBe(familyKey(FAMILY));
  });

  test("is read back as it was written, whatever is asked for", () => {
    fc.assert(
      fc.property(
        fc.record({
          report: fc.stringMatching(/^[a-z0-9][a-z0-9_-]{0,20}$/),
          date: fc.date({ min: new Date("2000-01-01"), max: new Date("2099-12-31"), noInvalidDate: true }),
          query: fc.string({ unit: "grapheme", maxLength: 40 }),
          device: fc.constantFrom("", "mobile", "desktop", "tablet"),
        }),
        ({ date, ...rest }) => {
          const family = { ...rest, date: date.toISOString().slice(0, 10) };
          expect(familyOf(familyKey(family))).toEqual(family);
        },
      ),
    );
  });

  test("two families have two keys, also where a query holds what stands between parts", () => {
    const tricky = ["", '"', '","', "\\", "\u0000", "é", "e\u0301"];
    const keys = tricky.flatMap((query) =>
      ["", "mobile"].map((device) => familyKey({ ...FAMILY, query, device })),
    );
    expect(new Set(keys).size).toBe(keys.length);
  });

  test("what is no family gets no key, and the part is named", () => {
    const bad: readonly Partial<Family>[] = [
      ...["", "Page Query"].map((report) => ({ report })),
      ...["", "2026-02-30", "20261118"].map((date) => ({ date })),
      ...["x".repeat(513), "\ud800"].map((query) => ({ query })),
      { device: "any device" },
    ];
    recordEach(bad, (changed) => familyKey({ ...FAMILY, ...changed }));
  });

  test("a text that is no key is none: another shape, another order, another spelling", () => {
    const texts = [
      "",
      "page-query",
      "{}",
      '["page-query","2026-11-18",""]',
      '["page-query","2026-11-18","","",""]',
      '["page-query","2026-11-18",null,null]',
      '["page-query", "2026-11-18", "", ""]',
      '["page\\u002dquery","2026-11-18","",""]',
      '{"report":"page-query","date":"2026-11-18","query":"","device":""}',
      '["2026-11-18","page-query","",""]',
    ];
    expect(texts.filter((text) => familyOf(text) !== undefined)).toStrictEqual([]);
  });
});

describe("an opaque id", () => {
  test("is the same for the same parts, another for others, and holds nothing of them", () => {
    expect(opaqueId("analytics", "properties/1")).toBe(opaqueId("analytics", "properties/1"));
    expect(opaqueId("a", "b")).not.toBe(opaqueId("ab"));
    expect(opaqueId("a", "b")).not.toBe(opaqueId("b", "a"));
    expect(opaqueId("a", "")).not.toBe(opaqueId("a"));
    expect(opaqueId("user@example.org")).toMatch(/^[0-9a-f]{32}$/);
  });
});
