import { expect, test } from "bun:test";
import { dayNumber, type UtcDay, zonedHour } from "../../src/base/time.ts";

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
