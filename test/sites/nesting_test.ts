import { expect, test } from "bun:test";
import { parseConstants } from "../../src/sites/constants_parse.ts";
import { brokenBound, MAX_NESTING, readToml } from "../../src/sites/toml.ts";

const nested = (depth: number) => `a = 1\nb = ${"[".repeat(depth)}${"]".repeat(depth)}\n`;

test("lists and inline tables nest 16 deep and no deeper, and the line of the first too deep is told", () => {
  expect(MAX_NESTING).toBe(16);
  expect(brokenBound(nested(16))?.line).toBeUndefined();
  expect(brokenBound(nested(17))?.line).toBe(2);
  expect(brokenBound(`b = ${"{a=[".repeat(8)}`)?.line).toBeUndefined();
  expect(brokenBound(`b = ${"{a=[".repeat(8)}[`)?.line).toBe(1);
});

test.each([
  ["dotted keys", (n: number) => `[a]\n${"a.b = 1\n".repeat(n - 1)}`],
  ["tables", (n: number) => "[a]\n".repeat(n)],
  ["items of a list", (n: number) => `a = [${"1,".repeat(n - 2)}]`],
])("a document holds at most 10,000 parts, counted before it is parsed: %s", (_, make) => {
  const within = readToml(make(10_000));
  expect(within.ok ? [] : within.problems.map(({ rule }) => rule)).not.toContain("too-many-keys");
  const refused = parseConstants(make(30_000));
  expect(refused).toMatchObject({ ok: false, problems: [{ rule: "too-many-keys" }] });
  expect(readToml(make(10_001))).toMatchObject({ ok: false, problems: [{ rule: "too-many-keys" }] });
});

test("what stands in strings and comments is no part of a document", () => {
  expect(readToml(`a = "${"=,[".repeat(20_000)}" # ${"=,[".repeat(20_000)}`).ok).toBe(true);
});
