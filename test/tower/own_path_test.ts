import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { ownPath } from "../../src/tower/paths.ts";
import { recordEach } from "../support/mixtures.ts";
import { words } from "../support/words.ts";

describe("where a form may lead", () => {
  test("a path of ours with its query stays; anything that could lead elsewhere becomes the portfolio: recorded", () => {
    const paths =
      "/|/sites/shop.example|/flags?status=open&rule=flow-drop|/sites/a%2Fb||flags|//evil.example|/\\evil.example|" +
      "\\\\evil.example|https://evil.example|/\t/evil.example|/\n/evil.example| /flags|javascript:alert(1)|/a\\..\\b|" +
      "/.//evil.example|/..//evil.example|/flags\r\nSet-Cookie: a=b|/sign-in|/sign-in?to=/sign-in|/sign-out|/setup|/./sign-out";
    expect([null, undefined].map(ownPath)).toEqual(["/", "/"]);
    const long = [999, 1_000].map((length) => `/${"a".repeat(length)}`);
    recordEach([...long, ...paths.split("|")], ownPath);
  });

  test("whatever is asked for, a browser stays with us", () => {
    const part = fc.constantFrom(...words("/ \\ . .. evil.example @ : ? # %2f %5c a http:"), "\t");
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
