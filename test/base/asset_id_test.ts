import { expect, test } from "bun:test";
import { isAssetId } from "../../src/base/contract_parts.ts";

for (const id of ["a", "7", "shop.example", "A-b_c.d", "x".repeat(128)]) {
  test(`${id.slice(0, 16)} is a site id (decisions 3)`, () => {
    expect(isAssetId(id)).toBe(true);
  });
}

for (const id of ["", ".a", "-a", "_a", "a b", "a/b", "a\n", "ä", "*", "a:b", "x".repeat(129), "a\u0000"]) {
  test(`${JSON.stringify(id.slice(0, 16))} is not a site id`, () => {
    expect(isAssetId(id)).toBe(false);
  });
}
