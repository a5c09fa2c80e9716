import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import * as v from "valibot";
import {
  boundedList,
  codePoints,
  isAssetId,
  MAX_BROKEN_RULES,
  pointerToken,
  readContract,
  text,
} from "../../src/base/contract.ts";
import { recordEach } from "../support/mixtures.ts";

function broken(schema: v.GenericSchema, input: unknown): string[] {
  const result = readContract(schema, input);
  return result.ok ? [] : result.errors.map(({ pointer, rule }) => `${pointer} ${rule}`);
}

const Shape = v.object({
  name: text(5),
  nick: v.exactOptional(text(5)),
  items: v.exactOptional(boundedList(v.object({ n: v.number() }), 2)),
  tools: v.exactOptional(v.record(text(5), text(5))),
});

describe("reading a contract (decisions 3)", () => {
  test("all broken rules are named at once, each with its JSON Pointer", () => {
    expect(broken(Shape, { nick: 1, items: [{ n: "x" }, {}], tools: { a: 2 } }).sort()).toEqual([
      "/items/0/n type",
      "/items/1/n required",
      "/name required",
      "/nick type",
      "/tools/a type",
    ]);
  });

  test("a value of another type than an object is one broken rule at the root", () => {
    for (const input of [null, 1, "x", true]) expect(broken(Shape, input)).toEqual([" type"]);
  });

  test("null is not absent", () => {
    expect(broken(Shape, { name: "a", nick: null })).toEqual(["/nick type"]);
    expect(broken(Shape, { name: "a" })).toStrictEqual([]);
  });

  test("a list over its bound is one broken rule, however wrong its items are", () => {
    expect(broken(Shape, { name: "a", items: Array.from({ length: 8_000 }, () => "wrong") })).toEqual([
      "/items max-items",
    ]);
    expect(broken(Shape, { name: "a", items: [{ n: 1 }, { n: 2 }] })).toStrictEqual([]);
  });

  test(`at most ${MAX_BROKEN_RULES} broken rules are named; the rest is counted`, () => {
    const tools = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`, 1]));
    const at = readContract(Shape, { name: "a", tools: tools(50) });
    expect(at).toMatchObject({ ok: false, more: 0 });
    const over = readContract(Shape, { name: "a", tools: tools(53) });
    expect(over).toMatchObject({ ok: false, more: 3 });
    if (!over.ok) expect(over.errors).toHaveLength(50);
  });

  test("fields the contract does not know are named and not passed on", () => {
    const result = readContract(Shape, {
      name: "a",
      nmae: 1,
      items: [{ n: 1, m: 2 }],
      "a/b~c": 3,
      tools: { t: "1" },
    });
    expect(result).toEqual({
      ok: true,
      value: { name: "a", items: [{ n: 1 }], tools: { t: "1" } },
      ignored: ["/nmae", "/items/0/m", "/a~1b~0c"],
    });
  });

  test("a pointer leads back to the value it names (RFC 6901, property)", () => {
    fc.assert(
      fc.property(fc.string(), (key) => {
        const [, token = ""] = `/${pointerToken(key)}`.split("/");
        expect(token.replaceAll("~1", "/").replaceAll("~0", "~")).toBe(key);
      }),
    );
  });
});

describe("lengths are counted in code points (decisions 3, Names and lengths)", () => {
  test("codePoints counts as the string iterator does (property)", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: "binary" }),
        fc.string({ unit: fc.constantFrom("\ud83d", "\ude00", "a") }),
        (a, b) => {
          expect(codePoints(a + b)).toBe([...(a + b)].length);
        },
      ),
    );
  });

  test("a text of five code points passes a limit of five, six do not, also beyond the basic plane", () => {
    expect(broken(text(5), "12345")).toStrictEqual([]);
    expect(broken(text(5), "123456")).toEqual([" max-length"]);
    expect(broken(text(5), "😀".repeat(5))).toStrictEqual([]);
    expect(broken(text(5), "😀".repeat(6))).toEqual([" max-length"]);
  });

  test("a lone surrogate is refused", () => {
    expect(broken(text(5), "a\ud800")).toEqual([" well-formed"]);
    expect(broken(text(5), "\udc00a")).toEqual([" well-formed"]);
  });
});

test("site ids are recorded (decisions 3)", () => {
  const ids = "a|7|shop.example|A-b_c.d||.a|-a|_a|a b|a/b|a\n|ä|*|a:b|a\u0000";
  recordEach([...ids.split("|"), "x".repeat(128), "x".repeat(129)], isAssetId);
});
