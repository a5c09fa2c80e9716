import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { Redactor, secretsOf } from "../../src/providers/redactor.ts";
import { hidden } from "../../src/providers/sealing.ts";

const KEY = "0123456789abcdef0123456789abcdef";
const LINES = [
  "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcw/gSjAgEAAoIBAQC7+VJTUt9Us8cK",
  "jMzEfYyjiWA4R4/M2bS1GB4t7NXp98C3SC6dVMvDuictGeurT8jNbvJZHtCSuYEv",
];
const ACCOUNT = hidden({
  kind: "google-service-account",
  clientEmail: "tower@project.iam.gserviceaccount.com",
  privateKey: `-----BEGIN PRIVATE KEY-----\n${LINES.join("\n")}\nshort==\n-----END PRIVATE KEY-----\n`,
  privateKeyId: "8c0ffee8c0ffee8c0ffee8c0ffee8c0ffee8c0ff",
  tokenUri: "",
});
const TOKEN = "ya29.c.b0AXv0zTP/w+9-_=";
const GOOGLE = secretsOf(ACCOUNT, TOKEN);
const WEBMASTER = secretsOf(hidden({ kind: "webmaster-tools-key", key: KEY }), undefined);
const VALUES = [...GOOGLE, KEY];

function redacted(text: string, of: readonly string[], sizes: readonly number[] = [text.length * 4 + 1]) {
  const bytes = Buffer.from(text);
  const redactor = new Redactor(of);
  const told: Uint8Array[] = [];
  for (let [from, turn] = [0, 0]; from < bytes.byteLength; turn++) {
    const size = sizes[turn % sizes.length] ?? 1;
    // What it is given may be written over afterwards.
    const lent = Uint8Array.from(bytes.subarray(from, from + size));
    told.push(...redactor.push(lent).map((piece) => Uint8Array.from(piece)));
    lent.fill(0);
    from += size;
  }
  told.push(...redactor.end());
  return Buffer.concat(told).toString();
}

const slashed = (text: string) => text.replaceAll("/", "\\/");
const byCode = (text: string) => text.replace(/[+/@=]/g, (sign) => `\\u00${sign.charCodeAt(0).toString(16)}`);
/** How a string of JSON holds a text. */
const WRITINGS = [
  JSON.stringify,
  (text: string) => slashed(JSON.stringify(text)),
  (text: string) => byCode(JSON.stringify(text)),
];
/** How a text is spelled in it. */
const SPELLINGS = [
  (text: string) => text,
  encodeURIComponent,
  (text: string) => encodeURIComponent(text).replace(/%../g, (code) => code.toLowerCase()),
];

/** A string of an answer: what it means as it comes, and as it is kept. */
const part = (values: readonly string[]) =>
  fc.oneof(
    fc.string({ unit: "binary", maxLength: 20 }).map((text) => [text, text] as const),
    fc.constantFrom('"', "\\", '\\"').map((text) => [text, text] as const),
    fc
      .tuple(fc.constantFrom(...values), fc.constantFrom(...SPELLINGS))
      .map(([secret, spelled]) => [spelled(secret), "[secret]"] as const),
    fc
      .tuple(fc.constantFrom(...values), fc.nat(14))
      .map(([secret, less]) => secret.slice(0, -1 - less))
      .map((half) => [`${half}|`, `${half}|`] as const),
  );
const string = (values: readonly string[]) =>
  fc.tuple(fc.array(part(values), { maxLength: 5 }), fc.constantFrom(...WRITINGS)).map(([parts, written]) => {
    const came = parts.map(([text]) => text).join("");
    return { came: written(came), kept: parts.map(([, text]) => text).join("") };
  });
const SIZES = fc.array(fc.integer({ min: 1, max: 90 }), { minLength: 1, maxLength: 4 });

describe("secrets in an answer", () => {
  test("are taken out wherever they are split and however they are written; as many rows leave as came, whatever stands in them", () => {
    for (const [of, values] of [
      [GOOGLE, GOOGLE],
      [WEBMASTER, [KEY]],
    ] as const) {
      const one = string(values);
      fc.assert(
        fc.property(fc.array(fc.tuple(one, one), { maxLength: 4 }), SIZES, (rows, sizes) => {
          const text = `{"rows":[${rows.map(([a, b]) => `{"keys":[${a.came},"x"], "Query" : ${b.came} ,"n":1}`).join()}]}`;
          const kept = { rows: rows.map(([a, b]) => ({ keys: [a.kept, "x"], Query: b.kept, n: 1 })) };
          const told = redacted(text, of, sizes);
          expect(JSON.parse(told)).toEqual(kept);
          // Where none is, nothing at all changes: not one way of writing a sign.
          if (!told.includes("[secret]")) expect(told).toBe(text);
        }),
        { numRuns: 150 },
      );
    }
  });

  test("of an answer that is cut off are gone as far as they came", () => {
    expect(redacted(`{"a":"${KEY}\\u00`, WEBMASTER)).toBe('{"a":"[secret]\\u00');
  });

  test("of a key of a service account are each of its lines, its id, the address and the token", () => {
    expect(VALUES).toEqual([ACCOUNT.clientEmail, ...LINES, ACCOUNT.privateKeyId, TOKEN, KEY]);
    const whole = JSON.stringify({ key: ACCOUNT.privateKey });
    expect(redacted(whole, GOOGLE)).toBe(
      '{"key":"-----BEGIN PRIVATE KEY-----\\n[secret]\\n[secret]\\nshort==\\n-----END PRIVATE KEY-----\\n"}',
    );
  });

  test("that hold a quote never take one of the answer's own", () => {
    const text = JSON.stringify({ a: 'x"5678', b: "x" }).replace('"a"', '"a" ');
    expect(redacted(`${text}{"x":"5678"}`, ['x"5678', 'x":"5678'])).toBe(
      '{"a" :"[secret]","b":"x"}{"x":"5678"}',
    );
  });

  test("of a few signs are none: they would stand anywhere", () => {
    const text = '{"x":"abcd"}';
    expect(redacted(text, ["", "x", "abcd"])).toBe(text);
  });
});
