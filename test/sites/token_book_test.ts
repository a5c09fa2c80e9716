import { describe, expect, test } from "bun:test";
import { sha256Hex } from "../../src/base/keys.ts";
import { SiteTokenBook } from "../../src/sites/site_tokens.ts";

const book = () => {
  const made = new SiteTokenBook();
  made.setNamed([
    { asset: "harbor", token: "named-one" },
    { asset: "harbor", token: "named-two" },
    { asset: "orchard", token: "named-three" },
  ]);
  return made;
};

describe("site tokens: those of ASSET_TOKENS and those issued are one set (decisions 2)", () => {
  test("every token leads to its own site and to no other", () => {
    const tokens = book();
    tokens.add({ asset: "ghost", digest: sha256Hex("issued"), issued: true });
    const sites = ["named-one", "named-two", "named-three", "issued"].map(
      (token) => tokens.find(token)?.asset,
    );
    expect(sites).toEqual(["harbor", "harbor", "orchard", "ghost"]);
  });

  test("a near miss is no token: other case, a space, cut short, its own digest", () => {
    for (const token of [
      "",
      "Named-one",
      "named-one ",
      " named-one",
      "named-on",
      "named-onee",
      sha256Hex("named-one"),
      "0".repeat(64),
    ]) {
      expect(book().find(token)).toBeUndefined();
    }
  });

  test("a reread of the setting takes the place of what it named before, not of what was issued", () => {
    const tokens = book();
    tokens.add({ asset: "ghost", digest: sha256Hex("issued"), issued: true });
    tokens.setNamed([{ asset: "harbor", token: "new" }]);
    expect(["named-one", "new", "issued"].map((token) => tokens.find(token)?.asset)).toMatchSnapshot();
  });
});
