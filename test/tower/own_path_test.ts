import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { ownPath } from "../../src/tower/paths.ts";

describe("where a form may lead", () => {
  test("a path of ours with its query stays", () => {
    for (const path of ["/", "/sites/shop.example", "/flags?status=open&rule=flow-drop", "/sites/a%2Fb"]) {
      expect(ownPath(path)).toBe(path);
    }
  });

  test("anything that could lead elsewhere becomes the portfolio", () => {
    for (const path of [
      null,
      undefined,
      "",
      "flags",
      "//evil.example",
      "/\\evil.example",
      "\\\\evil.example",
      "https://evil.example",
      "/\t/evil.example",
      "/\n/evil.example",
      " /flags",
      "javascript:alert(1)",
      "/a\\..\\b",
      "/.//evil.example",
      "/..//evil.example",
      "/flags\r\nSet-Cookie: a=b",
      `/${"a".repeat(2_000)}`,
      "/sign-in",
      "/sign-in?to=/sign-in",
      "/sign-out",
      "/setup",
      "/./sign-out",
    ]) {
      expect(ownPath(path)).toBe("/");
    }
  });

  test("whatever is asked for, a browser stays with us", () => {
    const part = fc.constantFrom(
      "/",
      "\\",
      ".",
      "..",
      "evil.example",
      "@",
      ":",
      "?",
      "#",
      "%2f",
      "%5c",
      "\t",
      "a",
      "http:",
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 8 }), (parts) => {
        const path = ownPath(parts.join(""));
        expect(new URL(path, "http://localhost:4611").origin).toBe("http://localhost:4611");
        expect(ownPath(path)).toBe(path);
      }),
      { numRuns: 2_000 },
    );
  });
});
