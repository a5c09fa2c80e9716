/** The simulated Data API of analytics: its front end, its refusals in their order, its answers and their empty shapes, each recorded whole. */

import { afterAll, beforeEach, describe, expect, test } from "bun:test";
import { dayNumber, parseUtcDay, type UtcDay } from "../../../src/base/time.ts";
import { startSimulators } from "../../../src/demo/simulator/simulators.ts";
import type { SimulatedSite } from "../../../src/demo/simulator/world.ts";
import { authorized, recorded, told, WEBMASTERS } from "../../support/simulated_google.ts";

const START = Date.UTC(2026, 10, 22, 8);
let now = START;
const day = (text: string) => dayNumber(parseUtcDay(text) as UtcDay);
const site = (property: string, more: Partial<SimulatedSite> = {}): SimulatedSite => ({
  name: `${property}.example`,
  visitsPerDay: 200,
  firstDay: day("2026-01-01"),
  ...more,
  analytics: { property, timeZone: "Europe/Paris", customDimensions: ["error_message"], ...more.analytics },
});
const world = {
  sites: [
    site("1001"),
    site("1002", { visitsPerDay: 0 }),
    site("1003", { analytics: { property: "1003", timeZone: "UTC", tokensPerHour: 2 } }),
    site("1004", {
      analytics: {
        property: "1004",
        timeZone: "Europe/Paris",
        zoneChanges: [{ zone: "America/New_York", since: Date.UTC(2026, 10, 10, 12) }],
        thresholded: true,
        otherRow: true,
        sampled: { read: 500, of: 10_000 },
      },
    }),
    site("1005", {
      revisions: [{ at: START + 3_000_000, from: day("2026-11-10"), to: day("2026-11-11"), factor: 1.5 }],
    }),
  ],
  accounts: [{ name: "tower" }, { name: "narrow", sites: ["1001.example"] }],
};
const simulators = startSimulators({ now: () => now, seed: 7, world });
const headers = await authorized(simulators, START);
afterAll(() => simulators.stop());
beforeEach(() => {
  now = START;
  simulators.calm();
});

const address = (path: string) => `${simulators.urls.analyticsData}${path}`;
const post = (path: string, body: unknown, more: Readonly<Record<string, string>> = headers) =>
  fetch(address(path), {
    method: "POST",
    headers: more,
    body: typeof body === "string" ? body : JSON.stringify(body),
  });
const named = (...names: readonly string[]) => names.map((name) => ({ name }));
const range = (startDate: string, endDate = startDate) => ({ startDate, endDate });
const many = (count: number, name: string) => Array.from({ length: count }, () => ({ name }));
const WEEK = {
  dateRanges: [range("2026-11-16", "2026-11-22")],
  dimensions: named("date"),
  metrics: named("activeUsers", "sessions", "screenPageViews", "eventCount"),
  orderBys: [{ dimension: { dimensionName: "date" } }],
};
const report = (body: object, property = "1001", more = headers) =>
  told(post(`/v1beta/properties/${property}:runReport`, body, more));
const dates = (property: string, from: string, to: string) =>
  report({ ...WEEK, dateRanges: [range(from, to)] }, property);

describe("the front end", () => {
  test.each([
    ["GET", "/v1beta/properties/1001:runReport"],
    ["POST", "/v1beta/properties/1001:runReports"],
    ["POST", "/v1/properties/1001:runReport"],
    ["DELETE", "/v1beta/properties/1001:runReport"],
  ])("answers %s %s with a page, never with 405 and never with JSON", async (method, path) => {
    await recorded(fetch(address(path), { method, headers }));
  });

  test("asks for the token before it reads the body", async () => {
    for (const more of [{}, { authorization: "Bearer ya29.c.wrong" }]) {
      const answer = await recorded(post("/v1beta/properties/1001:runReport", "{ no JSON", more));
      expect(answer.headers.get("www-authenticate")).toMatchSnapshot();
    }
  });

  test("refuses a token that is not for it, and a property that its account was not added to as one that is not there", async () => {
    await report(WEEK, "1001", await authorized(simulators, START, { scope: WEBMASTERS }));
    const narrow = await authorized(simulators, START, { account: "narrow" });
    for (const property of ["1001", "1002", "9999"]) await report(WEEK, property, narrow);
  });

  test("names every key that it does not know, and where it stands", async () => {
    await report({ ...WEEK, foo: 1, dateRanges: [{ startDate: "2026-11-16", end: "2026-11-16" }] });
  });
});

const UNKNOWN = "customEvent:unknown_thing";
/** What is asked; each also breaks a later rule, so that the order is tried with it. */
const REFUSALS: readonly (readonly [what: string, body: object])[] = [
  ["a parameter that is not registered", { ...WEEK, dimensions: named(UNKNOWN), limit: -1 }],
  [
    "a parameter that is not registered, in a filter alone",
    { ...WEEK, dimensionFilter: { filter: { fieldName: UNKNOWN, inListFilter: { values: ["x"] } } } },
  ],
  ["a dimension that is none", { ...WEEK, dimensions: named("isKeyEven") }],
  ["a metric that is none", { ...WEEK, metrics: named("zebras") }],
  ["a limit below nought", { ...WEEK, limit: "-1", dateRanges: [] }],
  ["no range", { ...WEEK, dateRanges: [] }],
  ["a range that ends before it begins", { ...WEEK, dateRanges: [range("2026-01-02", "2026-01-01")] }],
  ["a date that is none", { ...WEEK, dateRanges: [range("xx", "2026-11-16")] }],
  ["ten dimensions", { ...WEEK, dimensions: many(10, "date") }],
  ["eleven metrics", { ...WEEK, metrics: many(11, "sessions") }],
  ["a dimension twice", { ...WEEK, dimensions: many(2, "date") }],
  ["nothing", { dateRanges: WEEK.dateRanges }],
];

describe("a report", () => {
  test.each(REFUSALS)("is refused that asks for %s", async (_, body) => {
    expect((await report(body))[0]).toBe(400);
  });

  test("is refused of a property that is no number", async () => {
    await report(WEEK, "abc");
  });

  test("is texts under the headers that were asked for, in the order that was asked for", async () => {
    await report({ ...WEEK, returnPropertyQuota: true });
  });

  test("leaves rows and their count out where there are none, and days on which nobody came", async () => {
    await report(WEEK, "1002");
    await dates("1001", "2025-12-30", "2026-01-02");
  });

  test("counts every row whatever its limit and offset are, and past its end has none", async () => {
    await report({ ...WEEK, limit: "2", offset: "4" });
    await report({ ...WEEK, offset: 7 });
  });

  test("is ordered by its first metric, the largest first, where no order is asked for", async () => {
    await report({ ...WEEK, orderBys: [] });
  });

  const hours = (property: string, date: string) => {
    const orderBys = [{ dimension: { dimensionName: "dateHour" } }];
    return report({ ...WEEK, dateRanges: [range(date)], dimensions: named("dateHour"), orderBys }, property);
  };
  test("has hours in the property's time zone; one that is gone through twice has one name", async () => {
    for (const date of ["2026-11-20", "2026-03-29", "2026-10-25"]) await hours("1001", date);
  });

  test("says what its figures are not: sampled, thresholded, a tail in one row", async () => {
    await report(WEEK, "1004");
  });

  test("has one long day where a time zone was changed to one behind, and days of before as they were", async () => {
    await dates("1001", "2026-11-08", "2026-11-12");
    await dates("1004", "2026-11-08", "2026-11-12");
    // The clock shows the six hours before noon twice, and they are counted together.
    for (const date of ["2026-11-09", "2026-11-10"]) await hours("1004", date);
  });
});

const LAST_30 = { name: "last30", startMinutesAgo: 29, endMinutesAgo: 0 };

describe("allowances", () => {
  test("an empty bucket is told by its name, without a moment, and is full again in the next hour; realtime has its own", async () => {
    for (let turn = 0; turn < 3; turn++) await report(WEEK, "1003");
    await told(
      post("/v1beta/properties/1003:runRealtimeReport", {
        metrics: named("activeUsers"),
        minuteRanges: [LAST_30],
      }),
    );
    now = START + 3_590_000;
    await report(WEEK, "1003");
    now = START + 3_600_000;
    await report(WEEK, "1003", await authorized(simulators, now));
  });

  test.each(
    "tokens-project-hour tokens-hour tokens-day concurrent thresholded client-errors server-errors".split(
      " ",
    ),
  )("%s can be told with any Retry-After, and with none", async (error) => {
    for (const retryAfter of [undefined, "120", "Sun, 22 Nov 2026 09:00:00 GMT", "soon", "99999999999"]) {
      simulators.script({ kind: "error", error, ...(retryAfter === undefined ? {} : { retryAfter }) });
      const answer = await recorded(post("/v1beta/properties/1001:runReport", WEEK));
      expect(answer.headers.get("retry-after")).toBe(retryAfter ?? null);
    }
  });
});

describe("other operations", () => {
  const realtime = (body: object, property = "1001") =>
    told(post(`/v1beta/properties/${property}:runRealtimeReport`, body));
  test("realtime says nothing at all while nobody is there", async () => {
    const body = { metrics: named("activeUsers", "eventCount"), minuteRanges: [LAST_30] };
    await realtime({ ...body, returnPropertyQuota: true }, "1002");
  });

  test("realtime names its ranges in a dimension of its own, and has no fields of reports", async () => {
    const metrics = named("activeUsers");
    const minuteRanges = [LAST_30, { ...LAST_30, name: "last5", startMinutesAgo: 4 }];
    await realtime({ metrics, minuteRanges });
    await realtime({ metrics: named("sessions") });
    await realtime({ metrics, dateRanges: [] });
    await realtime({ metrics, minuteRanges: [{ ...LAST_30, startMinutesAgo: 30 }] });
  });

  test.each(["service-disabled", "internal", "unavailable"])(
    "%s is told as it was captured",
    async (error) => {
      simulators.script({ kind: "error", error });
      await report(WEEK);
    },
  );
});
