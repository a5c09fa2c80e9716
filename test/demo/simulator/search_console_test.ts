/** Simulated search console: Pacific days, what is final, what is left out, and its older errors. */

import { afterAll, beforeEach, describe, expect, test } from "bun:test";
import { dayNumber, parseUtcDay, type UtcDay } from "../../../src/base/time.ts";
import { startSimulators } from "../../../src/demo/simulator/simulators.ts";
import { authorized, told } from "../../support/simulated_google.ts";

/** One in the morning in Paris, the evening before in California. */
const START = Date.UTC(2026, 10, 22, 1);
let now = START;
const firstDay = dayNumber(parseUtcDay("2025-01-01") as UtcDay);
const simulators = startSimulators({
  now: () => now,
  seed: 3,
  world: {
    sites: [
      {
        name: "a.example",
        visitsPerDay: 300,
        firstDay,
        searchConsole: { property: "sc-domain:a.example", appearances: ["AMP_BLUE_LINK", "VIDEO"] },
      },
      { name: "b.example", visitsPerDay: 3, firstDay, searchConsole: { property: "https://www.b.example/" } },
      {
        name: "c.example",
        visitsPerDay: 3,
        firstDay,
        searchConsole: { property: "https://c.example/", permission: "siteUnverifiedUser" },
      },
      {
        name: "none.example",
        visitsPerDay: 0,
        firstDay,
        searchConsole: { property: "sc-domain:none.example" },
      },
      {
        name: "large.example",
        visitsPerDay: 9_000_000,
        firstDay,
        searchConsole: { property: "sc-domain:large.example", pages: 60_000 },
      },
    ],
    accounts: [{ name: "tower" }, { name: "nobody", sites: [] }],
  },
});
const headers = await authorized(simulators, START);
afterAll(() => simulators.stop());
beforeEach(() => {
  now = START;
  simulators.calm();
});

const WEEK = { startDate: "2026-11-15", endDate: "2026-11-22", dimensions: ["date"] };
const query = (body: object, property = "sc-domain:a.example") =>
  told(
    fetch(
      `${simulators.urls.searchConsole}/webmasters/v3/sites/${encodeURIComponent(property)}/searchAnalytics/query`,
      {
        method: "POST",
        headers,
        body: JSON.stringify(body),
      },
    ),
  );
const keysOf = async (body: object, property?: string) => {
  const [, { rows = [] }] = await query(body, property);
  return rows.map(({ keys }) => keys?.join(" "));
};
const november = (days: readonly number[]) => days.map((one) => `2026-11-${one}`);

describe("days", () => {
  test("are those of California: final up to three days before its own today, which is not ours", async () => {
    expect(await keysOf(WEEK)).toEqual(november([15, 16, 17, 18]));
    // Eight in the morning UTC is midnight there.
    now = Date.UTC(2026, 10, 22, 8);
    const next = await authorized(simulators, now);
    expect(Object.keys(next)).toEqual(["authorization"]);
    Object.assign(headers, next);
    expect(await keysOf(WEEK)).toEqual(november([15, 16, 17, 18, 19]));
  });

  test("with all of them: the first that is not final is named, unless none is asked for", async () => {
    const [, all] = await query({ ...WEEK, dataState: "all" });
    expect(all.metadata).toEqual({ firstIncompleteDate: "2026-11-19" });
    expect(all.rows?.map(({ keys }) => keys?.[0])).toEqual(november([15, 16, 17, 18, 19, 20, 21]));
    const [, last] = await query({ ...WEEK, endDate: "2026-11-19", dataState: "all" });
    expect(last.metadata).toEqual({ firstIncompleteDate: "2026-11-19" });
    const [, settled] = await query({ ...WEEK, endDate: "2026-11-18", dataState: "all" });
    expect("metadata" in settled).toBe(false);
    const [, final] = await query(WEEK);
    expect("metadata" in final).toBe(false);
    const [, whole] = await query({ ...WEEK, dimensions: [], dataState: "all" });
    expect([whole.rows?.[0]?.keys, "metadata" in whole]).toEqual([undefined, false]);
  });

  test("on which nobody searched are left out, and a property without any has no rows at all", async () => {
    const span = { ...WEEK, startDate: "2026-09-01", endDate: "2026-11-15" };
    const [, none] = await query(span, "sc-domain:none.example");
    expect(none).toEqual({ responseAggregationType: "byProperty" });
    const seen = await keysOf(span, "https://www.b.example/");
    expect(seen).toEqual([...seen].sort());
    expect(seen.length).toBeGreaterThan(10);
  });

  test("before what is kept are left out without a word", async () => {
    const seen = await keysOf({ ...WEEK, startDate: "2025-01-01", endDate: "2026-11-18" });
    expect([seen[0], seen.length]).toEqual(["2025-07-23", 484]);
  });

  test("by hour have the offset of the place", async () => {
    const seen = await keysOf({
      ...WEEK,
      startDate: "2026-11-20",
      endDate: "2026-11-20",
      dimensions: ["hour"],
      dataState: "hourly_all",
    });
    expect([seen[0], seen.length]).toEqual(["2026-11-20T00:00:00-08:00", 24]);
  });
});

describe("rows", () => {
  test("have a rate and a position that belong to their counts", async () => {
    const [, { rows = [] }] = await query(WEEK);
    for (const row of rows) {
      expect(row.ctr).toBeCloseTo((row.clicks ?? 0) / (row.impressions ?? 1), 12);
      expect(row.position).toBeGreaterThanOrEqual(1);
    }
    expect(rows.length).toBe(4);
  });

  test("of pages come with the most clicks first, at most a thousand of them, and never beyond 50,000", async () => {
    const day = { startDate: "2026-11-15", endDate: "2026-11-15", dimensions: ["page"] };
    const large = (more: object) => query({ ...day, ...more }, "sc-domain:large.example");
    const [, first] = await large({});
    const clicks = first.rows?.map((row) => row.clicks ?? 0) ?? [];
    expect([clicks.length, first["responseAggregationType"]]).toEqual([1_000, "byPage"]);
    expect(clicks).toEqual([...clicks].sort((one, other) => other - one));
    const [, last] = await large({ rowLimit: 25_000, startRow: 25_000 });
    const [, past] = await large({ rowLimit: 25_000, startRow: 50_000 });
    expect([last.rows?.length, "rows" in past]).toEqual([25_000, false]);
  });

  test("of discover have no position, and queries are not asked of it, nor of the news", async () => {
    const [, { rows = [] }] = await query({ ...WEEK, type: "discover", dimensions: ["page"] });
    expect([rows.length > 0, rows.some((row) => "position" in row)]).toEqual([true, false]);
    for (const type of ["discover", "googleNews"])
      expect((await query({ ...WEEK, type, dimensions: ["query"] }))[0]).toBe(400);
    const [, small] = await query(
      { ...WEEK, type: "discover", dimensions: ["page"] },
      "https://www.b.example/",
    );
    expect("rows" in small).toBe(false);
  });

  test("of appearances stand alone, and their pages are asked for one by one", async () => {
    const appearances = await keysOf({ ...WEEK, dimensions: ["searchAppearance"] });
    expect(appearances).toEqual(["AMP_BLUE_LINK", "VIDEO"]);
    const filters = [{ dimension: "searchAppearance", operator: "equals", expression: "VIDEO" }];
    const pages = await keysOf({
      ...WEEK,
      dimensions: ["page"],
      dimensionFilterGroups: [{ groupType: "and", filters }],
    });
    expect(pages).toContain("https://a.example/");
  });
});

describe("refusals", () => {
  test.each([
    [{ ...WEEK, dimensions: ["date", "date"] }, "Duplicate dimensions are not allowed."],
    [
      { ...WEEK, dimensions: ["searchAppearance", "page"] },
      "Cannot group by search appearance dimension together with another dimension.",
    ],
    [{ ...WEEK, dimensions: ["date", "hour"] }, "Request cannot be grouped by both date and hour"],
    [
      { ...WEEK, dimensions: ["page"], aggregationType: "byProperty" },
      "'BY_PROPERTY' is not a valid aggregation type in the context of the request.",
    ],
    [{ ...WEEK, dimensions: ["colour"] }, "Invalid value at 'dimension[0]' "],
    [{ ...WEEK, rowLimit: 0 }, "rowLimit"],
    [{ ...WEEK, rowLimit: 25_001 }, "rowLimit"],
    [{ ...WEEK, startDate: "2026-11-23" }, "startDate"],
  ])("%j", async (body, message) => {
    const [status, { error }] = await query(body);
    expect([status, error?.status, error?.errors?.[0]?.reason]).toEqual([
      400,
      "INVALID_ARGUMENT",
      "invalidParameter",
    ]);
    expect(error?.message).toStartWith(message);
  });

  test("unknown, unverified and misspelt properties are refused alike, in the older form", async () => {
    for (const property of ["sc-domain:x.example", "https://c.example/", "https://www.b.example"]) {
      const [status, { error }] = await query(WEEK, property);
      const message = `User does not have sufficient permission for site '${property}'. See also: https://support.google.com/webmasters/answer/2451999.`;
      expect([status, error]).toEqual([
        403,
        { code: 403, message, errors: [{ message, domain: "global", reason: "forbidden" }] },
      ]);
    }
  });

  test.each([
    ["load-quota", 403, "quotaExceeded", "Search Analytics load quota exceeded."],
    ["qps-403", 403, "quotaExceeded", "Search Analytics QPS quota exceeded."],
    ["qps-429", 429, "rateLimitExceeded", "Search Analytics QPS quota exceeded."],
    ["rate-limit-403", 403, "rateLimitExceeded", ""],
    ["user-rate-limit", 403, "userRateLimitExceeded", ""],
    ["daily-limit", 403, "dailyLimitExceeded", ""],
    ["access-not-configured", 403, "accessNotConfigured", ""],
    ["insufficient-permissions", 403, "insufficientPermissions", ""],
    ["backend-error", 503, "backendError", ""],
  ])("%s is told by its reason", async (error, status, reason, message) => {
    simulators.script({ kind: "error", error }, { server: "searchConsole" });
    const [seen, answer] = await query(WEEK);
    expect([seen, answer.error?.errors?.[0]?.reason, answer.error?.status]).toEqual([
      status,
      reason,
      undefined,
    ]);
    expect(answer.error?.message).toStartWith(message);
  });
});

test("the list of properties tells those that cannot be used too, and is empty for who has none", async () => {
  const list = async (own: { readonly authorization: string }) =>
    (await fetch(`${simulators.urls.searchConsole}/webmasters/v3/sites`, { headers: own })).json();
  expect(await list(headers)).toMatchObject({
    siteEntry: [
      { siteUrl: "sc-domain:a.example", permissionLevel: "siteFullUser" },
      { siteUrl: "https://www.b.example/", permissionLevel: "siteFullUser" },
      { siteUrl: "https://c.example/", permissionLevel: "siteUnverifiedUser" },
      {},
      {},
    ],
  });
  expect(await list(await authorized(simulators, now, { account: "nobody" }))).toEqual({});
});

test("rows of one day are told the most clicked first; equal ones stand in another order some hours later", async () => {
  const body = { startDate: "2026-11-16", endDate: "2026-11-16", dimensions: ["page"] };
  const rows = async () => {
    const [, answer] = await query(body);
    return (answer as { rows: { keys: string[]; clicks: number }[] }).rows;
  };
  const first = await rows();
  now += 600_000;
  expect(await rows()).toEqual(first);
  now += 4 * 3_600_000;
  const later = await rows();
  expect(later).not.toEqual(first);
  expect(later.map(({ clicks }) => clicks)).toEqual(first.map(({ clicks }) => clicks));
  const sorted = (list: typeof first) =>
    list.toSorted((a, b) => ((a.keys[0] ?? "") < (b.keys[0] ?? "") ? -1 : 1));
  expect(sorted(later)).toEqual(sorted(first));
});
