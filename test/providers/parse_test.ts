import { describe, expect, test } from "bun:test";
import { dayNumber, type UtcDay } from "../../src/base/time.ts";
import { parseDays, parseHours, parseRealtime } from "../../src/providers/analytics.ts";
import type { Outcome } from "../../src/providers/faults.ts";
import { analyticsReport, realtimeReport } from "../support/make/provider_answers.ts";

const TO = dayNumber("2026-11-22" as UtcDay);
const ASKED = { from: TO - 96, to: TO, timeZone: "Europe/Paris" };
const ROWS = [
  ["20261120", 41, 52, 133, 402],
  ["20261122", 7, 9, 20, 60],
] as const;

const days = (page: unknown) => parseDays(typeof page === "string" ? page : JSON.stringify(page), ASKED);

function said<T>(outcome: Outcome<T>): string {
  return outcome.ok ? "ok" : `${outcome.fault.category} ${outcome.fault.code}`;
}

describe("days of analytics", () => {
  test("are told with the calendar that they are of; a day that is left out stays out", () => {
    expect(days(analyticsReport(ROWS))).toEqual({
      ok: true,
      value: {
        provider: "analytics",
        timeZone: "Europe/Paris",
        from: TO - 96,
        to: TO,
        days: [
          { day: TO - 2, values: [41, 52, 133, 402] },
          { day: TO, values: [7, 9, 20, 60] },
        ],
        firstIncomplete: undefined,
        notes: [],
      },
    });
  });

  test("may be none: rows and their count are then left out, and headers may be, too, but not everything", () => {
    const empty = { ok: true, value: { days: [], timeZone: "Europe/Paris" } };
    expect(days(analyticsReport([]))).toMatchObject(empty);
    const { metadata, kind } = analyticsReport([]);
    expect(days({ metadata, kind })).toMatchObject(empty);
    expect(days({ ...analyticsReport([]), rowCount: 0, rows: [] })).toMatchObject(empty);
    expect(said(days({ metadata }))).toBe("invalid_report other_columns");
    for (const nothing of [{}, [], null, "x", 1]) expect(days(nothing).ok).toBe(false);
  });

  test("rows without their count are no report; fewer than their count are not all of it", () => {
    const { rowCount: _, ...uncounted } = analyticsReport(ROWS);
    expect(said(days(uncounted))).toBe("invalid_report unexpected_report");
    expect(said(days(analyticsReport(ROWS, { rowCount: 1 })))).toBe("invalid_report unexpected_report");
    expect(said(days(analyticsReport(ROWS, { rowCount: 3 })))).toBe("incomplete_report rows_missing");
    const { rows: _rows, ...counted } = analyticsReport(ROWS);
    expect(said(days(counted))).toBe("incomplete_report rows_missing");
  });

  test("are those that were asked for, none twice, in the columns that were asked for", () => {
    for (const key of [
      "20261123",
      "20260817",
      "20261131",
      "2026-11-20",
      "(other)",
      "(not set)",
      "",
      "2026112000",
    ])
      expect([key, said(days(analyticsReport([[key, 1, 1, 1, 1]])))]).toEqual([
        key,
        "invalid_report other_days",
      ]);
    expect(said(days(analyticsReport([ROWS[0], ROWS[0]])))).toBe("invalid_report other_days");
    const report = analyticsReport(ROWS);
    for (const change of [
      { dimensionHeaders: [{ name: "dateHour" }] },
      { dimensionHeaders: [] },
      { dimensionHeaders: [{ name: "date" }, { name: "country" }] },
      { metricHeaders: report.metricHeaders.toReversed() },
      { metricHeaders: report.metricHeaders.slice(1) },
      { metricHeaders: undefined },
      { kind: "analyticsData#runRealtimeReport" },
    ])
      expect([change, said(days({ ...report, ...change }))]).toEqual([
        change,
        "invalid_report other_columns",
      ]);
  });

  test("have counts: whole, not negative, exact", () => {
    for (const value of [
      "-1",
      "1.5",
      "1e3",
      "",
      " 1",
      "NaN",
      "9007199254740992",
      "99999999999999999",
      "(not set)",
    ]) {
      const report = analyticsReport(ROWS);
      const [first] = report.rows ?? [];
      if (first?.metricValues[2] !== undefined) first.metricValues[2].value = value;
      expect([value, said(days(report))]).toEqual([value, "invalid_report impossible_value"]);
    }
    expect(days(analyticsReport([["20261120", Number.MAX_SAFE_INTEGER, 0, 0, 0]]))).toMatchObject({
      ok: true,
    });
    expect(said(days(analyticsReport([["20261120", 1, 2, 3]])))).toBe("invalid_report other_columns");
    expect(said(days(analyticsReport([["20261120", 1, 2, 3, 4, 5]])))).toBe("invalid_report other_columns");
  });

  test("are of the calendar that the report tells, else of the one that is known, else of none", () => {
    const told = (change: object, known: string | undefined = "Europe/Paris") => {
      const read = parseDays(JSON.stringify({ ...analyticsReport(ROWS), ...change }), {
        ...ASKED,
        timeZone: known,
      });
      return read.ok ? read.value.timeZone : said(read);
    };
    expect(told({ metadata: { timeZone: "Asia/Tokyo" } })).toBe("Asia/Tokyo");
    expect(told({ metadata: {} })).toBe("Europe/Paris");
    expect(told({ metadata: undefined })).toBe("Europe/Paris");
    expect(told({ metadata: { timeZone: "Mars/Olympus" } })).toBe("invalid_report unknown_time_zone");
    const read = parseDays(JSON.stringify({ ...analyticsReport(ROWS), metadata: {} }), {
      ...ASKED,
      timeZone: undefined,
    });
    expect(said(read)).toBe("invalid_report unknown_time_zone");
  });

  test("sampling, thresholds and a row of others are said beside a success", () => {
    const notes = (metadata: object) => {
      const read = days(analyticsReport(ROWS, { metadata }));
      return read.ok ? read.value.notes : said(read);
    };
    expect(notes({ samplingMetadatas: [{ samplesReadCount: "500", samplingSpaceSize: "10000" }] })).toEqual([
      "sampled",
    ]);
    expect(notes({ subjectToThresholding: true, dataLossFromOtherRow: true })).toEqual([
      "thresholded",
      "other_row",
    ]);
    expect(notes({ subjectToThresholding: false, samplingMetadatas: [], emptyReason: "x" })).toEqual([]);
    expect(notes({ subjectToThresholding: "yes" })).toBe("invalid_report unexpected_report");
  });

  test("what was truncated is incomplete; a figure that the account may not see is a matter of its rights", () => {
    const report = (metadata: object) => said(days(analyticsReport(ROWS, { metadata })));
    expect(report({ dataTruncationReasons: [{ dataTruncationType: "RETENTION" }] })).toBe(
      "incomplete_report report_truncated",
    );
    const restricted = (metricName: string) => ({
      schemaRestrictionResponse: {
        activeMetricRestrictions: [{ metricName, restrictedMetricTypes: ["REVENUE_DATA"] }],
      },
    });
    expect(report(restricted("sessions"))).toBe("configuration metric_restricted");
    expect(report(restricted("totalRevenue"))).toBe("ok");
  });
});

describe("hours of analytics", () => {
  const asked = { from: TO - 1, to: TO, timeZone: "Europe/Paris" };
  const hours = (...rows: readonly (readonly [string, ...number[]])[]) =>
    parseHours(JSON.stringify(analyticsReport(rows, { dimension: "dateHour" })), asked);

  test("are those of the property's clock, in order", () => {
    const read = hours(["2026112203", 1, 2, 3, 4], ["2026112123", 5, 6, 7, 8]);
    expect(read.ok && read.value).toMatchObject({
      timeZone: "Europe/Paris",
      from: TO - 1,
      to: TO,
      hours: [
        { day: TO - 1, hour: 23, activeUsers: 5, sessions: 6, pageViews: 7, eventCount: 8 },
        { day: TO, hour: 3, activeUsers: 1, sessions: 2, pageViews: 3, eventCount: 4 },
      ],
    });
    expect(hours()).toMatchObject({ ok: true, value: { hours: [] } });
  });

  test("are those that were asked for, none twice", () => {
    for (const key of ["2026112224", "20261122", "2026112300", "2026112023", "20261122 1", "(other)"])
      expect([key, said(hours([key, 1, 1, 1, 1]))]).toEqual([key, "invalid_report other_days"]);
    expect(said(hours(["2026112203", 1, 2, 3, 4], ["2026112203", 1, 2, 3, 4]))).toBe(
      "invalid_report other_days",
    );
  });
});

describe("realtime counts", () => {
  const read = (body: unknown) => parseRealtime(JSON.stringify(body));
  const none = { activeUsers: 0, pageViews: 0, eventCount: 0 };

  test("are told by stretches of minutes; a stretch without a row has nobody in it", () => {
    const last30 = { activeUsers: 12, pageViews: 40, eventCount: 90 };
    expect(read(realtimeReport({ last30: [12, 40, 90], last5: [3, 8, 20] }))).toEqual({
      ok: true,
      value: { last30, last5: { activeUsers: 3, pageViews: 8, eventCount: 20 } },
    });
    expect(read(realtimeReport({ last30: [12, 40, 90] }))).toEqual({
      ok: true,
      value: { last30, last5: none },
    });
  });

  test("nobody is a valid zero: the answer is then hardly more than its kind", () => {
    const nobody = { ok: true, value: { last30: none, last5: none } } as const;
    expect(read({ kind: "analyticsData#runRealtimeReport" })).toEqual(nobody);
    expect(read({ ...realtimeReport({}), rows: undefined, rowCount: undefined })).toEqual(nobody);
    for (const nothing of [{}, [], { kind: "analyticsData#runReport" }, { rows: [] }, null])
      expect([nothing, read(nothing).ok]).toEqual([nothing, false]);
  });

  test("are of the stretches that were asked for, each once, all that there are", () => {
    const two = realtimeReport({ last30: [1, 1, 1], last5: [1, 1, 1] });
    expect(said(read(realtimeReport({ last60: [1, 1, 1] })))).toBe("invalid_report unexpected_report");
    expect(said(read({ ...two, rows: [two.rows[0], two.rows[0]] }))).toBe("invalid_report unexpected_report");
    expect(said(read({ ...two, rowCount: 3 }))).toBe("incomplete_report rows_missing");
    expect(said(read({ ...two, rowCount: 1 }))).toBe("invalid_report unexpected_report");
    const { rows: _, ...counted } = two;
    expect(said(read(counted))).toBe("incomplete_report rows_missing");
  });
});
