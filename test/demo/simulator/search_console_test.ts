/** Simulated search console, each answer recorded: Pacific days, what is final, what is left out, and its older errors. */

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
      { method: "POST", headers, body: JSON.stringify(body) },
    ),
  );

describe("days", () => {
  test("are those of California: final up to three days before its own today, which is not ours", async () => {
    await query(WEEK);
    // Eight in the morning UTC is midnight there.
    now = Date.UTC(2026, 10, 22, 8);
    Object.assign(headers, await authorized(simulators, now));
    await query(WEEK);
  });

  test("with all of them: the first that is not final is named, unless none is asked for", async () => {
    for (const endDate of ["2026-11-22", "2026-11-19", "2026-11-18"])
      await query({ ...WEEK, endDate, dataState: "all" });
    await query({ ...WEEK, dimensions: [], dataState: "all" });
  });

  test("on which nobody searched are left out, and a property without any has no rows at all", async () => {
    const span = { ...WEEK, startDate: "2026-09-01", endDate: "2026-11-15" };
    await query(span, "sc-domain:none.example");
    await query(span, "https://www.b.example/");
  });

  test("before what is kept are left out without a word", async () => {
    const [, { rows = [] }] = await query({ ...WEEK, startDate: "2025-01-01", endDate: "2026-11-18" });
    expect([rows[0]?.keys, rows.length]).toEqual([["2025-07-23"], 484]);
  });
});

describe("refusals", () => {
  test.each([
    { ...WEEK, dimensions: ["date", "date"] },
    { ...WEEK, dimensions: ["searchAppearance", "page"] },
    { ...WEEK, dimensions: ["colour"] },
    { ...WEEK, rowLimit: 0 },
    { ...WEEK, rowLimit: 25_001 },
    { ...WEEK, startDate: "2026-11-23" },
  ])("%j", async (body) => {
    expect((await query(body))[0]).toBe(400);
  });

  test("unknown, unverified and misspelt properties are refused alike, in the older form", async () => {
    for (const property of ["sc-domain:x.example", "https://c.example/", "https://www.b.example"])
      await query(WEEK, property);
  });

  test.each(
    "load-quota qps-403 qps-429 rate-limit-403 user-rate-limit daily-limit access-not-configured insufficient-permissions backend-error".split(
      " ",
    ),
  )("%s is told by its reason", async (error) => {
    simulators.script({ kind: "error", error }, { server: "searchConsole" });
    await query(WEEK);
  });
});

test("the list of properties tells those that cannot be used too, and is empty for who has none", async () => {
  for (const own of [headers, await authorized(simulators, now, { account: "nobody" })])
    await told(fetch(`${simulators.urls.searchConsole}/webmasters/v3/sites`, { headers: own }));
});
