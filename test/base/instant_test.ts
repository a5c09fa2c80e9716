import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { formatInstant, parseInstant } from "../../src/base/time.ts";

const AT = Date.UTC(2026, 2, 1, 2, 30);

describe("timestamps are ISO 8601 with an offset (spec, Resources)", () => {
  for (const text of [
    "2026-03-01T02:30:00Z",
    "2026-03-01T02:30:00.000Z",
    "2026-03-01T04:30:00+02:00",
    "2026-02-28T21:00:00-05:30",
    "2026-03-01T02:30:00-00:00",
  ]) {
    test(`${text} is the same moment as its UTC form`, () => {
      expect(parseInstant(text)).toBe(AT);
    });
  }

  for (const text of [
    "",
    "2026-03-01",
    "2026-03-01T02:30Z",
    "2026-03-01T02:30:00",
    "2026-03-01 02:30:00Z",
    "2026-03-01T02:30:00+0200",
    "2026-03-01T02:30:00+24:00",
    "2026-03-01T02:30:00+02:60",
    "2026-03-01T24:00:00Z",
    "2026-03-01T02:60:00Z",
    "2026-03-01T23:59:60Z",
    "2026-02-29T00:00:00Z",
    "2026-02-30T00:00:00Z",
    "2026-13-01T00:00:00Z",
    "2026-00-10T00:00:00Z",
    "2026-01-00T00:00:00Z",
    "2026-03-01T02:30:00.Z",
    "2026-03-01T02:30:00.0123456789Z",
    " 2026-03-01T02:30:00Z",
    "2026-03-01T02:30:00Z\n",
    "+12026-03-01T02:30:00Z",
    "٢٠٢٦-03-01T02:30:00Z",
    "1772332200000",
  ]) {
    test(`${JSON.stringify(text)} is no timestamp`, () => {
      expect(parseInstant(text)).toBeUndefined();
    });
  }

  test("29 February is a day of a leap year, also of 2000, but not of 1900", () => {
    expect(parseInstant("2028-02-29T00:00:00Z")).toBe(Date.UTC(2028, 1, 29));
    expect(parseInstant("2000-02-29T00:00:00Z")).toBe(Date.UTC(2000, 1, 29));
    expect(parseInstant("1900-02-29T00:00:00Z")).toBeUndefined();
  });

  test("a fraction is cut to milliseconds and never carries into the next second or day", () => {
    const last = Date.UTC(2026, 2, 1, 23, 59, 59, 999);
    expect(parseInstant("2026-03-01T23:59:59.999Z")).toBe(last);
    expect(parseInstant("2026-03-01T23:59:59.9999Z")).toBe(last);
    expect(parseInstant("2026-03-01T23:59:59.999999999Z")).toBe(last);
    expect(parseInstant("2026-03-01T02:30:00.5Z")).toBe(AT + 500);
    expect(parseInstant("2026-03-01T02:30:00.001Z")).toBe(AT + 1);
  });

  test("a moment whose UTC year has not four digits is no timestamp: its day could not be written", () => {
    expect(parseInstant("0000-01-01T00:00:00Z")).toBe(-62_167_219_200_000);
    expect(parseInstant("0000-01-01T00:59:59+01:00")).toBeUndefined();
    expect(parseInstant("9999-12-31T23:59:59.999Z")).toBe(253_402_300_799_999);
    expect(parseInstant("9999-12-31T23:59:59-01:00")).toBeUndefined();
  });

  test("every instant of four-digit years is read back as it was written (property)", () => {
    fc.assert(
      fc.property(fc.integer({ min: -62_167_219_200_000, max: 253_402_300_799_999 }), (ms) => {
        expect(parseInstant(formatInstant(ms))).toBe(ms);
      }),
    );
  });

  test("any text is read as Date.parse reads it or refused, and nothing throws (property)", () => {
    const part = (n: number, width: number) => String(n).padStart(width, "0");
    const texts = fc
      .tuple(
        fc.nat(9999),
        fc.nat(13),
        fc.nat(32),
        fc.nat(25),
        fc.nat(61),
        fc.nat(61),
        fc.constantFrom("Z", "+02:00", "-11:45", ""),
      )
      .map(
        ([y, mo, d, h, mi, s, zone]) =>
          `${part(y, 4)}-${part(mo, 2)}-${part(d, 2)}T${part(h, 2)}:${part(mi, 2)}:${part(s, 2)}${zone}`,
      );
    fc.assert(
      fc.property(fc.oneof(texts, fc.string()), (text) => {
        const ms = parseInstant(text);
        if (ms !== undefined) expect(ms).toBe(Date.parse(text));
      }),
    );
  });
});
