import { describe, expect, test } from "bun:test";
import { dayNumber, type UtcDay } from "../../src/base/time.ts";
import type { Outcome } from "../../src/providers/faults.ts";
import { parseDays, parseSites } from "../../src/providers/search_console.ts";
import { searchReport } from "../support/make/provider_answers.ts";

const TO = dayNumber("2026-11-22" as UtcDay);
const ASKED = { from: TO - 96, to: TO };
const ROWS = [
  ["2026-11-18", 3, 120, 0.025, 7.4],
  ["2026-11-19", 0, 4, 0, 31.25],
] as const;

const days = (body: unknown) => parseDays(typeof body === "string" ? body : JSON.stringify(body), ASKED);
function said<T>(outcome: Outcome<T>): string {
  return outcome.ok ? "ok" : `${outcome.fault.category} ${outcome.fault.code}`;
}

describe("days of search console", () => {
  test("are Pacific days; from the first incomplete one on all is provisional", () => {
    expect(days(searchReport(ROWS, { firstIncompleteDate: "2026-11-19" }))).toEqual({
      ok: true,
      value: {
        provider: "search-console",
        timeZone: "America/Los_Angeles",
        from: TO - 96,
        to: TO,
        days: [
          { day: TO - 4, values: [3, 120, 0.025, 7.4] },
          { day: TO - 3, values: [0, 4, 0, 31.25] },
        ],
        firstIncomplete: TO - 3,
        notes: [],
      },
    });
    const other = days(searchReport(ROWS, { first_incomplete_date: "2026-11-19" }));
    expect(other.ok && other.value.firstIncomplete).toBe(TO - 3);
    const none = days(searchReport(ROWS));
    expect(none.ok && none.value.firstIncomplete).toBeUndefined();
    expect(said(days(searchReport(ROWS, { firstIncompleteDate: "soon" })))).toBe(
      "invalid_report impossible_value",
    );
  });

  test("may be none: the answer then has no rows, and says how it would have added them up", () => {
    expect(days(searchReport([]))).toMatchObject({ ok: true, value: { days: [] } });
    for (const nothing of [{}, [], null, "x", { rows: null, responseAggregationType: "byProperty" }])
      expect([nothing, days(nothing).ok]).toEqual([nothing, false]);
  });

  test("come in any order, none twice, and are those that were asked for", () => {
    expect(days(searchReport(ROWS.toReversed()))).toEqual(days(searchReport(ROWS)));
    expect(said(days(searchReport([ROWS[0], ROWS[0]])))).toBe("invalid_report other_days");
    for (const date of ["2026-11-23", "2026-08-17", "20261118", "2026-11-31", "x", ""])
      expect([date, said(days(searchReport([[date, 1, 1, 1, 1]])))]).toEqual([
        date,
        "invalid_report other_days",
      ]);
    const keys = (...list: readonly string[]) => {
      const report = searchReport(ROWS);
      return said(days({ ...report, rows: report.rows?.map((row) => ({ ...row, keys: list })) }));
    };
    expect(keys()).toBe("invalid_report other_columns");
    expect(keys("2026-11-18", "red shoes")).toBe("invalid_report other_columns");
  });

  test("have no position where none is told: it counts from 1, and 0 would lie before the first place", () => {
    const read = days(searchReport([["2026-11-18", 0, 0, 0, 0]]));
    expect(read).toMatchObject({ ok: true, value: { days: [{ values: [0, 0, 0, null] }] } });
  });

  test("have whole counts, a rate between 0 and 1 and a position that is not negative", () => {
    for (const [clicks, impressions, ctr, position] of [
      [1.5, 2, 0, 1],
      [-1, 2, 0, 1],
      [1, 2 ** 53, 0, 1],
      [1, 2.5, 0, 1],
      [1, 2, 1.01, 1],
      [1, 2, -0.1, 1],
      [1, 2, 0.5, -1],
    ] as const)
      expect(said(days(searchReport([["2026-11-18", clicks, impressions, ctr, position]])))).toBe(
        "invalid_report impossible_value",
      );
    expect(said(days(JSON.stringify(searchReport(ROWS)).replace("7.4", "1e999")))).toBe(
      "invalid_report impossible_value",
    );
    expect(days(JSON.stringify(searchReport(ROWS)).replace('"clicks":3', '"clicks":3.0'))).toEqual(
      days(searchReport(ROWS)),
    );
    for (const missing of ["clicks", "impressions", "ctr", "position", "keys"]) {
      const report = searchReport(ROWS);
      const rows = report.rows?.map((row) => ({ ...row, [missing]: undefined }));
      expect(said(days({ ...report, rows }))).toStartWith("invalid_report ");
    }
  });
});

describe("sites of search console", () => {
  test("are offered by their exact names; who is not verified is listed and of no use", () => {
    const entry = (siteUrl: string, permissionLevel: string) => ({ siteUrl, permissionLevel });
    const read = parseSites({
      siteEntry: [
        entry("sc-domain:example.com", "siteOwner"),
        entry("https://www.example.com/", "siteFullUser"),
        entry("https://shop.example.com/", "siteRestrictedUser"),
        entry("https://old.example.com/", "siteUnverifiedUser"),
        entry("https://new.example.com/", "siteSomething"),
      ],
    });
    expect(read.ok && read.value.map(({ property, usable }) => [property, usable])).toEqual([
      ["sc-domain:example.com", true],
      ["https://www.example.com/", true],
      ["https://shop.example.com/", true],
      ["https://old.example.com/", false],
      ["https://new.example.com/", false],
    ]);
  });

  test("are `{}` for who was added to none; what is no list is none", () => {
    expect(parseSites({})).toEqual({ ok: true, value: [] });
    for (const json of [
      null,
      [],
      "x",
      { sites: [] },
      { siteEntry: null },
      { siteEntry: {} },
      { siteEntry: [{}] },
      { siteEntry: [{ siteUrl: "", permissionLevel: "siteOwner" }] },
    ])
      expect([json, parseSites(json)]).toMatchObject([
        json,
        { ok: false, fault: { code: "unexpected_report" } },
      ]);
  });
});
