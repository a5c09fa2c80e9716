import { expect, test } from "bun:test";
import fc from "fast-check";
import { DENSITIES, type Density, FITS, layOut } from "../../../src/tower/sites/wall.tsx";

const densities = Object.keys(DENSITIES) as Density[];
const numbered = (count: number) => Array.from({ length: count }, (_, index) => index);

test("what fits stands in the largest tiles that it fits in", () => {
  const fitOf = (count: number, density: Density = "normal") =>
    layOut(numbered(count), density, () => false).fit;
  expect([0, 1, 4, 5, 12, 16, 17, 30, 31, 60].map((count) => fitOf(count))).toEqual([
    4, 4, 4, 9, 16, 16, 30, 30, 60, 60,
  ]);
  expect([61, 96, 97].map((count) => fitOf(count, "dense"))).toEqual([96, 96, 96]);
  expect([30, 31].map((count) => fitOf(count, "roomy"))).toEqual([30, 30]);
});

test("every item has its place once, pages are no larger than is said, and those held are the first that need attention", () => {
  fc.assert(
    fc.property(fc.nat(1_200), fc.nat(1_200), fc.constantFrom(...densities), (count, urgent, density) => {
      const items = numbered(count);
      const { fit, held, pages, perPage } = layOut(items, density, (item) => item < urgent);
      expect([...held, ...pages.flat()]).toEqual(items);
      expect(FITS).toContain(fit);
      for (const page of pages) {
        expect(page.length).toBeGreaterThan(0);
        expect(held.length + page.length).toBeLessThanOrEqual(perPage);
      }
      if (count <= DENSITIES[density]) expect([held.length, pages.length]).toEqual([count, 0]);
      else {
        expect(held.length).toBeLessThanOrEqual(urgent);
        expect(pages.length).toBeGreaterThan(1);
        // What takes turns has room on every page.
        expect(held.length).toBeLessThan(perPage * 0.6);
      }
    }),
  );
});
