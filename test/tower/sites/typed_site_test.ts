import { describe, expect, test } from "bun:test";
import { EMPTY_SITE, judgeSite } from "../../../src/tower/sites/add_site_routes.tsx";

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

  test("an identifier of the portfolio is refused, and so is one that differs from it in capitals alone", () => {
    expect(errorsOf({ id: "kiln" }, ["kiln"])).toEqual({
      id: "This site exists already.",
    });
    expect(errorsOf({ id: "Kiln" }, ["kiln"])["id"]).toContain("kiln exists already.");
  });

  test("an identifier that is the address of this page is refused with the reason", () => {
    expect(errorsOf({ id: "new" })["id"]).toStartWith("Not new: /sites/new is this page.");
  });
});
