import { expect, test } from "bun:test";
import { MAX_NESTING, tooDeepLine } from "../../src/constants/nesting.ts";

const nested = (depth: number) => `a = 1\nb = ${"[".repeat(depth)}${"]".repeat(depth)}\n`;

test("lists and inline tables nest 16 deep and no deeper, and the line of the first too deep is told", () => {
  expect(MAX_NESTING).toBe(16);
  expect(tooDeepLine(nested(16))).toBeUndefined();
  expect(tooDeepLine(nested(17))).toBe(2);
  expect(tooDeepLine(`b = ${"{a=[".repeat(8)}`)).toBeUndefined();
  expect(tooDeepLine(`b = ${"{a=[".repeat(8)}[`)).toBe(1);
});
