import { describe, expect, test } from "bun:test";
import type { Outcome } from "../../src/providers/faults.ts";
import { parseDays, parseSites } from "../../src/providers/webmaster_tools.ts";
import { trafficReport } from "../support/make/provider_answers.ts";

const DAY = 86_400_000;
const NOW = Date.parse("2026-11-22T08:00:00Z");
const TODAY = Math.floor(NOW / DAY);

const days = (body: unknown, now = NOW) =>
  parseDays(typeof body === "string" ? body : JSON.stringify(body), now);
function said<T>(outcome: Outcome<T>): string {
  return outcome.ok ? "ok" : `${outcome.fault.category} ${outcome.fault.code}`;
}
/** The days that an answer with these dates comes to. */
function dayOf(date: string): number | string {
  const read = days(trafficReport([[date, 1, 2]]));
  return read.ok ? (read.value.days[0]?.day ?? "none") : said(read);
}

describe("days of webmaster tools", () => {
  test("are the UTC days of their moments: the offset beside a moment says nothing", () => {
    const midnight = (TODAY - 3) * DAY;
    const pacific = midnight + 7 * 3_600_000;
    for (const date of [
      `/Date(${midnight})/`,
      `/Date(${midnight}-0700)/`,
      `/Date(${midnight}+0200)/`,
      `/Date(${pacific}-0700)/`,
      `/Date(${pacific})/`,
    ])
      expect([date, dayOf(date)]).toEqual([date, TODAY - 3]);
    // JSON may write the slashes with a backslash.
    const escaped = JSON.stringify(trafficReport([[`/Date(${midnight}-0700)/`, 1, 2]]))
      .replaceAll("/Date", "\\/Date")
      .replaceAll(")/", ")\\/");
    expect(escaped).toContain("\\/Date(");
    expect(days(escaped)).toMatchObject({ ok: true, value: { days: [{ day: TODAY - 3, values: [1, 2] }] } });
  });

  test("that stand for never, lie ahead or are no dates make no report", () => {
    for (const date of [
      "/Date(-62135568000000-0800)/",
      "/Date(-62135596800000)/",
      "/Date(-11644473600000)/",
      `/Date(${(TODAY + 2) * DAY})/`,
      `/Date(${"9".repeat(17)})/`,
      `/Date(${"9".repeat(30)})/`,
      "/Date()/",
      "2026-11-18",
      "",
    ])
      expect([date, dayOf(date)]).toEqual([date, "invalid_report other_days"]);
  });

  test("come in any order, none twice, at most the last 97 that were returned", () => {
    const row = (day: number, clicks = 1) => [`/Date(${day * DAY}-0700)/`, clicks, 2] as const;
    // Every second day for a year: 97 dates, not 97 days.
    const rows = Array.from({ length: 180 }, (_, nth) => row(TODAY - 4 - 2 * nth, nth));
    const read = days(trafficReport(rows.toSorted((a, b) => (a[0] < b[0] ? 1 : -1))));
    if (!read.ok) throw new Error("refused");
    expect(read.value.days).toHaveLength(97);
    expect([read.value.from, read.value.to]).toEqual([TODAY - 4 - 2 * 96, TODAY - 4]);
    expect(read.value.days.map(({ day }) => day)).toEqual(
      read.value.days.map(({ day }) => day).toSorted((a, b) => a - b),
    );
    expect([read.value.timeZone, read.value.firstIncomplete]).toEqual([undefined, undefined]);
    expect(said(days(trafficReport([row(TODAY - 4), row(TODAY - 5), row(TODAY - 4)])))).toBe(
      "invalid_report other_days",
    );
  });

  test("may be none: an empty list and null are both nothing, an answer without either is none", () => {
    for (const nothing of [{ d: [] }, { d: null }, JSON.stringify(JSON.stringify({ d: [] }))]) {
      const read = days(nothing);
      expect(read).toMatchObject({ ok: true, value: { days: [] } });
      expect(read.ok && read.value.to < read.value.from).toBe(true);
    }
    for (const none of [{}, [], null, "x", { d: {} }, { d: "[]" }, { D: [] }, { d: [{}] }, { d: [[]] }])
      expect([none, days(none).ok]).toEqual([none, false]);
  });

  test("have whole counts", () => {
    const date = `/Date(${(TODAY - 3) * DAY})/`;
    for (const [clicks, impressions] of [
      [-1, 2],
      [1.5, 2],
      [1, 2 ** 53],
    ] as const)
      expect(said(days(trafficReport([[date, clicks, impressions]])))).toBe(
        "invalid_report impossible_value",
      );
    expect(said(days({ d: [{ Date: date, Clicks: "1", Impressions: 2 }] }))).toBe(
      "invalid_report impossible_value",
    );
  });

  test("an answer may be JSON in a string of JSON", () => {
    const body = trafficReport([[`/Date(${(TODAY - 3) * DAY}-0700)/`, 4, 210]]);
    expect(days(JSON.stringify(JSON.stringify(body)))).toEqual(days(body));
  });
});

describe("sites of webmaster tools", () => {
  const site = (Url: string, IsVerified: unknown = true) => ({
    __type: "Site:#Microsoft.Bing.Webmaster.Api",
    AuthenticationCode: "c4nary-auth",
    DnsVerificationCode: "c4nary-dns",
    IsVerified,
    Url,
  });

  test("are offered by their exact addresses, without the codes that prove who owns them", () => {
    const read = parseSites({ d: [site("https://example.com/"), site("http://old.example.com/", false)] });
    expect(read).toMatchObject({
      ok: true,
      value: [
        { property: "https://example.com/", usable: true },
        { property: "http://old.example.com/", usable: false },
      ],
    });
    expect(JSON.stringify(read)).not.toContain("c4nary");
  });

  test("may be none; what is no list is none", () => {
    expect(parseSites({ d: null })).toEqual({ ok: true, value: [] });
    expect(parseSites({ d: [] })).toEqual({ ok: true, value: [] });
    for (const json of [
      {},
      [],
      null,
      "x",
      { d: [{}] },
      { d: [site("")] },
      { d: [site("https://x/", "true")] },
    ])
      expect([json, parseSites(json)]).toMatchObject([
        json,
        { ok: false, fault: { code: "unexpected_report" } },
      ]);
  });
});
