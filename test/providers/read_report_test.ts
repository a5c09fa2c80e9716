/** Reports as they are read: shape, columns, values, days, rows; what two that say the same have in common. */

import { describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { faultOf, type Outcome } from "../../src/providers/faults.ts";
import { readReport } from "../../src/providers/providers.ts";
import type {
  RawPage,
  RawReport,
  ReadReport,
  ReportAsked,
  ReportFamily,
  ReportRow,
} from "../../src/providers/report_families.ts";
import { CHANGES, changed, pathsOf } from "../support/changed_json.ts";
import { temporaryFolder } from "../support/folder.ts";
import { recordEach } from "../support/mixtures.ts";
import { ERROR_EVENTS, familyOf } from "../support/simulated_reports.ts";
import { texts } from "../support/words.ts";

// Reports read from bodies as tests make them up, without a server.

interface BodiesRead {
  readonly outcome: Outcome<ReadReport>;
  readonly rows: readonly ReportRow[];
  /** `category code`, or `ok` and how many rows. */
  readonly said: string;
}

/** Reads bodies (as JSON where they are no text) as the pages of a report. */
async function readBodies(
  family: ReportFamily,
  bodies: readonly (
    | string
    | object
    | { readonly body: string | object; readonly value: string | undefined }
  )[],
  change: Partial<RawReport> & { readonly asked?: ReportAsked } = {},
): Promise<BodiesRead> {
  using folder = temporaryFolder();
  const pages = bodies.map((made, place): RawPage => {
    const isPlaced = typeof made === "object" && "body" in made;
    const body = isPlaced ? made.body : made;
    const value = isPlaced ? made.value : undefined;
    const text = typeof body === "string" ? body : JSON.stringify(body);
    const path = join(folder.path, String(place));
    writeFileSync(path, text);
    const step = isPlaced && value === undefined ? "values" : "rows";
    return { path, bytes: Buffer.byteLength(text), step, value };
  });
  const asked: ReportAsked = {
    family,
    property: "1001",
    from: 20_775,
    to: 20_775,
    timeZone: undefined,
    bounds: { rows: 1_000_000, bytes: 1_000_000_000 },
    errorEvents: ERROR_EVENTS,
  };
  const rows: ReportRow[] = [];
  const askedAt = Date.parse("2026-11-22T12:15:00Z");
  const outcome = await readReport({ asked, askedAt, cut: undefined, ...change, pages }, (row) =>
    rows.push(row),
  );
  const said = outcome.ok ? `ok ${outcome.value.rows}` : `${outcome.fault.category} ${outcome.fault.code}`;
  return { outcome, rows, said };
}

const EVENTS = familyOf("analytics", "events");
const PAGE = familyOf("search-console", "page");
const PAGE_QUERY = familyOf("search-console", "page-query");
const APPEARANCE = familyOf("search-console", "search-appearance-pages");
const TRAFFIC = familyOf("webmaster-tools", "rank-traffic");
const ISSUES = familyOf("webmaster-tools", "crawl-issues");
const FEEDS = familyOf("webmaster-tools", "feeds");
const QUERIES = familyOf("webmaster-tools", "queries");

const names = (of: readonly string[]) => of.map((name) => ({ name }));
type Told = readonly [event: string, count: string, users: string, each: string];
const events = (rows: readonly Told[], change: object = {}) => ({
  dimensionHeaders: names(["eventName"]),
  metricHeaders: names(["eventCount", "totalUsers", "eventCountPerUser"]),
  ...(rows.length === 0
    ? {}
    : {
        rows: rows.map(([event, ...values]) => ({
          dimensionValues: [{ value: event }],
          metricValues: values.map((value) => ({ value })),
        })),
        rowCount: rows.length,
      }),
  metadata: { currencyCode: "EUR", timeZone: "Europe/Paris" },
  kind: "analyticsData#runReport",
  ...change,
});
const ROWS: readonly Told[] = [
  ["click", "12", "7", "1.7142857142857142"],
  ["scroll", "4", "4", "1"],
];

const search = (rows: readonly object[] | undefined, change: object = {}) => ({
  ...(rows === undefined ? {} : { rows }),
  responseAggregationType: "byPage",
  ...change,
});
const row = (page: string, change: object = {}) => ({
  keys: [page],
  clicks: 3,
  impressions: 120,
  ctr: 0.025,
  position: 7.4,
  ...change,
});

/** Bodies that are no report of anything. */
const NOTHING = [
  {},
  [],
  { rows: null },
  { metadata: {} },
  { d: "x" },
  { d: {} },
  { d: ["x"] },
  "<html>",
  '{"rows":[{]}',
  "[1",
  "",
];

/** Records what is read of a report, of odd ones of its kind, and of it with each of its parts lost, doubled or of another kind. */
async function recordReading(
  family: ReportFamily,
  whole: object,
  odd: readonly (object | string)[],
): Promise<void> {
  const read = async (...bodies: Parameters<typeof readBodies>[1]) => {
    const { outcome, rows, said } = await readBodies(family, bodies);
    return outcome.ok ? { ...outcome.value, told: rows } : said;
  };
  const good = await read(whole);
  const bodies = [whole, ...odd, ...NOTHING];
  const ofBodies = await Promise.all(
    bodies.map((body) => (Array.isArray(body) && body.length > 1 ? read(...body) : read(body))),
  );
  recordEach(bodies, (body) => ofBodies[bodies.indexOf(body)]);
  const paths = pathsOf(whole);
  const ofPaths = await Promise.all(
    paths.map(async (path) => {
      const made = await Promise.all(CHANGES.map((to) => read(changed(whole, path, to) as object)));
      return made.map((one) => (Bun.deepEquals(one, good) ? "=" : one));
    }),
  );
  recordEach(paths, (path) => ofPaths[paths.indexOf(path)]);
}

describe("what is read of a report", () => {
  test("of analytics: its rows, its calendar and what limits it, in pages too", async () => {
    const limits = {
      dataLossFromOtherRow: true,
      subjectToThresholding: true,
      samplingMetadatas: [{ samplesReadCount: "500", samplingSpaceSize: "10000" }],
      timeZone: "Asia/Tokyo",
    };
    const { rows: _, rowCount: __, ...bare } = events([]);
    const one = (event: string, change?: object) => events([[event, "1", "1", "1"]], change);
    const [first, second] = [
      events(ROWS.slice(0, 1), { rowCount: 2 }),
      events(ROWS.slice(1), { rowCount: 2 }),
    ];
    const numbers = texts("0|9007199254740991|9007199254740992|0.53|1.5e3|-1||NaN|1e400| 1|0x10");
    await recordReading(EVENTS, events(ROWS), [
      ...[limits, { dataTruncationReasons: [{}] }, { timeZone: "Mars/Olympus" }].map((metadata) =>
        events(ROWS, { metadata }),
      ),
      ...["totalUsers", "totalRevenue"].map((metricName) =>
        events(ROWS, {
          metadata: { schemaRestrictionResponse: { activeMetricRestrictions: [{ metricName }] } },
        }),
      ),
      ...[
        events([]),
        events([], { rowCount: 0 }),
        events([], { rowCount: 3 }),
        events([], { rows: null }),
        bare,
      ],
      ...[undefined, 1, 3].map((rowCount) => events(ROWS, { rowCount })),
      ...numbers.flatMap((value) => [events([["a", value, "1", "1"]]), events([["a", "1", "1", value]])]),
      ...[
        [first, second],
        [first, first],
        [first, { ...second, rowCount: 3 }],
        [first, { ...second, metadata: { timeZone: "UTC" } }],
      ],
      ...[events([...ROWS, ...ROWS.slice(0, 1)]), one("a", { kind: "analyticsData#runRealtimeReport" })],
    ]);
  });

  test("of search console: its rows, and a position where there is one", async () => {
    const two = (page: string, query: string) => ({ ...row(page), keys: [page, query] });
    await recordReading(PAGE, search([row("a"), row("b", { position: 0 })]), [
      ...[
        search(undefined),
        search([]),
        search(undefined, { rows: null }),
        search([row("a", { position: undefined })]),
      ],
      ...[
        { clicks: 1.5 },
        { impressions: 1e300 },
        { ctr: 1.01 },
        { ctr: -0.1 },
        { position: 0.5 },
        { position: -1 },
        { keys: ["a", "b"] },
      ].map((change) => search([row("x"), row("a", change)])),
    ]);
    await recordReading(PAGE_QUERY, search([two("a", "b"), two("b", "a")]), [
      ...[
        [search([two("a", "b"), two("b", "a")]), search([two("a", "c")])],
        [search([two("a", "b")]), search([two("a", "b")])],
      ],
      ...[search([two("a", "b"), two("a", "b")]), search([two("a [secret]", "b"), two("a [secret]", "b")])],
    ]);
  });

  test("of webmaster tools: days, issues by their mask, feeds by their moments, and positions as they are told", async () => {
    const day = (number: number) => `/Date(${number * 86_400_000 + 25_200_000}-0700)/`;
    const traffic = (number: number, change: object = {}) => ({
      Date: day(number),
      Clicks: 4,
      Impressions: 210,
      ...change,
    });
    await recordReading(TRAFFIC, { d: [traffic(20_770), traffic(20_773), traffic(20_771)] }, [
      ...[
        { d: [] },
        { d: null },
        { d: [traffic(20_770), { ...traffic(20_770), Date: `/Date(${20_770 * 86_400_000})/` }] },
      ],
      ...["/Date(-62135596800000)/", "2026-11-01", day(20_781)].map((date) => ({
        d: [traffic(20_770, { Date: date })],
      })),
    ]);
    const issue = (Issues: unknown, change: object = {}) => ({
      HttpCode: 404,
      Issues,
      Url: "https://x/a",
      InLinks: 2,
      ...change,
    });
    await recordReading(
      ISSUES,
      { d: [issue(4), issue(8)] },
      [0, 1, 511, 512, 2 ** 40, 1.5].map((mask) => ({ d: [issue(mask)] })),
    );
    const feed = {
      Compressed: false,
      FileSize: 9,
      Status: "Error",
      Type: "RSS",
      Url: "https://x/f",
      UrlCount: 3,
    };
    const crawled = { LastCrawled: "/Date(1728975600000-0700)/", Submitted: "/Date(-62135568000000-0800)/" };
    await recordReading(FEEDS, { d: [{ ...feed, ...crawled }] }, []);
    const query = (change: object) => ({
      ...{ Query: "red shoes", Date: day(20_769), Clicks: 0, Impressions: 9 },
      ...{ AvgClickPosition: -1, AvgImpressionPosition: 7.4, ...change },
    });
    await recordReading(QUERIES, { d: [query({}), query({ Query: "b", AvgClickPosition: 30 })] }, [
      { d: [query({ AvgClickPosition: -2 })] },
      { d: [query({}), query({})] },
    ]);
  });

  test("however many rows lie between two that are the same", async () => {
    const many = Array.from({ length: 5_000 }, (_, place): Told => [`event-${place}`, "1", "1", "1"]);
    const said = async (...more: Told[]) => (await readBodies(EVENTS, [events([...many, ...more])])).said;
    expect(await said()).toBe("ok 5000");
    for (const row of [many[0], many[999], many[4_999]] as Told[])
      expect(await said(row)).toBe("invalid_report row_twice");
  });

  test("in two steps has rows of the second alone, each told by its appearance", async () => {
    const values = { body: search([row("VIDEO"), row("AMP")]), value: undefined };
    const { rows, outcome } = await readBodies(APPEARANCE, [
      values,
      { body: search([row("a"), row("b")]), value: "VIDEO" },
      { body: search([row("a")]), value: "AMP" },
    ]);
    expect(rows.map(({ keys }) => keys)).toEqual([
      ["VIDEO", "a"],
      ["VIDEO", "b"],
      ["AMP", "a"],
    ]);
    expect(outcome).toMatchObject({ ok: true, value: { rows: 3 } });
    const none = await readBodies(APPEARANCE, [{ body: search(undefined), value: undefined }]);
    expect([none.said, none.rows]).toEqual(["ok 0", []]);
    // What the first step says is part of what the report says.
    const others = await readBodies(APPEARANCE, [
      { body: search([row("VIDEO", { clicks: 4 }), row("AMP")]), value: undefined },
      { body: search([row("a"), row("b")]), value: "VIDEO" },
      { body: search([row("a")]), value: "AMP" },
    ]);
    expect(others.outcome).not.toEqual(outcome);
  });

  test("that is known to be cut is read as far as it is there", async () => {
    const text = JSON.stringify(search([row("a"), row("b"), row("c")]));
    const half = text.slice(0, text.indexOf('"c"'));
    expect((await readBodies(PAGE, [half])).said).toBe("incomplete_report report_cut_off");
    const cut = { by: "fault", fault: faultOf("report_cut_off") } as const;
    const { rows, said: now } = await readBodies(PAGE, [half], { cut });
    expect([now, rows.map(({ keys }) => keys[0])]).toEqual(["ok 2", ["a", "b"]]);
    const few = await readBodies(EVENTS, [events(ROWS, { rowCount: 900 })], { cut: { by: "rows" } });
    expect(few.said).toBe("ok 2");
    const wrong = await readBodies(PAGE, [text.replace("120", "-1").slice(0, -30)], { cut });
    expect(wrong.said).toBe("invalid_report impossible_value");
  });
});

describe("the digest of what a report says", () => {
  const rows = fc.uniqueArray(
    fc.record({
      page: fc.string({ maxLength: 8 }),
      clicks: fc.nat(9),
      position: fc.integer({ min: 1, max: 30 }),
    }),
    { selector: ({ page }) => page, minLength: 1, maxLength: 12 },
  );
  type Rows = ReturnType<typeof rows.generate>["value"];
  const bodyOf = (told: Rows) =>
    search(told.map(({ page, clicks, position }) => row(page, { clicks, position })));
  const contentOf = async (...bodies: readonly object[]) => {
    const { outcome } = await readBodies(PAGE, bodies);
    return outcome.ok ? outcome.value.content : outcome.fault.code;
  };

  test("is one for rows in every order and on any pages, and another for any other rows", async () => {
    await fc.assert(
      fc.asyncProperty(rows, fc.nat(), fc.nat(), async (told, at, by) => {
        const content = await contentOf(bodyOf(told));
        const turn = at % told.length;
        const turned = [...told.slice(turn), ...told.slice(0, turn)].toReversed();
        expect(await contentOf(bodyOf(turned.slice(0, turn)), bodyOf(turned.slice(turn)))).toBe(content);
        const other = told.map((one, place) =>
          place === turn ? { ...one, clicks: one.clicks + 1 + (by % 9) } : one,
        );
        expect(await contentOf(bodyOf(other))).not.toBe(content);
        expect(await contentOf(bodyOf(told.toSpliced(turn, 1)))).not.toBe(content);
      }),
      { numRuns: 60 },
    );
  });

  test("is another one where the notes or the calendar are, and the same whatever else stands beside", async () => {
    const contents = await Promise.all(
      [
        events(ROWS),
        events(ROWS, { metadata: { timeZone: "Europe/Paris", dataLossFromOtherRow: true } }),
        events(ROWS, { metadata: { timeZone: "UTC" } }),
        events([]),
        events(ROWS, { propertyQuota: { tokensPerDay: { consumed: 1, remaining: 9 } }, more: 1 }),
      ].map(async (body) => {
        const { outcome } = await readBodies(EVENTS, [body]);
        return outcome.ok ? outcome.value.content : "";
      }),
    );
    expect(new Set(contents.slice(0, 4)).size).toBe(4);
    expect(contents[4]).toBe(contents[0] ?? "");
  });

  test("stays what it is from one release to the next: what is stored is compared with it", async () => {
    expect(await contentOf(search([row("https://x/", { position: 0 }), row("é")]))).toBe(
      "77d4adb1cd26e574bccf2a661a4c4ea0",
    );
  });
});
