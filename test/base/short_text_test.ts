import { expect, test } from "bun:test";
import { shortText } from "../../src/base/text.ts";

test("a text within the bound stays, a longer one ends in … at the bound, and no half character is left", () => {
  expect(shortText("harbor", 6)).toBe("harbor");
  expect(shortText("harbors", 6)).toBe("harbo…");
  for (const [text, short] of [
    ["ab😀cd", "ab\uFFFD…"],
    ["😀", "😀"],
    ["\uD83D", "\uFFFD"],
  ] as const) {
    expect(shortText(text, 4)).toBe(short);
  }
});
