import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { MAX_RETRY_AFTER_MS, retryAfterMs } from "../../src/base/http.ts";

const NOW = Date.parse("2026-03-01T00:00:00Z");

describe("Retry-After (RFC 9110, 10.2.3)", () => {
  test("is whole seconds", () => {
    expect(retryAfterMs("120", NOW)).toBe(120_000);
    expect(retryAfterMs(" 1 ", NOW)).toBe(1_000);
  });

  test("is an HTTP date in each of its three forms", () => {
    for (const date of [
      "Sun, 01 Mar 2026 00:01:00 GMT",
      "Sunday, 01-Mar-26 00:01:00 GMT",
      "Sun Mar  1 00:01:00 2026",
    ])
      expect([date, retryAfterMs(date, NOW)]).toEqual([date, 60_000]);
  });

  test("is believed for a day at most", () => {
    for (const long of [
      "86401",
      "9".repeat(400),
      "Wed, 01 Apr 2026 00:00:00 GMT",
      "Fri, 31 Dec 9999 23:59:59 GMT",
    ])
      expect([long, retryAfterMs(long, NOW)]).toEqual([long, MAX_RETRY_AFTER_MS]);
  });

  test("says nothing where it is over, no time at all, or no such value", () => {
    for (const header of [
      null,
      "",
      "0",
      "-1",
      "+5",
      "1.5",
      "1e3",
      "0x10",
      "soon",
      "2026-03-02",
      "2026-03-02T00:00:00Z",
      "Sat, 28 Feb 2026 00:00:00 GMT",
      "Sunday, 06-Nov-94 08:49:37 GMT",
      "Mon, 30 Feb 2026 00:00:00 GMT",
      "Mon, 02 Mar 2026 25:00:00 GMT",
      "Mon, 02 Mar 2026 00:00:00 PST",
    ])
      expect([header, retryAfterMs(header, NOW)]).toEqual([header, undefined]);
  });

  test("no header whatever makes a pause that is none or longer than a day", () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.integer().map(String),
          fc.date({ noInvalidDate: true }).map((date) => date.toUTCString()),
        ),
        (header) => {
          const ms = retryAfterMs(header, NOW);
          expect(ms === undefined || (ms > 0 && ms <= MAX_RETRY_AFTER_MS)).toBe(true);
        },
      ),
    );
  });
});
