import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import {
  addDays,
  dayNumber,
  dayOfNumber,
  daysBetween,
  formatInstant,
  isTimeZone,
  parseInstant,
  parseUtcDay,
  startOfDay,
  type UtcDay,
  utcDayOf,
  zoneDay,
  zonedHour,
} from "../../src/base/time.ts";

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

  test("a moment before the year 0001 of UTC, or after 9999, is no timestamp: its day could not be written", () => {
    expect(parseInstant("0001-01-01T00:00:00Z")).toBe(-62_135_596_800_000);
    expect(parseInstant("0001-01-01T00:59:59+01:00")).toBeUndefined();
    expect(parseInstant("0000-12-31T23:59:59-01:00")).toBeUndefined();
    expect(parseInstant("9999-12-31T23:59:59.999Z")).toBe(253_402_300_799_999);
    expect(parseInstant("9999-12-31T23:59:59-01:00")).toBeUndefined();
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

const day = (text: string): UtcDay => {
  const parsed = parseUtcDay(text);
  if (parsed === undefined) throw new TypeError(`${text} is no day`);
  return parsed;
};

describe("UTC days", () => {
  test("the day of an instant is that of UTC, to the last millisecond", () => {
    expect(utcDayOf(Date.UTC(2026, 2, 1, 23, 59, 59, 999))).toBe(day("2026-03-01"));
    expect(utcDayOf(Date.UTC(2026, 2, 2))).toBe(day("2026-03-02"));
    expect(utcDayOf(-1)).toBe(day("1969-12-31"));
  });

  for (const text of [
    "0000-12-31",
    "2026-02-29",
    "2026-13-01",
    "2026-00-01",
    "2026-3-1",
    "2026-03-01T00:00:00Z",
    "",
    "20260301",
    "+002026-03-01",
  ]) {
    test(`${JSON.stringify(text)} is no day`, () => {
      expect(parseUtcDay(text)).toBeUndefined();
    });
  }

  test("months and leap days are counted by the calendar", () => {
    expect(addDays(day("2026-03-31"), -30)).toBe(day("2026-03-01"));
    expect(addDays(day("2028-03-01"), -1)).toBe(day("2028-02-29"));
    expect(daysBetween(day("2028-02-28"), day("2028-03-01"))).toBe(2);
    expect(daysBetween(day("2026-03-02"), day("2026-03-01"))).toBe(-1);
  });

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

test("an instant has the day and the hour that clocks of the time zone show, through summer time and over midnight", () => {
  const shown = (at: string, zone: string) => zonedHour(Date.parse(at), zone);
  const of = (day: string, hour: number) => ({ day: dayNumber(day as UtcDay), hour });
  expect(shown("2026-11-20T12:30:00Z", "UTC")).toEqual(of("2026-11-20", 12));
  expect(shown("2026-11-20T23:30:00Z", "Europe/Paris")).toEqual(of("2026-11-21", 0));
  expect(shown("2026-07-01T23:30:00Z", "Europe/Paris")).toEqual(of("2026-07-02", 1));
  expect(shown("2026-01-01T03:00:00Z", "America/Los_Angeles")).toEqual(of("2025-12-31", 19));
  expect(shown("2026-10-25T00:30:00Z", "Europe/Paris")).toEqual(of("2026-10-25", 2));
  expect(shown("2026-10-25T01:30:00Z", "Europe/Paris")).toEqual(of("2026-10-25", 2));
  expect(() => shown("2026-01-01T00:00:00Z", "Nowhere/Land")).toThrow(RangeError);
});

const dayIn = (instant: string, timeZone: string): string =>
  dayOfNumber(zoneDay(Date.parse(instant), timeZone));

describe("the calendar day of an instant in a time zone", () => {
  test("begins at the zone's own midnight, also in zones of half and quarter hours", () => {
    for (const [timeZone, last, first] of [
      ["America/Los_Angeles", "2026-11-22T07:59:59.999Z", "2026-11-22T08:00:00Z"],
      ["Asia/Kolkata", "2026-11-21T18:29:59.999Z", "2026-11-21T18:30:00Z"],
      ["Asia/Kathmandu", "2026-11-21T18:14:59.999Z", "2026-11-21T18:15:00Z"],
      ["Pacific/Kiritimati", "2026-11-21T09:59:59.999Z", "2026-11-21T10:00:00Z"],
      ["Pacific/Pago_Pago", "2026-11-22T10:59:59.999Z", "2026-11-22T11:00:00Z"],
    ] as const) {
      expect([timeZone, dayIn(last, timeZone)]).toEqual([timeZone, "2026-11-21"]);
      expect([timeZone, dayIn(first, timeZone)]).toEqual([timeZone, "2026-11-22"]);
    }
  });

  test("the days on which clocks change have 23 and 25 hours", () => {
    // In Paris the clock goes forward on 29 March and back on 25 October 2026.
    expect(dayIn("2026-03-28T23:00:00Z", "Europe/Paris")).toBe("2026-03-29");
    expect(dayIn("2026-03-29T21:59:59Z", "Europe/Paris")).toBe("2026-03-29");
    expect(dayIn("2026-03-29T22:00:00Z", "Europe/Paris")).toBe("2026-03-30");
    expect(dayIn("2026-10-24T22:00:00Z", "Europe/Paris")).toBe("2026-10-25");
    expect(dayIn("2026-10-25T22:59:59Z", "Europe/Paris")).toBe("2026-10-25");
    expect(dayIn("2026-10-25T23:00:00Z", "Europe/Paris")).toBe("2026-10-26");
  });

  test("years end and leap days pass at the zone's midnight", () => {
    expect(dayIn("2027-01-01T07:59:59Z", "America/Los_Angeles")).toBe("2026-12-31");
    expect(dayIn("2026-12-31T15:00:00Z", "Asia/Tokyo")).toBe("2027-01-01");
    expect(dayIn("2028-02-29T23:59:59Z", "UTC")).toBe("2028-02-29");
    expect(dayIn("2028-03-01T04:00:00Z", "America/New_York")).toBe("2028-02-29");
  });

  test("a name that is no time zone is told, and refused", () => {
    for (const name of ["UTC", "Europe/Paris", "Asia/Calcutta", "Etc/GMT+5", "America/Argentina/Ushuaia"])
      expect([name, isTimeZone(name)]).toEqual([name, true]);
    for (const name of ["", "Mars/Olympus", "+02:00", "Europe/Paris ", "Europe/\0Paris", "x".repeat(200)]) {
      expect([name, isTimeZone(name)]).toEqual([name, false]);
      expect(() => zoneDay(0, name)).toThrow(RangeError);
    }
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
