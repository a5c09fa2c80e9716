import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { formatInstant } from "../../src/base/time.ts";
import { readMoment } from "../../src/sites/annotations.ts";

describe("the moment of an annotation (decisions 3: at is compared as an instant)", () => {
  test("nine digits of a second are kept, and trailing zeros make no difference", () => {
    expect(readMoment("2026-03-01T07:30:00.123456789Z")?.instant).toBe("2026-03-01T07:30:00.123456789Z");
    expect(readMoment("2026-03-01T07:30:00.5Z")).toEqual(readMoment("2026-03-01T07:30:00.500000000Z"));
    expect(readMoment("2026-03-01T07:30:00.1Z")?.instant).not.toBe(
      readMoment("2026-03-01T07:30:00.100000001Z")?.instant,
    );
  });

  test("what is no timestamp has no moment", () => {
    for (const text of [
      "",
      "2026-03-01",
      "2026-02-30T00:00:00Z",
      "2026-03-01T00:00:00",
      "2026-03-01T00:00:00.1234567890Z",
    ]) {
      expect(readMoment(text)).toBeUndefined();
    }
  });

  test("every offset of a moment gives the same instant, and instants sort as moments do", () => {
    const moment = fc.record({
      ms: fc.integer({ min: Date.UTC(1971, 0, 1), max: Date.UTC(2100, 0, 1) }),
      finer: fc.integer({ min: 0, max: 999_999 }),
      offset: fc.integer({ min: -1439, max: 1439 }),
    });
    const spell = ({ ms, finer, offset }: { ms: number; finer: number; offset: number }) => {
      const local = formatInstant(ms + offset * 60_000).slice(0, -1);
      const size = Math.abs(offset);
      const two = (value: number) => String(value).padStart(2, "0");
      const zone = `${offset < 0 ? "-" : "+"}${two(Math.floor(size / 60))}:${two(size % 60)}`;
      return `${local}${String(finer).padStart(6, "0")}${zone}`;
    };
    fc.assert(
      fc.property(moment, fc.integer({ min: -1439, max: 1439 }), moment, (one, offset, other) => {
        const read = readMoment(spell(one));
        expect(read).toEqual(readMoment(spell({ ...one, offset })));
        expect(read?.ms).toBe(one.ms);
        const after = one.ms - other.ms || one.finer - other.finer;
        const compared = (read?.instant ?? "") < (readMoment(spell(other))?.instant ?? "") ? -1 : 1;
        if (after !== 0) expect(compared).toBe(Math.sign(after));
      }),
    );
  });
});
