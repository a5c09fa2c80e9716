/**
 * The simulated providers: their front ends, refusals in their order, days, zones and empty shapes, each answer recorded whole. Which fault
 * each of their errors is to who asks is recorded beside `providers/any_answer_test.ts`.
 */

import { afterAll, beforeEach, describe, expect, test } from "bun:test";
import { dayNumber, parseUtcDay, type UtcDay } from "../../../src/base/time.ts";
import { startSimulators } from "../../../src/demo/simulator/simulators.ts";
import type { SimulatedSite } from "../../../src/demo/simulator/world.ts";
import {
  assertionOf,
  authorized,
  exchange,
  GRANT,
  recorded,
  told,
  WEBMASTERS,
} from "../../support/simulated_google.ts";

/** One in the morning in London, the evening before in California. */
const START = Date.UTC(2026, 10, 22, 1);
const MORNING = Date.UTC(2026, 10, 22, 8);
let now = START;
const day = (text: string) => dayNumber(parseUtcDay(text) as UtcDay);
const site = (name: string, more: Partial<SimulatedSite>): SimulatedSite => ({
  name: `${name}.example`,
  visitsPerDay: 200,
  firstDay: day("2026-01-01"),
  ...more,
});
type Analytics = Partial<NonNullable<SimulatedSite["analytics"]>>;
const measured = (property: string, analytics: Analytics = {}, more: Partial<SimulatedSite> = {}) =>
  site(property, { ...more, analytics: { property, timeZone: "Europe/Paris", ...analytics } });
const listed = (name: string, webmasterTools: object, more: Partial<SimulatedSite> = {}) =>
  site(name, { ...more, webmasterTools: { property: `https://${name}.example/`, ...webmasterTools } });
const searched = (property: string, searchConsole: object, more: Partial<SimulatedSite> = {}) =>
  site(property, { firstDay: day("2025-01-01"), ...more, searchConsole: { property, ...searchConsole } });
const simulators = startSimulators({
  now: () => now,
  seed: 7,
  world: {
    sites: [
      measured("1001", { customDimensions: ["error_message"] }),
      measured("1002", {}, { visitsPerDay: 0 }),
      measured("1003", { timeZone: "UTC", tokensPerHour: 2 }),
      measured("1004", {
        zoneChanges: [{ zone: "America/New_York", since: Date.UTC(2026, 10, 10, 12) }],
        thresholded: true,
        otherRow: true,
        sampled: { read: 500, of: 10_000 },
      }),
      searched("sc-domain:a.example", { appearances: ["AMP_BLUE_LINK", "VIDEO"] }, { visitsPerDay: 300 }),
      searched("https://www.b.example/", {}, { visitsPerDay: 3 }),
      searched("https://c.example/", { permission: "siteUnverifiedUser" }),
      searched("sc-domain:none.example", {}, { visitsPerDay: 0 }),
      ...(["pacific", "utc-with-offset", "utc"] as const).map((dateForm) => listed(dateForm, { dateForm })),
      ...(["list", "null"] as const).map((empty) => listed(empty, { empty }, { visitsPerDay: 0 })),
      listed("unverified", { verified: false }),
    ],
    accounts: [
      { name: "tower" },
      { name: "narrow", sites: ["1001.example"] },
      { name: "nobody", sites: [] },
      { name: "gone" },
    ],
  },
});
let headers: { readonly authorization: string };
/** Sets the clock, and signs in anew. */
const at = async (moment: number) => {
  now = moment;
  headers = await authorized(simulators, now);
};
afterAll(() => simulators.stop());
beforeEach(async () => {
  simulators.calm();
  await at(START);
});

describe("the exchange of tokens", () => {
  const key = simulators.serviceAccount();
  const seconds = START / 1_000;
  type Change = Parameters<typeof assertionOf>[2];
  const signed = (change: Change, by = key) => ({
    grant_type: GRANT,
    assertion: assertionOf(by, START, change),
  });
  const claiming = (claims: object) => () => signed({ claims: { ...claims } });
  const aud = "https://elsewhere.example/token";
  test.each([
    ["another grant", () => ({ grant_type: "password", assertion: "" })],
    ["no assertion", () => ({ grant_type: GRANT })],
    ["an assertion of two parts", () => ({ grant_type: GRANT, assertion: "e30.e30" })],
    ["a signature made with another key", () => signed({}, simulators.serviceAccount({ wrongKey: true }))],
    [
      "another algorithm, before claims",
      () => signed({ header: { alg: "HS256" }, claims: { iat: undefined } }),
    ],
    ["an account that nobody has", claiming({ iss: "nobody@tower-simulated.iam.gserviceaccount.com" })],
    ["no moment of issue", claiming({ iat: undefined, scope: "" })],
    ["no end", claiming({ exp: undefined })],
    ["an end an hour and a minute after the issue", claiming({ exp: seconds + 3_660 })],
    ["a clock a quarter of an hour ahead", claiming({ iat: seconds + 900, exp: seconds + 4_500 })],
    [
      "an end long ago, before its scope",
      claiming({ iat: seconds - 9_000, exp: seconds - 5_400, scope: "" }),
    ],
    ["no scope, before its audience", claiming({ scope: "", aud })],
    ["another audience", claiming({ aud })],
  ] as const)("refuses %s", async (_, form) => {
    expect((await recorded(exchange(simulators, form()))).status).toBe(400);
  });

  test("refuses a key that was replaced, and an account that was deleted", async () => {
    const said = (keyFile: string) => recorded(exchange(simulators, signed({}, keyFile)));
    const own = simulators.serviceAccount({ account: "gone" });
    simulators.accounts.rotateKey("gone");
    expect((await said(own)).status).toBe(400);
    const next = simulators.serviceAccount({ account: "gone" });
    expect((await exchange(simulators, signed({}, next))).status).toBe(200);
    simulators.accounts.deleteAccount("gone");
    expect((await said(next)).status).toBe(400);
  });
});

describe("analytics", () => {
  const post = (path: string, body: unknown, more: Readonly<Record<string, string>> = headers) => {
    const sent = typeof body === "string" ? body : JSON.stringify(body);
    return fetch(`${simulators.urls.analyticsData}${path}`, { method: "POST", headers: more, body: sent });
  };
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
  beforeEach(() => at(MORNING));

  test("asks for the token before it reads the body, and refuses one that is not for it or for the property", async () => {
    for (const more of [{}, { authorization: "Bearer ya29.c.wrong" }]) {
      const answer = await recorded(post("/v1beta/properties/1001:runReport", "{ no JSON", more));
      expect(answer.headers.get("www-authenticate")).toMatchSnapshot();
    }
    await report(WEEK, "1001", await authorized(simulators, now, { scope: WEBMASTERS }));
    const narrow = await authorized(simulators, now, { account: "narrow" });
    for (const property of ["1001", "1002", "9999"]) await report(WEEK, property, narrow);
    await recorded(post("/v1beta/properties/1001:runReports", WEEK));
  });

  const UNKNOWN = "customEvent:unknown_thing";
  // Each also breaks a later rule, so that the order is tried with it.
  test.each([
    { ...WEEK, foo: 1, dateRanges: [{ startDate: "2026-11-16", end: "2026-11-16" }] },
    { ...WEEK, dimensions: named(UNKNOWN), limit: -1 },
    { ...WEEK, dimensionFilter: { filter: { fieldName: UNKNOWN, inListFilter: { values: ["x"] } } } },
    { ...WEEK, dimensions: named("isKeyEven") },
    { ...WEEK, metrics: named("zebras") },
    { ...WEEK, limit: "-1", dateRanges: [] },
    { ...WEEK, dateRanges: [] },
    { ...WEEK, dateRanges: [range("2026-01-02", "2026-01-01")] },
    { ...WEEK, dateRanges: [range("xx", "2026-11-16")] },
    { ...WEEK, dimensions: many(10, "date") },
    { ...WEEK, metrics: many(11, "sessions") },
    { ...WEEK, dimensions: many(2, "date") },
    { dateRanges: WEEK.dateRanges },
  ])("refuses %j", async (body) => {
    expect((await report(body))[0]).toBe(400);
  });

  test("answers a report whole: its order, its pages, its notes, and nothing where there is nothing", async () => {
    await report({ ...WEEK, returnPropertyQuota: true });
    await report(WEEK, "1002");
    await report(WEEK, "1004");
    await report({ ...WEEK, limit: "2", offset: "4" });
    await report({ ...WEEK, offset: 7 });
    await report({ ...WEEK, orderBys: [] });
    await report({ ...WEEK, dateRanges: [range("2025-12-30", "2026-01-02")] });
  });

  test("has hours of the property's zone, one name for an hour that comes twice, and one long day where the zone was changed", async () => {
    const orderBys = [{ dimension: { dimensionName: "dateHour" } }];
    const hours = (property: string, date: string) =>
      report({ ...WEEK, dateRanges: [range(date)], dimensions: named("dateHour"), orderBys }, property);
    for (const date of ["2026-11-20", "2026-03-29", "2026-10-25"]) await hours("1001", date);
    for (const property of ["1001", "1004"])
      await report({ ...WEEK, dateRanges: [range("2026-11-08", "2026-11-12")] }, property);
    // The clock shows the six hours before noon twice, and they are counted together.
    for (const date of ["2026-11-09", "2026-11-10"]) await hours("1004", date);
  });

  const LAST_30 = { name: "last30", startMinutesAgo: 29, endMinutesAgo: 0 };
  const realtime = (body: object, property = "1001") =>
    told(post(`/v1beta/properties/${property}:runRealtimeReport`, body));
  test("has an hourly bucket, which realtime does not share", async () => {
    for (let turn = 0; turn < 3; turn++) await report(WEEK, "1003");
    await realtime({ metrics: named("activeUsers"), minuteRanges: [LAST_30] }, "1003");
    now = MORNING + 3_590_000;
    await report(WEEK, "1003");
    await at(MORNING + 3_600_000);
    await report(WEEK, "1003");
  });

  test("says in realtime nothing while nobody is there, and knows no fields of reports there", async () => {
    const metrics = named("activeUsers");
    const minuteRanges = [LAST_30, { ...LAST_30, name: "last5", startMinutesAgo: 4 }];
    await realtime({ metrics, minuteRanges: [LAST_30], returnPropertyQuota: true }, "1002");
    await realtime({ metrics, minuteRanges });
    await realtime({ metrics: named("sessions") });
    await realtime({ metrics, dateRanges: [] });
    await realtime({ metrics, minuteRanges: [{ ...LAST_30, startMinutesAgo: 30 }] });
  });
});

describe("search console", () => {
  const WEEK = { startDate: "2026-11-15", endDate: "2026-11-22", dimensions: ["date"] };
  const A = "sc-domain:a.example";
  const sites = (path = "", body?: object, own = headers) => {
    const sent = body === undefined ? {} : { method: "POST", body: JSON.stringify(body) };
    return told(
      fetch(`${simulators.urls.searchConsole}/webmasters/v3/sites${path}`, { headers: own, ...sent }),
    );
  };
  const query = (body: object, property = A) =>
    sites(`/${encodeURIComponent(property)}/searchAnalytics/query`, body);

  test("has days of California: final up to three days before its own today; with all, the first that is not final is named", async () => {
    await query(WEEK);
    // Eight in the morning UTC is midnight there.
    await at(MORNING);
    await query(WEEK);
    for (const endDate of ["2026-11-22", "2026-11-19", "2026-11-18"])
      await query({ ...WEEK, endDate, dataState: "all" });
    await query({ ...WEEK, dimensions: [], dataState: "all" });
  });

  test("leaves out days on which nobody searched, and those before what is kept; other rows have the most clicked first", async () => {
    const span = { ...WEEK, startDate: "2026-09-01", endDate: "2026-11-15" };
    for (const property of ["sc-domain:none.example", "https://www.b.example/"]) await query(span, property);
    const [, { rows = [] }] = await query({ ...WEEK, startDate: "2025-01-01", endDate: "2026-11-18" });
    expect([rows[0]?.keys, rows.length]).toEqual([["2025-07-23"], 484]);
    await query({ ...WEEK, dimensions: ["page"], endDate: "2026-11-18" });
  });

  test.each([
    { ...WEEK, dimensions: ["date", "date"] },
    { ...WEEK, dimensions: ["searchAppearance", "page"] },
    { ...WEEK, dimensions: ["colour"] },
    { ...WEEK, rowLimit: 0 },
    { ...WEEK, rowLimit: 25_001 },
    { ...WEEK, startDate: "2026-11-23" },
  ])("refuses %j", async (body) => {
    expect((await query(body))[0]).toBe(400);
  });

  test("refuses unknown, unverified and misspelt properties alike, and lists those that cannot be used too", async () => {
    for (const property of ["sc-domain:x.example", "https://c.example/", "https://www.b.example"])
      await query(WEEK, property);
    for (const own of [headers, await authorized(simulators, now, { account: "nobody" })])
      await sites("", undefined, own);
  });
});

describe("webmaster tools", () => {
  const asked = (method: string, siteUrl?: string, apikey = simulators.webmasterKey()) => {
    const search = new URLSearchParams({ apikey, ...(siteUrl === undefined ? {} : { siteUrl }) });
    return recorded(fetch(`${simulators.urls.webmasterTools}/webmaster/api.svc/json/${method}?${search}`));
  };
  const DAYS = "GetRankAndTrafficStats";

  test("refuse a key that nobody has, and a site that is unverified, misspelt or unknown alike", async () => {
    expect(simulators.webmasterKey()).toMatch(/^[0-9a-f]{32}$/);
    await asked("GetUserSites", undefined, "0".repeat(32));
    await asked("GetUserSites", undefined, simulators.webmasterKey("nobody"));
    for (const of of ["https://unverified.example/", "https://pacific.example", "https://elsewhere.example/"])
      await asked(DAYS, of);
  });

  test("list which sites are verified, beside two secrets of the user", async () => {
    await asked("GetUserSites", "");
  });

  test.each(["GetCrawlStats", "GetCrawlIssues", "GetFeeds", "GetQueryStats", "GetPageStats"])(
    "answer %s by its fields: pages under Query, -1 for a position without clicks, a moment of long ago for never",
    async (method) => {
      await asked(method, "https://pacific.example/");
    },
  );

  test("may answer with the gateway's page, also under 200, and with a JSON text within a text; no log holds the key", async () => {
    simulators.forget();
    for (const fault of [{ kind: "html", status: 200 } as const, { kind: "html", status: 503 } as const]) {
      simulators.script(fault);
      await asked("GetUserSites");
    }
    simulators.script({ kind: "bent", bend: (answer: unknown) => JSON.stringify(answer) });
    await asked("GetUserSites");
    await asked(DAYS, "https://utc.example/");
    expect(simulators.log).toMatchSnapshot();
  });
});

describe("a fault", () => {
  const WEEK = { startDate: "2026-11-09", endDate: "2026-11-15", dimensions: ["date"] };
  const path = "/webmasters/v3/sites";
  const statusOf = async (of = path, body?: object) => {
    const sent = body === undefined ? {} : { method: "POST", body: JSON.stringify(body) };
    return (await fetch(`${simulators.urls.searchConsole}${of}`, { headers, ...sent })).status;
  };
  const DAYS = `${path}/sc-domain%3Aa.example/searchAnalytics/query`;

  test("meets the requests that it names, so many of them, in the order of the queue", async () => {
    simulators.script({ kind: "html", status: 500 }, { server: "webmasterTools" });
    simulators.script({ kind: "html", status: 502 }, { operation: "sites", times: 2 });
    simulators.script({ kind: "html", status: 503 }, { property: "sc-domain:a.example" });
    expect([await statusOf(), await statusOf(), await statusOf()]).toEqual([502, 502, 200]);
    expect(await statusOf(DAYS, WEEK)).toBe(503);
    expect(() => simulators.script({ kind: "error", error: "tea" }, { server: "searchConsole" })).toThrow(
      "searchConsole has no error named tea",
    );
  });

  test("of a stretch of time meets all of them, and nothing before and after", async () => {
    simulators.script({ kind: "html", status: 502 }, { from: START, to: START + 60_000 });
    const found: number[] = [];
    for (const ms of [0, 1, 59_999, 60_000]) {
      now = START + ms;
      found.push(await statusOf());
    }
    expect(found).toEqual([502, 502, 502, 200]);
  });

  test("of days tells one twice, leaves one out, or tells one of another century", async () => {
    for (const kind of [undefined, "day-twice", "day-absent", "day-ahead"] as const) {
      if (kind !== undefined) simulators.script({ kind });
      const sent = { method: "POST", headers, body: JSON.stringify(WEEK) };
      await told(fetch(`${simulators.urls.searchConsole}${DAYS}`, sent));
    }
  });
});
