import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { makeTokenText, parseTokenText } from "../../src/access/tokens.ts";
import { seededIds } from "../support/ids.ts";

const made = makeTokenText("smc", seededIds().bytes);

describe("token text (reliability 4.2)", () => {
  test("has the form prefix, key id of 8 base32, 43 base62, checksum of 6 base62", () => {
    expect(made.text).toMatch(/^smc_[a-z2-7]{8}_[0-9A-Za-z]{43}_[0-9A-Za-z]{6}$/);
    expect(made.text).toStartWith(`smc_${made.keyId}_`);
  });

  test("32 bytes of ones still fit 43 digits", () => {
    const { text } = makeTokenText("smt", (length) => new Uint8Array(length).fill(0xff));
    expect(parseTokenText(text)).toEqual({ prefix: "smt", keyId: "77777777" });
    // Fewer bytes would leave the first digit 0.
    expect(text).toMatch(/^smt_77777777_[^0]/);
  });

  test("is refused after any change of one character", () => {
    fc.assert(
      fc.property(
        fc.nat(made.text.length - 1),
        fc.constantFrom(..."0aAzZ_- é".split("")),
        (at, character) => {
          const changed = made.text.slice(0, at) + character + made.text.slice(at + 1);
          expect(parseTokenText(changed) === undefined || changed === made.text).toBe(true);
        },
      ),
    );
  });
});
