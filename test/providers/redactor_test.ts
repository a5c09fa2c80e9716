import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { type AnswerSecrets, Redactor, secretsOf } from "../../src/providers/redactor.ts";
import { hidden } from "../../src/providers/secret.ts";

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
const VALUES = [...GOOGLE.values, KEY];
const NAMES = ["AuthenticationCode", "DnsVerificationCode"];

function redacted(text: string, of: AnswerSecrets, sizes: readonly number[] = [text.length * 4 + 1]) {
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
  return { text: Buffer.concat(told).toString(), taken: redactor.taken };
}

const slashed = (text: string) => text.replaceAll("/", "\\/");
const byCode = (text: string) => text.replace(/[+/@=]/g, (sign) => `\\u00${sign.charCodeAt(0).toString(16)}`);
const allByCode = (text: string) =>
  text.replace(/[\s\S]/g, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`);
/** Ways in which the meaning of a string holds a text … */
const SPELLINGS = [
  (text: string) => text,
  encodeURIComponent,
  (text: string) => encodeURIComponent(text).replace(/%../g, (code) => code.toLowerCase()),
  slashed,
  byCode,
];
/** … and in which JSON writes a string. */
const WRITINGS = [
  JSON.stringify,
  (text: string) => slashed(JSON.stringify(text)),
  (text: string) => `"${allByCode(text)}"`,
];

/** A string of an answer: what it means as it comes, and as it is kept. */
const part = (values: readonly string[]) =>
  fc.oneof(
    fc.string({ unit: "binary", maxLength: 20 }).map((text) => [text, text] as const),
    fc
      .constantFrom('"', "\\", '\\"', ...NAMES.flatMap((name) => [name, `"${name}":"`, `\\"${name}\\":\\"x`]))
      .map((text) => [text, text] as const),
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
      [GOOGLE, GOOGLE.values],
      [WEBMASTER, [KEY]],
    ] as const) {
      const one = string(values);
      fc.assert(
        fc.property(
          fc.array(fc.tuple(one, one), { maxLength: 4 }),
          SIZES,
          fc.nat(3),
          (rows, sizes, quoted) => {
            const text = `{"rows":[${rows.map(([a, b]) => `{"keys":[${a.came},"x"], "Query" : ${b.came} ,"n":1}`).join()}]}`;
            const kept = { rows: rows.map(([a, b]) => ({ keys: [a.kept, "x"], Query: b.kept, n: 1 })) };
            const isQuoted = quoted === 0;
            const told = redacted(isQuoted ? ` ${JSON.stringify(text)}\n` : text, of, sizes);
            const json: unknown = JSON.parse(told.text);
            expect(isQuoted ? JSON.parse(json as string) : json).toEqual(kept);
            const secrets = rows.flat().flatMap(({ kept: one }) => one.match(/\[secret\]/g) ?? []);
            expect(told.taken).toBe(secrets.length);
            // Where none is, nothing at all changes: not one way of writing a sign.
            if (secrets.length === 0 && !isQuoted) expect(told.text).toBe(text);
          },
        ),
        { numRuns: 150 },
      );
    }
  });

  test("that prove who owns a site are the values of two keys of webmaster tools, also of keys that are written by codes", () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.tuple(
            fc.constantFrom(...NAMES),
            fc.string({ unit: "binary", maxLength: 30 }),
            fc.nat(2),
            fc.nat(2),
          ),
        ),
        SIZES,
        fc.boolean(),
        (sites, sizes, isQuoted) => {
          const text = `{"d":[${sites
            .map(
              ([name, code, key, value]) =>
                `{${WRITINGS[key]?.(name)} :\n${WRITINGS[value]?.(code)},"Url":"https://x/"}`,
            )
            .join()}]}`;
          const kept = {
            d: sites.map(([name, code]) => ({ [name]: code === "" ? "" : "[secret]", Url: "https://x/" })),
          };
          const told = redacted(isQuoted ? JSON.stringify(text) : text, WEBMASTER, sizes);
          const json: unknown = JSON.parse(told.text);
          expect(isQuoted ? JSON.parse(json as string) : json).toEqual(kept);
          expect(told.taken).toBe(sites.filter(([, code]) => code !== "").length);
          expect(redacted(text, GOOGLE, sizes)).toEqual({ text, taken: 0 });
        },
      ),
    );
  });

  test("of an answer that is cut off are gone as far as they came", () => {
    expect(redacted('{"DnsVerificationCode":"cut', WEBMASTER).text).toBe('{"DnsVerificationCode":"[secret]');
    expect(redacted(`{"a":"${KEY}\\u00`, WEBMASTER).text).toBe('{"a":"[secret]\\u00');
  });

  test("are none where a key has no text", () => {
    for (const text of [
      '{"AuthenticationCode":null,"x":"y"}',
      '{"AuthenticationCode":""}',
      '["AuthenticationCode","a"]',
      '{"AuthenticationCode":{"x":"y"}}',
    ]) {
      for (const size of [1, 5, 100]) expect(redacted(text, WEBMASTER, [size])).toEqual({ text, taken: 0 });
    }
  });

  test("are found in a string that is longer than what is held of one", () => {
    const filling = "x\\u003d/".repeat(20_000);
    for (const [before, after] of [
      [`{"a":"${filling}`, `${filling}"}`],
      ['{"AuthenticationCode":1,"a":"', `${filling}AuthenticationCode":"b"}`],
    ] as const) {
      const told = redacted(`${before}${KEY}${after}`, WEBMASTER, [10_000]);
      expect(told).toEqual({ text: `${before}[secret]${after}`, taken: 1 });
    }
    const hidden = redacted(`{"AuthenticationCode":"${filling}","b":1}`, WEBMASTER, [10_000]);
    expect(hidden).toEqual({ text: '{"AuthenticationCode":"[secret]","b":1}', taken: 1 });
  });

  test("of a key of a service account are each of its lines, its id, the address and the token", () => {
    expect(VALUES).toEqual([ACCOUNT.clientEmail, ...LINES, ACCOUNT.privateKeyId, TOKEN, KEY]);
    const whole = JSON.stringify({ key: ACCOUNT.privateKey });
    expect(redacted(whole, GOOGLE).text).toBe(
      '{"key":"-----BEGIN PRIVATE KEY-----\\n[secret]\\n[secret]\\nshort==\\n-----END PRIVATE KEY-----\\n"}',
    );
  });

  test("of a few signs are none: they would stand anywhere", () => {
    const text = '{"x":"abcd"}';
    expect(redacted(text, { values: ["", "x", "abcd"], keys: [] }).text).toBe(text);
  });
});
