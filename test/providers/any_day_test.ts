/**
 * What is read of providers' answers about days, hours and now, and of their lists of sites: of whole ones, of odd ones, and of whole ones
 * in which one thing is otherwise, recorded (`test/support/mixtures.ts`).
 */

import { expect, test } from "bun:test";
import { parseDays, parseHours, parseRealtime } from "../../src/providers/analytics.ts";
import { parseProperties, parseTimeZone } from "../../src/providers/analytics_properties.ts";
import type { Outcome } from "../../src/providers/faults.ts";
import {
  parseDays as parseSearchDays,
  parseSites as parseSearchSites,
} from "../../src/providers/search_console.ts";
import {
  parseDays as parseWebmasterDays,
  parseSites as parseWebmasterSites,
} from "../../src/providers/webmaster_tools.ts";
import { CHANGES, changed, pathsOf } from "../support/changed_json.ts";
import {
  analyticsReport,
  realtimeReport,
  searchReport,
  trafficReport,
} from "../support/make/provider_answers.ts";
import { recordEach } from "../support/mixtures.ts";

const DAY = 86_400_000;
const NOW = Date.parse("2026-11-22T08:00:00Z");
const TO = Math.floor(NOW / DAY);
const ASKED = { from: TO - 96, to: TO, timeZone: "Europe/Paris" };
/** Bodies that are no report of anything. */
const NOTHING: readonly unknown[] = [{}, [], null, "x", 1];

const read = (outcome: Outcome<object>) =>
  outcome.ok ? outcome.value : `${outcome.fault.category} ${outcome.fault.code}`;
const textOf = (body: unknown) => (typeof body === "string" ? body : JSON.stringify(body));

/** Records what is read of each of these bodies, then of the first with each of its parts lost, doubled or of another kind. */
function recordReading(
  parse: (text: string) => Outcome<object>,
  whole: object,
  odd: readonly unknown[],
): void {
  const good = read(parse(JSON.stringify(whole)));
  recordEach([whole, ...odd, ...NOTHING], (body) => read(parse(textOf(body))));
  recordEach(pathsOf(whole), (path) =>
    CHANGES.map((to) => {
      const made = read(parse(JSON.stringify(changed(whole, path, to))));
      return Bun.deepEquals(made, good) ? "=" : made;
    }),
  );
}

const ODD_COUNTS = "-1 1.5 1e3 NaN 9007199254740991 9007199254740992 99999999999999999 (not set)".split(" ");

test("days of analytics", () => {
  const whole = analyticsReport([
    ["20261120", 41, 52, 133, 402],
    ["20261122", 7, 9, 20, 60],
  ]);
  const { metadata, kind, rows, ...bare } = whole;
  const of = (key: string, ...counts: number[]) => analyticsReport([[key, ...counts]]);
  const told = (change: object) => ({ ...whole, metadata: { ...metadata, ...change } });
  const restricted = (metricName: string) => ({ activeMetricRestrictions: [{ metricName }] });
  recordReading((text) => parseDays(text, ASKED), whole, [
    ...[
      analyticsReport([]),
      { metadata, kind },
      { ...analyticsReport([]), rowCount: 0, rows: [] },
      { metadata },
    ],
    ...[
      { ...bare, metadata, kind },
      { ...whole, rowCount: 1 },
      { ...whole, rowCount: 3 },
    ],
    ...["20261123", "20260817", "20261131", "2026-11-20", "(other)", "", "2026112000"].map((key) =>
      of(key, 1, 1, 1, 1),
    ),
    ...[of("20261120", 1, 2, 3), of("20261120", 1, 2, 3, 4, 5), { ...whole, rows: [rows?.[0], rows?.[0]] }],
    ...["", " 1", ...ODD_COUNTS].map((count) =>
      JSON.stringify(whole).replace('"133"', JSON.stringify(count)),
    ),
    { ...whole, metricHeaders: whole.metricHeaders.toReversed() },
    ...["Asia/Tokyo", "Mars/Olympus"].map((timeZone) => told({ timeZone })),
    told({ samplingMetadatas: [{ samplesReadCount: "500", samplingSpaceSize: "10000" }] }),
    ...[true, false, "yes"].map((is) => told({ subjectToThresholding: is, dataLossFromOtherRow: true })),
    told({ dataTruncationReasons: [{ dataTruncationType: "RETENTION" }] }),
    ...["sessions", "totalRevenue"].map((name) => told({ schemaRestrictionResponse: restricted(name) })),
  ]);
  recordEach([ASKED.timeZone, ""], (known) =>
    [{}, undefined].map((metadata) =>
      read(parseDays(JSON.stringify({ ...whole, metadata }), { ...ASKED, timeZone: known || undefined })),
    ),
  );
});

test("hours of analytics", () => {
  const hours = (...rows: Parameters<typeof analyticsReport>[0]) =>
    analyticsReport(rows, { dimension: "dateHour" });
  const asked = { ...ASKED, from: TO - 1 };
  recordReading(
    (text) => parseHours(text, asked),
    hours(["2026112203", 1, 2, 3, 4], ["2026112123", 5, 6, 7, 8]),
    [
      hours(),
      ...["2026112224", "2026112003", "2026112303", "20261122", "(other)"].map((key) =>
        hours([key, 1, 1, 1, 1]),
      ),
      hours(["2026112203", 1, 1, 1, 1], ["2026112203", 1, 1, 1, 1]),
    ],
  );
});

test("what goes on now", () => {
  const two = realtimeReport({ last30: [12, 40, 90], last5: [3, 8, 20] });
  recordReading(parseRealtime, two, [
    ...[realtimeReport({}), realtimeReport({ last30: [1, 1, 1] }), realtimeReport({ last60: [1, 1, 1] })],
    ...[
      { ...two, rows: [two.rows[0], two.rows[0]] },
      { ...two, rowCount: 3 },
      { ...two, rowCount: 1 },
    ],
  ]);
});

test("days of search console", () => {
  const rows = [
    ["2026-11-18", 3, 120, 0.025, 7.4],
    ["2026-11-19", 0, 4, 0, 31.25],
  ] as const;
  const whole = searchReport(rows, { firstIncompleteDate: "2026-11-19" });
  const of = (clicks: number, impressions: number, ctr: number, position: number) =>
    searchReport([["2026-11-18", clicks, impressions, ctr, position]]);
  recordReading((text) => parseSearchDays(text, ASKED), whole, [
    ...[
      searchReport([]),
      searchReport(rows),
      searchReport(rows.toReversed()),
      searchReport([rows[0], rows[0]]),
    ],
    searchReport(rows, { first_incomplete_date: "2026-11-19" }),
    ...["2026-11-23", "2026-08-17", "20261118", "2026-11-31", ""].map((date) =>
      searchReport([[date, 1, 1, 1, 1]]),
    ),
    ...[
      of(0, 0, 0, 0),
      of(1, 2 ** 53, 0, 1),
      of(1, 2.5, 0, 1),
      of(1, 2, 1.01, 1),
      of(1, 2, -0.1, 1),
      of(1, 2, 0, -1),
    ],
    JSON.stringify(whole).replace("7.4", "1e999"),
    JSON.stringify(whole).replace('"clicks":3', '"clicks":3.0'),
    { ...whole, rows: whole.rows?.map((row) => ({ ...row, keys: ["2026-11-18", "red shoes"] })) },
  ]);
});

test("days of webmaster tools", () => {
  const midnight = (TO - 3) * DAY;
  const on = (...dates: (number | string)[]) => trafficReport(dates.map((date) => [`/Date(${date})/`, 1, 2]));
  const whole = trafficReport([[`/Date(${midnight}-0700)/`, 4, 210]]);
  const pacific = midnight + 7 * 3_600_000;
  // Every second day for a year: 97 dates, not 97 days.
  const year = Array.from({ length: 180 }, (_, nth) => midnight - 2 * nth * DAY);
  recordReading((text) => parseWebmasterDays(text, NOW), whole, [
    ...[`${midnight}`, `${midnight}+0200`, `${pacific}-0700`, pacific].map((date) => on(date)),
    JSON.stringify(whole).replaceAll("/", "\\/"),
    ...["-62135568000000-0800", "-62135596800000", "-11644473600000", "9".repeat(17), "9".repeat(30), ""].map(
      (date) => on(date),
    ),
    ...[TO + 2, TO + 1, TO].map((day) => on(day * DAY)),
    ...[on(...year), on(...year.toReversed()), on(midnight, midnight - DAY, midnight)],
    ...[{ d: [] }, { d: null }, { d: {} }, { D: [] }].flatMap((body) => [
      body,
      JSON.stringify(JSON.stringify(body)),
    ]),
    JSON.stringify(JSON.stringify(whole)),
    ...[trafficReport([[`/Date(${midnight})/`, 1, 2 ** 53]]), trafficReport([["2026-11-18", 1, 2]])],
  ]);
});

test("lists of sites, of which only those are of use that the account is verified for, without the codes that prove it", () => {
  const permissions = "siteOwner siteFullUser siteRestrictedUser siteUnverifiedUser siteSomething".split(" ");
  const siteEntry = permissions.map((permissionLevel) => ({
    siteUrl: `sc-domain:${permissionLevel}`,
    permissionLevel,
  }));
  recordReading((text) => parseSearchSites(JSON.parse(text)), { siteEntry }, [{ sites: [] }]);
  const site = {
    AuthenticationCode: "c4nary-a",
    DnsVerificationCode: "c4nary-b",
    IsVerified: true,
    Url: "https://x.example/",
  };
  const d = [site, { ...site, IsVerified: false, Url: "http://y.example/" }];
  recordReading((text) => parseWebmasterSites(JSON.parse(text)), { d }, []);
  expect(JSON.stringify(parseWebmasterSites({ d }))).not.toContain("c4nary");
});

test("a page of properties, and the time zone of one", () => {
  const property = (id: string, displayName: string) => ({ property: `properties/${id}`, displayName });
  const accountSummaries = [{ propertySummaries: [property("1000", "Harbor"), property("7", "")] }, {}];
  recordReading((text) => parseProperties(JSON.parse(text)), { accountSummaries, nextPageToken: "next" }, [
    ...[{ accountSummaries: [], nextPageToken: "" }, { accountSummaries: null }, { accountSummaries: [[]] }],
    ...["abc", "1/../2"].map((id) => ({ accountSummaries: [{ propertySummaries: [property(id, "x")] }] })),
  ]);
  const zones = ["America/Los_Angeles", "Mars/Olympus", 7].flatMap((timeZone) =>
    ["1000", "1001"].map((id) => ({ name: `properties/${id}`, timeZone })),
  );
  recordEach([...zones, ...NOTHING], (settings) => parseTimeZone(settings, "1000"));
});
