/** The simulated Data API of analytics: its front end, its refusals in their order, its answers and their empty shapes. */

import { afterAll, beforeEach, describe, expect, test } from "bun:test";
import { dayNumber, parseUtcDay, type UtcDay } from "../../../src/base/time.ts";
import { startSimulators } from "../../../src/demo/simulator/simulators.ts";
import type { SimulatedSite } from "../../../src/demo/simulator/world.ts";
import { authorized, told, WEBMASTERS } from "../../support/simulated_google.ts";

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
    site("1003", { analytics: { property: "1003", timeZone: "UTC", quota: { tokensPerHour: 2 } } }),
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
    site("1006", { analytics: { property: "1006", timeZone: "UTC", quota: { concurrentRequests: 2 } } }),
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
const WEEK = {
  dateRanges: [{ startDate: "2026-11-16", endDate: "2026-11-22" }],
  dimensions: named("date"),
  metrics: named("activeUsers", "sessions", "screenPageViews", "eventCount"),
  orderBys: [{ dimension: { dimensionName: "date" } }],
};
const report = (body: unknown, property = "1001") =>
  told(post(`/v1beta/properties/${property}:runReport`, body));
const dates = async (property: string, from: string, to: string) => {
  const [, answer] = await report({ ...WEEK, dateRanges: [{ startDate: from, endDate: to }] }, property);
  return (answer.rows ?? []).map(
    (row) => [row.dimensionValues?.[0]?.value, Number(row.metricValues?.[0]?.value)] as const,
  );
};

describe("the front end", () => {
  test.each([
    ["GET", "/v1beta/properties/1001:runReport"],
    ["POST", "/v1beta/properties/1001:runReports"],
    ["POST", "/v1/properties/1001:runReport"],
    ["DELETE", "/v1beta/properties/1001/metadata"],
  ])("answers %s %s with a page, never with 405 and never with JSON", async (method, path) => {
    const answer = await fetch(address(path), { method, headers });
    expect([answer.status, answer.headers.get("content-type")]).toEqual([404, "text/html; charset=UTF-8"]);
    expect(await answer.text()).toContain("<title>Error 404 (Not Found)!!1</title>");
  });

  test("asks for the token before it reads the body", async () => {
    const without = await post("/v1beta/properties/1001:runReport", "{ no JSON", {});
    const wrong = await post("/v1beta/properties/1001:runReport", "{ no JSON", {
      authorization: "Bearer ya29.c.wrong",
    });
    expect([without.status, wrong.status]).toEqual([401, 401]);
    expect(without.headers.get("www-authenticate")).toBe('Bearer realm="https://accounts.google.com/"');
    expect(wrong.headers.get("www-authenticate")).toBe(
      'Bearer realm="https://accounts.google.com/", error="invalid_token"',
    );
    expect(await without.json()).toMatchObject({
      error: {
        status: "UNAUTHENTICATED",
        details: [
          {
            reason: "CREDENTIALS_MISSING",
            metadata: { method: "google.analytics.data.v1beta.BetaAnalyticsData.RunReport" },
          },
        ],
      },
    });
    expect(Object.keys(((await wrong.json()) as { error: object }).error)).toEqual([
      "code",
      "message",
      "status",
    ]);
  });

  test("refuses a token that is not for it, and a property that its account was not added to as one that is not there", async () => {
    const foreign = await authorized(simulators, START, { scope: WEBMASTERS });
    const [status, { error }] = await told(post("/v1beta/properties/1001:runReport", WEEK, foreign));
    expect([status, error?.message, error?.details?.[0]?.["reason"]]).toEqual([
      403,
      "Request had insufficient authentication scopes.",
      "ACCESS_TOKEN_SCOPE_INSUFFICIENT",
    ]);
    const narrow = await authorized(simulators, START, { account: "narrow" });
    const seen = (property: string) => told(post(`/v1beta/properties/${property}:runReport`, WEEK, narrow));
    expect((await seen("1001"))[0]).toBe(200);
    expect(await seen("1002")).toEqual(await seen("9999"));
    expect(await seen("9999")).toMatchObject([403, { error: { status: "PERMISSION_DENIED" } }]);
  });

  test("names every key that it does not know, and where it stands", async () => {
    const [status, { error }] = await report({
      ...WEEK,
      foo: 1,
      dateRanges: [{ startDate: "today", end: "today" }],
    });
    expect([status, error?.status]).toEqual([400, "INVALID_ARGUMENT"]);
    expect(error?.message).toContain('Unknown name "foo": Cannot find field.');
    expect(error?.message).toContain(`Unknown name "end" at 'date_ranges[0]': Cannot find field.`);
    expect(error?.details?.[0]).toMatchObject({ "@type": "type.googleapis.com/google.rpc.BadRequest" });
  });
});

const range = (startDate: string, endDate: string) => ({ startDate, endDate });
const many = (count: number, name: string) => Array.from({ length: count }, () => ({ name }));
/** What is asked, and the words of the refusal; each also breaks a later rule, so that the order is tried with it. */
const REFUSALS: readonly (readonly [what: string, body: object, message: string])[] = [
  [
    "a parameter that is not registered",
    { ...WEEK, dimensions: named("customEvent:unknown_thing"), limit: -1 },
    "Field customEvent:unknown_thing is not a valid dimension. For a list of valid dimensions and metrics, see https://developers.google.com/analytics/devguides/reporting/data/v1/api-schema ",
  ],
  [
    "a parameter that is not registered, in a filter alone",
    {
      ...WEEK,
      dimensionFilter: { filter: { fieldName: "customEvent:unknown_thing", stringFilter: { value: "x" } } },
    },
    "Field customEvent:unknown_thing is not a valid dimension.",
  ],
  [
    "a name that nearly is one",
    { ...WEEK, dimensions: named("isKeyEven") },
    "Did you mean isKeyEvent? Field isKeyEven is not a valid dimension.",
  ],
  [
    "a metric that is none",
    { ...WEEK, metrics: named("zebras") },
    "Field zebras is not a valid metric.  For a list",
  ],
  [
    "a limit below nought",
    { ...WEEK, limit: "-1", dateRanges: [] },
    "limit must be positive. The API received limit = -1",
  ],
  ["no range", { ...WEEK, dateRanges: [] }, "A dateRange is required."],
  [
    "a range that ends before it begins",
    { ...WEEK, dateRanges: [range("2026-01-02", "2026-01-01")] },
    "start_date must be less than or equal to end_date. start_date = 2026-01-02 and end_date = 2026-01-01",
  ],
  [
    "a date that is none",
    { ...WEEK, dateRanges: [range("xx", "today")] },
    "Invalid startDate : xx. startDate must be YYYY-MM-DD, NdaysAgo, yesterday, or today.",
  ],
  [
    "five ranges",
    { ...WEEK, dateRanges: Array.from({ length: 5 }, () => range("today", "today")) },
    "Requests are limited to 4 dateRanges.\n  This request contains 5 dateRanges.",
  ],
  [
    "ten dimensions",
    { ...WEEK, dimensions: many(10, "date") },
    "Requests are limited to 9 dimensions within a nested request. ",
  ],
  [
    "eleven metrics",
    { ...WEEK, metrics: many(11, "sessions") },
    "Requests are limited to 10 metrics within a nested request. ",
  ],
  ["a dimension twice", { ...WEEK, dimensions: many(2, "date") }, "Found duplicate dimensions: date"],
  [
    "nothing",
    { dateRanges: WEEK.dateRanges },
    "Requests require dimensions and/or metrics. Most requests include both.",
  ],
  [
    "what does not go together",
    { ...WEEK, dimensions: named("dateHour"), metrics: named("itemRevenue") },
    "Please remove dateHour to make the request compatible.",
  ],
];

describe("a report", () => {
  test.each(REFUSALS)("is refused that asks for %s", async (_, body, message) => {
    const [status, { error }] = await report(body);
    expect([status, error?.status, error?.message.startsWith(message)]).toEqual([
      400,
      "INVALID_ARGUMENT",
      true,
    ]);
  });

  test("is refused of a property that is no number", async () => {
    const [status, { error }] = await report(WEEK, "abc");
    expect([status, error?.message.startsWith("Invalid property ID: abc.")]).toEqual([400, true]);
  });

  test("is texts under the headers that were asked for, in the order that was asked for", async () => {
    const [status, answer] = await report({ ...WEEK, returnPropertyQuota: true });
    expect(status).toBe(200);
    expect(answer).toMatchObject({
      dimensionHeaders: [{ name: "date" }],
      metricHeaders: WEEK.metrics.map(({ name }) => ({ name, type: "TYPE_INTEGER" })),
      rowCount: 7,
      metadata: { currencyCode: "EUR", timeZone: "Europe/Paris" },
      kind: "analyticsData#runReport",
    });
    expect((await dates("1001", "2026-11-16", "2026-11-22")).map(([date]) => date)).toEqual(
      ["16", "17", "18", "19", "20", "21", "22"].map((last) => `202611${last}`),
    );
    expect(answer.propertyQuota?.["concurrentRequests"]).toEqual({ consumed: 0, remaining: 10 });
    expect(answer.rows?.[0]?.metricValues?.map(({ value }) => typeof value)).toEqual([
      "string",
      "string",
      "string",
      "string",
    ]);
  });

  test("leaves rows and their count out where there are none, and days on which nobody came", async () => {
    const [, answer] = await report(WEEK, "1002");
    expect(["rows", "rowCount"].filter((key) => key in answer)).toEqual([]);
    expect(Object.keys(answer).sort()).toEqual(["dimensionHeaders", "kind", "metadata", "metricHeaders"]);
    expect((await dates("1001", "2025-12-30", "2026-01-02")).map(([date]) => date)).toEqual([
      "20260101",
      "20260102",
    ]);
  });

  test("counts every row whatever its limit and offset are, and past its end has none", async () => {
    const [, page] = await report({ ...WEEK, limit: "2", offset: "4" });
    expect([page.rows?.length, page.rowCount]).toEqual([2, 7]);
    const [, past] = await report({ ...WEEK, offset: 7 });
    expect(["rows" in past, past.rowCount]).toEqual([false, 7]);
  });

  test("is ordered by its first metric, the largest first, where no order is asked for", async () => {
    const [, { rows = [] }] = await report({ ...WEEK, orderBys: [] });
    const users = rows.map((row) => Number(row.metricValues?.[0]?.value));
    expect(users).toEqual([...users].sort((one, other) => other - one));
  });

  test("has hours in the property's time zone, 23 and 25 of them when its clocks change", async () => {
    const hours = async (date: string) => {
      const [, { rows = [] }] = await report({
        ...WEEK,
        dateRanges: [range(date, date)],
        dimensions: named("dateHour"),
        orderBys: [{ dimension: { dimensionName: "dateHour" } }],
      });
      return rows.map((row) => row.dimensionValues?.[0]?.value.slice(8));
    };
    expect((await hours("2026-11-20")).length).toBe(24);
    const spring = await hours("2026-03-29");
    expect([spring.length, spring.includes("02")]).toEqual([23, false]);
    // The hour that is gone through twice has one name.
    expect((await hours("2026-10-25")).length).toBe(24);
  });

  test("tells more of a day as it settles, and never less", async () => {
    const seen: number[] = [];
    for (const hours of [0, 4, 8, 12, 24, 36, 64, 96]) {
      now = START + hours * 3_600_000;
      const again = await authorized(simulators, now);
      const [, { rows = [] }] = await told(
        post(
          "/v1beta/properties/1001:runReport",
          { ...WEEK, dateRanges: [range("2026-11-22", "2026-11-22")] },
          again,
        ),
      );
      seen.push(Number(rows[0]?.metricValues?.[0]?.value ?? 0));
    }
    expect(seen).toEqual([...seen].sort((one, other) => one - other));
    expect(seen[0]).toBeLessThan((seen[4] ?? 0) * 0.6);
    expect([seen[4] === seen[7], seen[6] === seen[7]]).toEqual([false, true]);
  });

  test("changes days that were settled, from a planted moment on", async () => {
    const before = await dates("1005", "2026-11-09", "2026-11-12");
    now = START + 3_000_000;
    const after = await dates("1005", "2026-11-09", "2026-11-12");
    const factors = before.map(([, users], place) => (after[place]?.[1] ?? 0) / users);
    expect(factors.map((factor) => Math.round(factor * 10) / 10)).toEqual([1, 1.5, 1.5, 1]);
  });

  test("says what its figures are not: sampled, thresholded, a tail in one row", async () => {
    const [, { metadata }] = await report(WEEK, "1004");
    expect(metadata).toMatchObject({
      dataLossFromOtherRow: true,
      subjectToThresholding: true,
      samplingMetadatas: [{ samplesReadCount: "500", samplingSpaceSize: "10000" }],
      timeZone: "America/New_York",
    });
  });

  test("has one long day where a time zone was changed to one behind, and days of before as they were", async () => {
    const usual = await dates("1001", "2026-11-08", "2026-11-12");
    const changed = await dates("1004", "2026-11-08", "2026-11-12");
    expect(changed.map(([date]) => date)).toEqual(usual.map(([date]) => date));
    const hours = async (property: string, date: string) => {
      const [, { rowCount }] = await report(
        { ...WEEK, dimensions: named("dateHour"), orderBys: [], dateRanges: [range(date, date)] },
        property,
      );
      return rowCount;
    };
    // The clock shows the six hours before noon twice, and they are counted together.
    expect([await hours("1004", "2026-11-09"), await hours("1004", "2026-11-10")]).toEqual([24, 24]);
    const [, { rows = [] }] = await report(
      {
        ...WEEK,
        dimensions: named("dateHour"),
        dateRanges: [range("2026-11-10", "2026-11-10")],
        orderBys: [],
      },
      "1004",
    );
    const users = rows.reduce((sum, row) => sum + Number(row.metricValues?.[0]?.value), 0);
    expect(users).toBeGreaterThan(200);
  });

  test("of several ranges says which of them a row is of", async () => {
    const [, { rows = [], ...answer }] = await report({
      dateRanges: [
        range("2026-11-16", "2026-11-16"),
        { ...range("2026-11-17", "2026-11-17"), name: "second" },
      ],
      metrics: named("sessions"),
    });
    expect(answer["dimensionHeaders"]).toEqual(named("dateRange"));
    expect(rows.map((row) => row.dimensionValues?.[0]?.value).sort()).toEqual(["date_range_0", "second"]);
  });

  test("is filtered by fields that it does not show", async () => {
    const filter = (values: readonly string[]) => ({
      filter: { fieldName: "eventName", inListFilter: { values } },
    });
    const count = async (dimensionFilter: object) => {
      const [, { rows = [] }] = await report({
        ...WEEK,
        dimensions: [],
        orderBys: [],
        metrics: named("eventCount"),
        dimensionFilter,
      });
      return Number(rows[0]?.metricValues?.[0]?.value);
    };
    const [one, both] = [await count(filter(["exception"])), await count(filter(["exception", "page_view"]))];
    expect(one).toBeGreaterThan(0);
    expect(both).toBeGreaterThan(one);
    const others = await count({ notExpression: filter(["exception"]) });
    expect(others).toBeGreaterThan(both);
  });
});

describe("allowances", () => {
  test("an empty bucket is told by its name, without a moment, and is full again in the next hour; realtime has its own", async () => {
    const once = await report(WEEK, "1003");
    const short = async () => {
      const [status, { error }] = await report(WEEK, "1003");
      return [status, error?.status, error?.message.slice(0, 35)];
    };
    expect(once[0]).toBe(200);
    await report(WEEK, "1003");
    expect(await short()).toEqual([429, "RESOURCE_EXHAUSTED", "Exhausted property tokens per hour."]);
    const realtime = await told(
      post("/v1beta/properties/1003:runRealtimeReport", { metrics: named("activeUsers") }),
    );
    expect(realtime[0]).toBe(200);
    now = START + 3_590_000;
    expect((await short())[0]).toBe(429);
    now = START + 3_600_000;
    const next = await authorized(simulators, now);
    expect((await post("/v1beta/properties/1003:runReport", WEEK, next)).status).toBe(200);
  });

  test("more requests at once than are allowed are refused, and only those", async () => {
    simulators.script({ kind: "slow", ms: 60 }, { property: "1006", times: 4 });
    const statuses = await Promise.all([0, 1, 2, 3].map(async () => (await report(WEEK, "1006"))[0]));
    expect(statuses.sort()).toEqual([200, 200, 429, 429]);
    expect((await report(WEEK, "1006"))[0]).toBe(200);
    expect(simulators.inFlightMost).toBeGreaterThanOrEqual(4);
  });

  test.each([
    ["tokens-project-hour", "Exhausted property tokens for a project per hour."],
    ["tokens-hour", "Exhausted property tokens per hour."],
    ["tokens-day", "Exhausted property tokens per day."],
    ["concurrent", "Exhausted concurrent requests quota."],
    ["thresholded", "Exhausted potentially thresholded requests quota."],
    ["client-errors", "Exhausted client errors quota."],
    ["server-errors", "Exhausted server errors quota"],
  ])("%s can be told with any Retry-After, and with none", async (error, message) => {
    for (const retryAfter of [undefined, "120", "Sun, 22 Nov 2026 09:00:00 GMT", "soon", "99999999999"]) {
      simulators.script({ kind: "error", error, ...(retryAfter === undefined ? {} : { retryAfter }) });
      const answer = await post("/v1beta/properties/1001:runReport", WEEK);
      expect([answer.status, answer.headers.get("retry-after")]).toEqual([429, retryAfter ?? null]);
      expect(((await answer.json()) as { error: { message: string } }).error.message).toStartWith(message);
    }
  });
});

describe("other operations", () => {
  test("realtime says nothing at all while nobody is there", async () => {
    const realtime = { metrics: named("activeUsers", "eventCount"), returnPropertyQuota: false };
    expect(await told(post("/v1beta/properties/1002:runRealtimeReport", realtime))).toEqual([
      200,
      { kind: "analyticsData#runRealtimeReport" },
    ]);
  });

  test("realtime names its ranges in a dimension of its own, and has no fields of reports", async () => {
    const minuteRanges = [
      { name: "last30", startMinutesAgo: 29, endMinutesAgo: 0 },
      { name: "last5", startMinutesAgo: 4, endMinutesAgo: 0 },
    ];
    const [, answer] = await told(
      post("/v1beta/properties/1001:runRealtimeReport", { metrics: named("activeUsers"), minuteRanges }),
    );
    expect([answer["dimensionHeaders"], "metadata" in answer]).toEqual([named("dateRange"), false]);
    const refused = async (body: object) => {
      const [status, { error }] = await told(post("/v1beta/properties/1001:runRealtimeReport", body));
      return [status, error?.message];
    };
    expect(await refused({ metrics: named("sessions") })).toEqual([
      400,
      expect.stringContaining("realtime-api-schema"),
    ]);
    expect((await refused({ metrics: named("activeUsers"), dateRanges: [] }))[0]).toBe(400);
    expect(
      (
        await refused({
          metrics: named("activeUsers"),
          minuteRanges: [{ startMinutesAgo: 30, endMinutesAgo: 0 }],
        })
      )[0],
    ).toBe(400);
  });

  test("a batch of six is refused, and one bad report refuses the whole batch", async () => {
    const batch = (requests: readonly object[]) =>
      told(post("/v1beta/properties/1001:batchRunReports", { requests }));
    expect((await batch(many(6, "")))[0]).toBe(400);
    expect(await batch([WEEK, { ...WEEK, metrics: named("zebras") }])).toMatchObject([
      400,
      { error: { code: 400 } },
    ]);
    const [status, answer] = await batch(Array.from({ length: 5 }, () => WEEK));
    expect([status, (answer["reports"] as unknown[]).length]).toEqual([200, 5]);
  });

  test("metadata names the registered parameters and marks them", async () => {
    const [, answer] = await told(fetch(address("/v1beta/properties/1001/metadata"), { headers }));
    expect(answer["dimensions"]).toContainEqual(
      expect.objectContaining({ apiName: "customEvent:error_message", customDefinition: true }),
    );
  });

  test.each([
    ["service-disabled", 403, "SERVICE_DISABLED"],
    ["internal", 500, undefined],
    ["unavailable", 503, undefined],
  ])("%s is told as it was captured", async (error, status, reason) => {
    simulators.script({ kind: "error", error });
    const [seen, answer] = await report(WEEK);
    expect(seen).toBe(status);
    expect(answer.error?.details?.map((detail) => detail["reason"]).find((one) => one !== undefined)).toBe(
      reason,
    );
  });
});
