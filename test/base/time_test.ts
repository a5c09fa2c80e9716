import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import {
  addDays,
  daysBetween,
  formatInstant,
  isTimeZone,
  parseInstant,
  parseUtcDay,
  startOfDay,
  utcDayOf,
  zoneDay,
} from "../../src/base/time.ts";
import { recordEach } from "../support/mixtures.ts";
import { texts } from "../support/words.ts";

const WRITTEN = texts(
  "2026-03-01T02:30:00Z|2026-03-01T02:30:00.000Z|2026-03-01T04:30:00+02:00|2026-02-28T21:00:00-05:30",
  "2026-03-01T02:30:00-00:00||2026-03-01|2026-03-01T02:30Z|2026-03-01T02:30:00|2026-03-01 02:30:00Z",
  "2026-03-01T02:30:00+0200|2026-03-01T02:30:00+24:00|2026-03-01T02:30:00+02:60|2026-03-01T24:00:00Z",
  "2026-03-01T02:60:00Z|2026-03-01T23:59:60Z|2026-02-29T00:00:00Z|2026-02-30T00:00:00Z|2026-13-01T00:00:00Z",
  "2026-00-10T00:00:00Z|2026-01-00T00:00:00Z|2026-03-01T02:30:00.Z|2026-03-01T02:30:00.0123456789Z",
  " 2026-03-01T02:30:00Z|2026-03-01T02:30:00Z\n|+12026-03-01T02:30:00Z|٢٠٢٦-03-01T02:30:00Z|1772332200000",
  "2028-02-29T00:00:00Z|2000-02-29T00:00:00Z|1900-02-29T00:00:00Z|2026-03-01T23:59:59.999Z",
  "2026-03-01T23:59:59.9999Z|2026-03-01T23:59:59.999999999Z|2026-03-01T02:30:00.5Z|2026-03-01T02:30:00.001Z",
  "0000-12-31|0001-01-01T00:00:00Z|0001-01-01T00:59:59+01:00|0000-12-31T23:59:59-01:00",
  "9999-12-31T23:59:59.999Z|9999-12-31T23:59:59-01:00",
  "2026-02-29|2026-13-01|2026-00-01|2026-3-1|20260301|+002026-03-01",
);

describe("timestamps are ISO 8601 with an offset (spec, Resources)", () => {
  test("what is one, to the millisecond, what is a day, and what is neither is recorded", () => {
    recordEach(WRITTEN, (text) => {
      const at = parseInstant(text);
      return [at === undefined ? at : new Date(at).toISOString(), parseUtcDay(text)];
    });
  });

  test("every instant of these years is read back as it was written (property)", () => {
    fc.assert(
      fc.property(fc.integer({ min: -62_135_596_800_000, max: 253_402_300_799_999 }), (ms) => {
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

describe("UTC days", () => {
  test("adding days and counting them are each other's inverse, and text order is time order (property)", () => {
    const days = fc.integer({ min: -700_000, max: 2_900_000 }).map((n) => utcDayOf(n * 86_400_000));
    fc.assert(
      fc.property(days, fc.integer({ min: -1_000, max: 1_000 }), (from, distance) => {
        const to = addDays(from, distance);
        expect(daysBetween(from, to)).toBe(distance);
        expect(Math.sign(distance)).toBe(from < to ? 1 : from === to ? 0 : -1);
        expect(utcDayOf(startOfDay(from))).toBe(from);
      }),
    );
  });
});

test("a name that is no time zone is told, and refused", () => {
  const names =
    "UTC|Europe/Paris|Asia/Calcutta|Etc/GMT+5|America/Argentina/Ushuaia||Mars/Olympus|+02:00|Europe/Paris |Europe/\0Paris";
  recordEach([...names.split("|"), "x".repeat(200)], (name) => {
    if (!isTimeZone(name)) expect(() => zoneDay(0, name)).toThrow(RangeError);
    return isTimeZone(name);
  });
});

test("time never takes a day back, and one hour later it is the same day or the next one", () => {
  // Samoa left out 30 December 2011 whole: two days on within an hour.
  const skipped = new Set(["Pacific/Apia", "Pacific/Fakaofo"]);
  const zones = Intl.supportedValuesOf("timeZone").filter((zone) => !skipped.has(zone));
  const from = Date.parse("2000-01-01T00:00:00Z");
  const to = Date.parse("2100-01-01T00:00:00Z");
  fc.assert(
    fc.property(fc.integer({ min: from, max: to }), fc.constantFrom(...zones), (ms, zone) => {
      const day = zoneDay(ms, zone);
      expect([0, 1]).toContain(zoneDay(ms + 3_600_000, zone) - day);
      // No calendar is further from UTC than 14 hours.
      expect([-1, 0, 1]).toContain(day - Math.floor(ms / 86_400_000));
    }),
  );
});
