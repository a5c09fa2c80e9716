import { describe, expect, test } from "bun:test";
import { inspect } from "node:util";
import fc from "fast-check";
import { NONCE_BYTES } from "../../src/base/keys.ts";
import { hidden, openSecret, type Secret, sealSecret, textOf } from "../../src/providers/sealing.ts";
import { keysOf } from "../support/keys.ts";

const key = () => {
  const own = keysOf(1).sealing();
  if (own === undefined) throw new Error("a key seals");
  return own;
};
const SECRET = hidden({
  kind: "google-service-account",
  clientEmail: "canary-mail@harbor.example",
  privateKey: "canary-private-key",
  privateKeyId: "canary-key-id",
  tokenUri: "https://canary-token.example/",
});
const CANARY = /canary/;
const nonce = new Uint8Array(NONCE_BYTES).fill(3);
const ROW = { id: "row-1", editRevision: 4 };
const told = (secret: Secret | undefined) => secret && textOf(secret);
const sealed = sealSecret(key(), ROW, SECRET, nonce);

describe("a sealed credential opens in its own row alone (reliability 4.4)", () => {
  test("with the same key, row and edit revision it is what was sealed", () => {
    expect(told(openSecret(key(), { ...ROW, sealed }))).toBe(textOf(SECRET));
    const other = hidden({ kind: "webmaster-tools-key", key: "0123456789abcdef" });
    const text = sealSecret(key(), ROW, other, nonce);
    expect(told(openSecret(key(), { ...ROW, sealed: text }))).toBe(textOf(other));
  });

  test("in another row, rolled back, or with the key of another installation or purpose, it does not open", () => {
    for (const other of [{ id: "row-2" }, ...[1, 3, 5, 44].map((editRevision) => ({ editRevision }))])
      expect(openSecret(key(), { ...ROW, ...other, sealed })).toBeUndefined();
    const another = keysOf(2).sealing();
    if (another === undefined) throw new Error("a key seals");
    expect(openSecret(another, { ...ROW, sealed })).toBeUndefined();
    expect(key().open(sealed, "credential|row-1|4|0000000000000000")).toBeUndefined();
  });

  test("with any one bit changed, or cut short anywhere, it does not open", () => {
    const bytes = Buffer.from(sealed, "base64");
    fc.assert(
      fc.property(fc.integer({ min: 0, max: bytes.length * 8 - 1 }), (bit) => {
        const changed = Buffer.from(bytes);
        changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7));
        expect(openSecret(key(), { ...ROW, sealed: changed.toString("base64") })).toBeUndefined();
        const cut = bytes.subarray(0, bit >> 3).toString("base64");
        expect(openSecret(key(), { ...ROW, sealed: cut })).toBeUndefined();
      }),
    );
    expect(openSecret(key(), { ...ROW, sealed: "" })).toBeUndefined();
    expect(openSecret(key(), { ...ROW, sealed: "no base64 at all" })).toBeUndefined();
  });

  test("the same secret sealed twice looks like two: each has a nonce of its own, and nothing of the secret in it", () => {
    const again = sealSecret(key(), ROW, SECRET, new Uint8Array(NONCE_BYTES).fill(4));
    expect(again).not.toBe(sealed);
    expect(Buffer.from(sealed, "base64").toString("latin1")).not.toMatch(CANARY);
  });
});

describe("a secret shows nothing of itself", () => {
  for (const secret of [SECRET, hidden({ kind: "webmaster-tools-key", key: "canary-key-of-tools" })]) {
    test(`printed, logged, thrown or written as JSON (${secret.kind})`, () => {
      const texts = [
        JSON.stringify({ secret }),
        JSON.stringify({ ...secret }),
        `${secret}`,
        inspect({ secret }, { showHidden: true, depth: 9 }),
        Bun.inspect({ secret }),
        String(new Error(`no ${secret}`)),
        Object.entries(secret).join(),
      ];
      for (const text of texts) expect(text).not.toMatch(CANARY);
    });
  }
});

test("an installation's key and those before it: what the key before sealed is opened, and what is sealed now is of the key in force", () => {
  const keys = keysOf(1);
  const before = keys.id;
  keys.turnTo(keysOf(2));
  expect([keys.id, keys.sealing()?.id, keys.sealing(before)?.id]).toEqual([
    keysOf(2).id,
    keysOf(2).id,
    before,
  ]);
  const old = keys.sealing(before);
  expect(told(old && openSecret(old, { ...ROW, sealed }))).toBe(textOf(SECRET));
  expect(keys.sealing("ffffffffffffffff")).toBeUndefined();
  expect(keys.forPurpose("audit").mac("x")).toBe(keysOf(2).forPurpose("audit").mac("x"));
});
