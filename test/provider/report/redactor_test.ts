import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { Redactor, secretsOf } from "../../../src/provider/report/redactor.ts";
import { HiddenGoogleAccount, HiddenWebmasterKey } from "../../../src/provider/secret.ts";

const KEY = "0123456789abcdef0123456789abcdef";
const LINES = [
  "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcw/gSjAgEAAoIBAQC7+VJTUt9Us8cK",
  "jMzEfYyjiWA4R4/M2bS1GB4t7NXp98C3SC6dVMvDuictGeurT8jNbvJZHtCSuYEv",
];
const ACCOUNT = new HiddenGoogleAccount({
  clientEmail: "tower@project.iam.gserviceaccount.com",
  privateKey: `-----BEGIN PRIVATE KEY-----\n${LINES.join("\n")}\nshort==\n-----END PRIVATE KEY-----\n`,
  privateKeyId: "8c0ffee8c0ffee8c0ffee8c0ffee8c0ffee8c0ff",
  tokenUri: "",
});
const TOKEN = "ya29.c.b0AXv0zTP/w+9-_=";
const SECRETS = [...secretsOf(ACCOUNT, TOKEN), ...secretsOf(new HiddenWebmasterKey(KEY), undefined)];

function redacted(text: string, sizes: readonly number[] = [text.length + 1]): string {
  const bytes = Buffer.from(text);
  const redactor = new Redactor(SECRETS);
  const told: Uint8Array[] = [];
  for (let [from, turn] = [0, 0]; from < bytes.byteLength; turn++) {
    const size = sizes[turn % sizes.length] ?? 1;
    // What it is given may be written over afterwards.
    const lent = Uint8Array.from(bytes.subarray(from, from + size));
    told.push(...redactor.push(lent).map((piece) => Uint8Array.from(piece)));
    lent.fill(0);
    from += size;
  }
  return Buffer.concat([...told, ...redactor.end()]).toString();
}

const slashed = (text: string) => JSON.stringify(text).slice(1, -1).replaceAll("/", "\\/");
const byCode = (text: string) => text.replace(/[+/@=]/g, (sign) => `\\u00${sign.charCodeAt(0).toString(16)}`);
const SPELLINGS = [
  (text: string) => text,
  encodeURIComponent,
  (text: string) => encodeURIComponent(text).replace(/%../g, (code) => code.toLowerCase()),
  slashed,
  byCode,
];

describe("secrets in an answer", () => {
  test("are taken out in every spelling, wherever they are split, and nothing else changes", () => {
    const part = fc.oneof(
      fc.string({ maxLength: 30 }).map((text) => [text, text] as const),
      fc
        .tuple(fc.constantFrom(...SECRETS), fc.constantFrom(...SPELLINGS))
        .map(([secret, spelled]) => [spelled(secret), "[secret]"] as const),
      fc
        .tuple(fc.constantFrom(...SECRETS), fc.nat(14))
        .map(([secret, less]) => secret.slice(0, -1 - less))
        .map((half) => [`${half}|`, `${half}|`] as const),
    );
    fc.assert(
      fc.property(
        fc.array(part, { maxLength: 8 }),
        fc.array(fc.integer({ min: 1, max: 90 }), { minLength: 1, maxLength: 4 }),
        (parts, sizes) => {
          const came = parts.map(([text]) => text).join("");
          expect(redacted(came, sizes)).toBe(parts.map(([, text]) => text).join(""));
        },
      ),
    );
  });

  test("of a key of a service account are each of its lines, its id, the address and the token", () => {
    expect(SECRETS).toEqual([ACCOUNT.clientEmail, ...LINES, ACCOUNT.privateKeyId, TOKEN, KEY]);
    const whole = JSON.stringify({ key: ACCOUNT.privateKey });
    expect(redacted(whole)).toBe(
      '{"key":"-----BEGIN PRIVATE KEY-----\\n[secret]\\n[secret]\\nshort==\\n-----END PRIVATE KEY-----\\n"}',
    );
  });

  test("that prove who owns a site go by their names, plainly, in JSON in JSON and in an address", () => {
    const site = (code: string) => ({
      AuthenticationCode: code,
      Url: "https://x/",
      DnsVerificationCode: `${code}.y`,
    });
    const text = JSON.stringify({ d: [site('1A"2\\'), site("B")] });
    const clean = JSON.stringify({
      d: Array(2).fill({
        AuthenticationCode: "[secret]",
        Url: "https://x/",
        DnsVerificationCode: "[secret]",
      }),
    });
    for (const size of [1, 2, 3, 7, 64, 1_000]) {
      expect(redacted(text, [size])).toBe(clean);
      expect(redacted(JSON.stringify(text), [size])).toBe(JSON.stringify(clean));
      expect(redacted(JSON.stringify(JSON.stringify(text)), [size])).toBe(
        JSON.stringify(JSON.stringify(clean)),
      );
      expect(redacted(encodeURIComponent(JSON.stringify({ d: site("1A") })), [size])).toBe(
        encodeURIComponent(
          '{"d":{"AuthenticationCode":"[secret]","Url":"https://x/","DnsVerificationCode":"[secret]"}}',
        ).replaceAll("%5Bsecret%5D", "[secret]"),
      );
    }
    expect(redacted('"AuthenticationCode" :\n "x" ')).toBe('"AuthenticationCode" :\n "[secret]" ');
    expect(redacted('{"DnsVerificationCode":"cut')).toBe('{"DnsVerificationCode":"[secret]');
  });

  test("are none where a name has no value", () => {
    for (const text of [
      '{"AuthenticationCode":null}',
      '{"AuthenticationCode":""}',
      "AuthenticationCode",
      '["AuthenticationCode","a"]',
      '{"keys":["what is my AuthenticationCode: a"]}',
    ]) {
      for (const size of [1, 5, 100]) expect(redacted(text, [size])).toBe(text);
    }
  });

  test("of a few signs are none: they would stand anywhere", () => {
    const redactor = new Redactor(["", "x", "abcd"]);
    const told = [...redactor.push(Buffer.from('{"x":"abcd"}')), ...redactor.end()];
    expect(Buffer.concat(told).toString()).toBe('{"x":"abcd"}');
  });

  test("of an answer that is begun anew are looked for anew", () => {
    const redactor = new Redactor(SECRETS);
    redactor.push(Buffer.from(`{"AuthenticationCode":"${KEY.slice(0, 20)}`));
    redactor.begin();
    const told = [...redactor.push(Buffer.from("{}")), ...redactor.end()];
    expect(Buffer.concat(told).toString()).toBe("{}");
  });
});
