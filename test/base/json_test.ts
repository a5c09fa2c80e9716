import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { isCutJson, UnquotedJson } from "../../src/base/json_list.ts";
import { MAX_JSON_DEPTH, readJsonText } from "../../src/base/receive.ts";

const nested = (depth: number) => `${"[".repeat(depth)}${"]".repeat(depth)}`;

function detailOf(text: string): string {
  const result = readJsonText(text);
  return result.ok ? "accepted" : result.detail;
}

describe("JSON from outside (decisions 3, check 7)", () => {
  test("every JSON value is read as JSON.parse reads it (property)", () => {
    const values = fc
      .jsonValue({ maxDepth: 6 })
      .filter((value) => !/"(?:__proto__|constructor|prototype)"/.test(JSON.stringify(value)));
    fc.assert(
      fc.property(values, fc.constantFrom(undefined, 1, "\t"), (value, space) => {
        const text = JSON.stringify(value, null, space);
        expect(readJsonText(text)).toEqual({ ok: true, value: JSON.parse(text) });
      }),
      { numRuns: 1_000 },
    );
  });

  test("any text is judged without throwing, and what is accepted is JSON (property)", () => {
    const letters = fc.string({
      unit: fc.constantFrom(...'{}[]:,"\\ \n0123456789.eE+-truefalsn/u'),
      maxLength: 40,
    });
    fc.assert(
      fc.property(letters, (text) => {
        const result = readJsonText(text);
        if (result.ok) expect(result.value).toEqual(JSON.parse(text));
      }),
      { numRuns: 5_000 },
    );
  });

  for (const text of [
    "{",
    "}",
    "[1,]",
    '{"a":1,}',
    "{'a':1}",
    "{a:1}",
    "// x\n1",
    "01",
    "+1",
    ".5",
    "1.",
    "NaN",
    "Infinity",
    "undefined",
    "1 2",
    "{} {}",
    '"\n"',
    '"\\x"',
    '"\\u12"',
    "\u00a01",
    "tru",
    "[1 2]",
  ]) {
    test(`${JSON.stringify(text)} is not well-formed`, () => {
      expect(detailOf(text)).toBe("The body is not well-formed JSON.");
    });
  }

  test("an empty body, and a mark before the text that no editor shows, are named as such", () => {
    expect(detailOf("")).toBe("The body is empty.");
    expect(detailOf('\ufeff{"a":1}')).toBe("The body begins with a byte order mark: send UTF-8 without one.");
  });

  test(`nesting of ${MAX_JSON_DEPTH} passes and ${MAX_JSON_DEPTH + 1} does not, for lists, objects and both mixed`, () => {
    expect(detailOf(nested(16))).toBe("accepted");
    expect(detailOf(nested(17))).toBe("The nesting is deeper than 16.");
    const objects = (depth: number) => `${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`;
    expect(detailOf(objects(16))).toBe("accepted");
    expect(detailOf(objects(17))).toBe("The nesting is deeper than 16.");
    expect(detailOf(`${'[{"a":'.repeat(8)}1${"}]".repeat(8)}`)).toBe("accepted");
    expect(detailOf(`${'[{"a":'.repeat(8)}[]${"}]".repeat(8)}`)).toBe("The nesting is deeper than 16.");
    expect(detailOf(`[${nested(15)},${nested(15)}]`)).toBe("accepted");
  });

  test("nesting of 100,000 is refused and does not overflow", () => {
    expect(detailOf(nested(100_000))).not.toBe("accepted");
  });

  test("brackets and keys inside strings are text", () => {
    expect(detailOf(`{"a":"${"[{".repeat(40)}","b":"\\"a\\":1,\\"a\\":2"}`)).toBe("accepted");
    expect(detailOf('{"a\\\\":1,"b":"\\\\"}')).toBe("accepted");
  });

  test("the same key twice in one object is refused at every level, also when it is escaped", () => {
    const twice = "An object holds the same key twice.";
    expect(detailOf('{"a":1,"a":1}')).toBe(twice);
    expect(detailOf('{"a":1,"\\u0061":2}')).toBe(twice);
    expect(detailOf('[{"b":{"a":[],"c":{},"a":2}}]')).toBe(twice);
    expect(detailOf('{"":1,"":2}')).toBe(twice);
    expect(detailOf('{"a":{"a":{"a":1}},"b":["a","a"]}')).toBe("accepted");
    expect(detailOf('{"a":{"x":1},"b":{"x":1}}')).toBe("accepted");
  });

  for (const key of ["__proto__", "constructor", "prototype"]) {
    test(`the key ${key} is refused, also escaped; as a value it is text`, () => {
      expect(detailOf(`{"a":{"${key}":1}}`)).toBe(`The key ${key} is not allowed.`);
      expect(detailOf(`{"\\u${key.charCodeAt(0).toString(16).padStart(4, "0")}${key.slice(1)}":1}`)).toBe(
        `The key ${key} is not allowed.`,
      );
      expect(detailOf(`{"a":"${key}"}`)).toBe("accepted");
    });
  }

  for (const text of [
    "1e999",
    "-1e999",
    "[0,1E309]",
    '{"a":1.5e+400}',
    "9".repeat(400),
    `${"9".repeat(310)}.5`,
    "1e308000",
  ]) {
    test(`the number ${text.slice(0, 20)} would be infinite and is refused`, () => {
      expect(detailOf(text)).toBe("A number is too large.");
    });
  }

  for (const text of [
    "1e308",
    "-1.7976931348623157e308",
    "1e-999",
    "-0",
    "0e0",
    `0.${"1".repeat(400)}`,
    "9".repeat(308),
    `${"9".repeat(310)}e-300`,
    '"1e999"',
    '{"1e999":true}',
  ]) {
    test(`${text.slice(0, 24)} is finite and passes`, () => {
      expect(detailOf(text)).toBe("accepted");
    });
  }

  test("a refusal never echoes what was sent, except a forbidden key", () => {
    for (const text of ['{"secret":1,"secret":2}', '["secret"', '{"secret":1e999}'])
      expect(detailOf(text)).not.toContain("secret");
  });
});

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

describe("JSON that was cut off", () => {
  test("is text that could go on, wherever it ends", () => {
    for (const text of [
      "",
      " ",
      "{",
      "[",
      "-",
      '"',
      '{"a',
      '{"a"',
      '{"a":',
      '{"a":1,',
      "[1",
      "[1.",
      "[1e",
      "[1.5e-",
      "[t",
      "[nul",
      '["\\',
      '["\\u',
      '["\\u00',
      '["\\u0041',
      "[[],",
      "[ ",
    ])
      expect([text, isCutJson(text)]).toEqual([text, true]);
  });

  test("is not what is whole, and not what was never JSON", () => {
    for (const text of [
      "{}",
      "1",
      "[1] ",
      '"a"',
      "null",
      "{]",
      "{a",
      "[1 2",
      "[,",
      '{"a",',
      '{"a":}',
      "[1,]",
      "[01",
      "[.5",
      "[1..",
      "[--",
      "[1e+-",
      "[nulx",
      "[truE",
      '["\\x',
      '["\\u00g',
      '["\n',
      "<html>",
      "{} x",
      "[]]",
      "upstream error",
      '{"a":1,}',
      '{"a":1}{',
    ])
      expect([text, isCutJson(text)]).toEqual([text, false]);
  });
});

test("of JSON text, exactly the beginnings that do not stand for themselves are cut", () => {
  fc.assert(
    fc.property(fc.json(), fc.nat(), fc.constantFrom(undefined, 2), (json, at, indent) => {
      const text = JSON.stringify(JSON.parse(json), undefined, indent);
      const start = text.slice(0, at % (text.length + 1));
      // A number that was cut may be a shorter one.
      expect(isCutJson(start)).toBe(!isJson(start));
    }),
  );
});

test("whatever the text is, what is JSON is not cut, and what is cut is no JSON", () => {
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom(...'{}[]":,\\u0aeE-+.1 truefalsn\n'), maxLength: 12 }),
      (text) => {
        expect(isCutJson(text) && isJson(text)).toBe(false);
      },
    ),
  );
});

function unquoted(text: string, size: number): string {
  const bytes = Buffer.from(text);
  const one = new UnquotedJson();
  const told: Uint8Array[] = [];
  for (let from = 0; from < bytes.byteLength; from += size)
    told.push(one.push(bytes.subarray(from, from + size)));
  return Buffer.concat(told).toString();
}

/** JSON as a writer does that escapes everything it may. */
const escaped = (text: string) =>
  `"${[...Array(text.length).keys()].map((at) => `\\u${text.charCodeAt(at).toString(16).padStart(4, "0")}`).join("")}"`;

describe("a JSON text in a string of JSON", () => {
  test("is taken out of it, however it comes in pieces", () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.integer({ min: 1, max: 40 }), (value, size) => {
        const text = JSON.stringify({ d: value, sign: '\u{1f600} é \\ "' });
        expect(unquoted(JSON.stringify(text), size)).toBe(text);
        expect(unquoted(` \n${escaped(text)}\n`, size).trimStart()).toBe(text);
      }),
    );
  });

  test("that comes as itself stays as it is", () => {
    for (const text of ['{"d":["\\u00e9"]}', "  [1]", '<html>"', "", "  "])
      expect(unquoted(text, 3)).toBe(text);
  });

  test("that something follows is no JSON: what follows is told, too", () => {
    for (const size of [3, 40]) expect(unquoted('"[1]" more', size).replace(" ", "")).toBe("[1]more");
  });

  test("that ends early ends early", () => {
    expect(unquoted('"{\\"d\\":[1,2', 4)).toBe('{"d":[1,2');
    expect(unquoted('"{\\"d\\":\\', 4)).toBe('{"d":');
  });
});
