import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { isAssetId } from "../../../src/base/contract.ts";
import { betterIdentifier, EMPTY_SITE, judgeSite } from "../../../src/tower/sites/add_site_routes.tsx";

const judge = (typed: Partial<typeof EMPTY_SITE>, known: readonly string[] = []) =>
  judgeSite({ ...EMPTY_SITE, ...typed }, known);
const errorsOf = (typed: Partial<typeof EMPTY_SITE>, known?: readonly string[]) => {
  const judged = judge(typed, known);
  return judged.ok ? {} : Object.fromEntries(Object.entries(judged.errors).filter(([, error]) => error));
};
describe("what is typed for a new site", () => {
  test("an address without a scheme is one of https; what is no host is refused", () => {
    expect(judge({ id: "shop", url: "shop.example/start" })).toMatchObject({
      value: { url: "https://shop.example/start" },
    });
    expect(errorsOf({ id: "shop", url: "shop" })["url"]).toContain("must be an http or https address");
  });

  test.each([
    ["https://Shop.example/", "shop.example", "https://Shop.example/"],
    ["http://shop.example:8080/a?b", "shop.example", "http://shop.example:8080/a?b"],
    ["shop.example/", "shop.example", "https://shop.example/"],
    ["https://My Shop.example/a", "My-Shop.example", ""],
    ["my shop", "my-shop", ""],
    ["-shop!", "shop", ""],
  ])("%p is refused, and %p is offered in its place", (id, better, url) => {
    expect(judge({ id })).toMatchObject({ ok: false, better: { id: better, url } });
  });

  test("an identifier of the portfolio is refused, and so is one that differs from it in capitals alone", () => {
    expect(errorsOf({ id: "kiln" }, ["kiln"])).toEqual({
      id: "This site exists already.",
    });
    expect(errorsOf({ id: "Kiln" }, ["kiln"])["id"]).toContain("kiln exists already.");
    expect(judge({ id: "https://kiln.example" }, ["kiln.example"])).toMatchObject({ better: null });
  });

  test("an identifier that is the address of this page is refused with the reason", () => {
    expect(errorsOf({ id: "new" })["id"]).toStartWith("Not new: /sites/new is this page.");
  });

  test("whatever is offered in the place of an identifier would be taken, and is another one", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 200 }), (text) => {
        const better = betterIdentifier(text);
        return better === undefined || (isAssetId(better) && better !== text);
      }),
    );
  });
});
