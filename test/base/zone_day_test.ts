import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { dayOfNumber, isTimeZone, zoneDay } from "../../src/base/time.ts";

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
