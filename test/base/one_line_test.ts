import { expect, test } from "bun:test";
import { onOneLine } from "../../src/base/text.ts";

test("what a terminal obeys or does not show is spelt out, and everything else stays as it is", () => {
  expect(onOneLine("Zoë Ångström – 数 🙂 (a service)")).toBe("Zoë Ångström – 数 🙂 (a service)");
  expect(onOneLine("eve\r\u001b[2K\u001b[1A  ada")).toBe("eve\\u{d}\\u{1b}[2K\\u{1b}[1A  ada");
  expect(onOneLine("a\nb\u2028c\u202ed\u200be\u009bf\ud800")).toBe(
    "a\\u{a}b\\u{2028}c\\u{202e}d\\u{200b}e\\u{9b}f\\u{d800}",
  );
});
