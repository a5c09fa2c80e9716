import { describe, expect, test } from "bun:test";
import { sha256Hex } from "../../src/base/keys.ts";
import { Problem } from "../../src/base/problem.ts";
import { authorizeSite } from "../../src/sites/report_sender.ts";
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

  test("a removed token is unknown from the next look on, and a named one of the same site stays", () => {
    const tokens = book();
    tokens.add({ asset: "harbor", digest: sha256Hex("issued"), issued: true });
    tokens.remove(sha256Hex("issued"));
    expect([tokens.find("issued"), tokens.find("named-one")?.asset]).toEqual([undefined, "harbor"]);
  });

  test("a reread of the setting takes the place of what it named before, not of what was issued", () => {
    const tokens = book();
    tokens.add({ asset: "ghost", digest: sha256Hex("issued"), issued: true });
    tokens.setNamed([{ asset: "harbor", token: "new" }]);
    expect(["named-one", "new", "issued"].map((token) => tokens.find(token)?.asset)).toMatchSnapshot();
  });
});

describe("the sender of a report (decisions 3, check 3)", () => {
  const codeOf = (authorization: string | undefined) => {
    const request = new Request(
      "http://localhost/",
      authorization === undefined ? {} : { headers: { authorization } },
    );
    try {
      return authorizeSite(request, { siteTokens: book(), isOperatorToken: (token) => token === "operator" })
        .asset;
    } catch (error) {
      return error instanceof Problem ? error.code : "another error";
    }
  };

  test("is known by its token; no token and an unknown one are told the same", () => {
    expect(codeOf("Bearer named-three")).toBe("orchard");
    expect([
      codeOf(undefined),
      codeOf("Bearer unknown"),
      codeOf("named-three"),
      codeOf("Basic named-three"),
    ]).toEqual(Array(4).fill("unauthenticated"));
  });

  test("an operator's token does not send reports", () => {
    expect(codeOf("Bearer operator")).toBe("insufficient-scope");
  });
});
