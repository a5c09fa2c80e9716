import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { render } from "../../../src/tower/jsx/jsx-runtime.ts";
import { Pager, pagingOf } from "../../../src/tower/kit/list.tsx";
import { attribute, parsed, tagged, textOf } from "../../support/html.ts";

describe("paging", () => {
  test("the pages hold every item once, and a wanted page beyond the end is the last", () => {
    fc.assert(
      fc.property(fc.nat(5_000), fc.integer({ min: -3, max: 99 }), (total, wanted) => {
        const { pages } = pagingOf(total, 1, 100);
        const sizes = Array.from({ length: pages }, (_, index) => pagingOf(total, index + 1, 100)).map(
          ({ first, last }) => (total === 0 ? 0 : last - first + 1),
        );
        expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(total);
        const { page } = pagingOf(total, wanted, 100);
        expect(page >= 1 && page <= pages).toBe(true);
      }),
    );
  });

  test("links to the page before and after where there is one, and shows nothing for a single page", () => {
    const of = (page: number) =>
      parsed(render(<Pager paging={pagingOf(250, page, 100)} what="sites" href={(to) => `/?page=${to}`} />));
    expect(tagged(of(2), "a").map((link) => attribute(link, "href"))).toEqual(["/?page=1", "/?page=3"]);
    expect(textOf(of(3))).toContain("201 to 250 of 250 sites");
    expect(render(<Pager paging={pagingOf(100, 1, 100)} what="sites" href={String} />)).toBe("");
  });
});
