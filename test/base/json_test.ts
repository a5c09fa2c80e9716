import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { isCutJson, UnquotedJson } from "../../src/base/json_list.ts";
import { MAX_JSON_DEPTH, readJsonText } from "../../src/base/receive.ts";
import { recordEach } from "../support/mixtures.ts";
import { texts } from "../support/words.ts";

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

  test("what is no JSON, holds a key twice or one that is not allowed, or a number that would be infinite: recorded", () => {
    const given = texts(
      '|\ufeff{"a":1}|{|}|[1,]|{"a":1,}|{\'a\':1}|{a:1}|// x\n1|01|+1|.5|1.|NaN|Infinity|undefined|1 2|{} {}',
      '"\n"|"\\x"|"\\u12"|\u00a01|tru|[1 2]|1e999|-1e999|[0,1E309]|{"a":1.5e+400}|1e308000|1e308',
      '-1.7976931348623157e308|1e-999|-0|0e0|"1e999"|{"1e999":true}|{"a":1,"a":1}|{"a":1,"\\u0061":2}',
      '[{"b":{"a":[],"c":{},"a":2}}]|{"":1,"":2}|{"a":{"a":{"a":1}},"b":["a","a"]}|{"a":{"x":1},"b":{"x":1}}',
      '{"a":{"__proto__":1}}|{"\\u005f_proto__":1}|{"a":"__proto__"}|{"constructor":1}|{"\\u0063onstructor":1}',
      '{"a":"constructor"}|{"prototype":1}|{"a":"prototype"}|{"secret":1,"secret":2}|["secret"|{"secret":1e999}',
    );
    const [many, most, fraction] = ["9".repeat(400), "9".repeat(308), `0.${"1".repeat(400)}`];
    recordEach([...given, many, most, `${"9".repeat(310)}.5`, fraction, `${"9".repeat(310)}e-300`], detailOf);
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
});

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

test("JSON that was cut off could go on, wherever it ends; what is whole or was never JSON could not: recorded", () => {
  const given = texts(
    '| |{|[|-|"|{"a|{"a"|{"a":|{"a":1,|[1|[1.|[1e|[1.5e-|[t|[nul|["\\|["\\u|["\\u00|["\\u0041|[[],|[ |{}|1',
    '[1] |"a"|null|{]|{a|[1 2|[,|{"a",|{"a":}|[1,]|[01|[.5|[1..|[--|[1e+-|[nulx|[truE|["\\x|["\\u00g|["\n',
    '<html>|{} x|[]]|upstream error|{"a":1,}|{"a":1}{',
  );
  recordEach(given, isCutJson);
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
    expect(unquoted('"[\\x]"', 9)).toBe("[\\x]");
  });

  test("that something follows is no JSON: what follows is told, too", () => {
    for (const size of [3, 40]) expect(unquoted('"[1]" more', size).replace(" ", "")).toBe("[1]more");
  });

  test("that ends early ends early", () => {
    expect(unquoted('"{\\"d\\":[1,2', 4)).toBe('{"d":[1,2');
    expect(unquoted('"{\\"d\\":\\', 4)).toBe('{"d":');
  });
});
