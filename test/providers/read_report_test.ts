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
import { CHANGES, type Change, changed, type Path, pathsOf } from "../support/changed_json.ts";
import { temporaryFolder } from "../support/folder.ts";
import { ERROR_EVENTS, familyOf } from "../support/simulated_reports.ts";

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
    return { path, bytes: Buffer.byteLength(text), step, value, offset: 0 };
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
const STATS = familyOf("webmaster-tools", "crawl-stats");

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

/** What bodies come to, one after the other. */
const said = async (family: ReportFamily, ...bodies: readonly (string | object)[]) => {
  const all: string[] = [];
  for (const body of bodies) all.push((await readBodies(family, [body])).said);
  return all;
};

describe("a report of analytics", () => {
  test("tells its rows, its calendar and what limits it", async () => {
    const limits = {
      dataLossFromOtherRow: true,
      subjectToThresholding: true,
      samplingMetadatas: [{ samplesReadCount: "500", samplingSpaceSize: "10000" }],
      timeZone: "Asia/Tokyo",
    };
    const { outcome, rows } = await readBodies(EVENTS, [events(ROWS, { metadata: limits })]);
    expect(rows).toEqual([
      { keys: ["click"], values: [12, 7, 1.7142857142857142] },
      { keys: ["scroll"], values: [4, 4, 1] },
    ]);
    expect(outcome).toMatchObject({
      ok: true,
      value: {
        rows: 2,
        timeZone: "Asia/Tokyo",
        notes: ["sampled", "thresholded", "other_row"],
        newest: undefined,
      },
    });
  });

  test("without rows has no number of them either, and may say no more than its kind", async () => {
    const { rows: _, rowCount: __, ...bare } = events([]);
    expect(
      await said(
        EVENTS,
        events([]),
        events([], { rowCount: 0 }),
        { kind: "analyticsData#runReport", metadata: { timeZone: "UTC" } },
        bare,
        events(ROWS, { rowCount: undefined }),
        events([], { rowCount: 3 }),
        events([], { rows: null }),
        { metadata: {} },
        {},
      ),
    ).toEqual([
      "ok 0",
      "ok 0",
      "ok 0",
      "ok 0",
      "invalid_report unexpected_report",
      "incomplete_report rows_missing",
      "invalid_report unexpected_report",
      "invalid_report other_columns",
      "invalid_report other_columns",
    ]);
  });

  test("has the columns that were asked for, in their order", async () => {
    const [event, users] = [names(["eventName"]), names(["totalUsers", "eventCount", "eventCountPerUser"])];
    expect(
      await said(
        EVENTS,
        events(ROWS, { dimensionHeaders: names(["pagePath"]) }),
        events(ROWS, { dimensionHeaders: [...event, ...event] }),
        events(ROWS, { metricHeaders: users }),
        events(ROWS, { metricHeaders: undefined }),
        events(ROWS, { kind: "analyticsData#runRealtimeReport" }),
        events([["a", "1", "1", "1"]], { rows: [{ dimensionValues: [], metricValues: [] }] }),
        events([["a", "1", "1", "1"]], {
          rows: [{ dimensionValues: [{ value: "a" }], metricValues: [{ value: "1" }] }],
        }),
        events([["a", "1", "1", "1"]], { rows: ["a"] }),
        events([["a", "1", "1", "1"]], { rows: [{ dimensionValues: [{ value: 1 }], metricValues: [] }] }),
      ),
    ).toEqual([
      ...Array(7).fill("invalid_report other_columns"),
      "invalid_report unexpected_report",
      "invalid_report unexpected_report",
    ]);
  });

  test("holds whole numbers where it counts, and nothing below none", async () => {
    for (const [value, isCount, isFigure] of [
      ["0", true, true],
      ["9007199254740991", true, true],
      ["9007199254740992", false, false],
      ["0.53", false, true],
      ["1.5e3", false, true],
      ["-1", false, false],
      ["", false, false],
      ["NaN", false, false],
      ["1e400", false, false],
      [" 1", false, false],
      ["0x10", false, false],
    ] as const) {
      const [count, figure] = await said(
        EVENTS,
        events([["a", value, "1", "1"]]),
        events([["a", "1", "1", value]]),
      );
      const expected = (is: boolean) => (is ? "ok 1" : "invalid_report impossible_value");
      expect([value, count, figure]).toEqual([value, expected(isCount), expected(isFigure)]);
    }
  });

  test("that leaves something out says so, and is no whole one", async () => {
    const restricted = {
      schemaRestrictionResponse: { activeMetricRestrictions: [{ metricName: "totalUsers" }] },
    };
    expect(
      await said(
        EVENTS,
        events(ROWS, { metadata: { dataTruncationReasons: [{}] } }),
        events(ROWS, { metadata: restricted }),
        events(ROWS, { metadata: { timeZone: "Mars/Olympus" } }),
        events(ROWS, { rowCount: 3 }),
        events(ROWS, { rowCount: 1 }),
      ),
    ).toEqual([
      "incomplete_report report_truncated",
      "configuration metric_restricted",
      "invalid_report unknown_time_zone",
      "incomplete_report rows_missing",
      "invalid_report unexpected_report",
    ]);
  });

  test("in pages is one report: of one number of rows and one calendar, with no row twice", async () => {
    const [first, second] = [
      events(ROWS.slice(0, 1), { rowCount: 2 }),
      events(ROWS.slice(1), { rowCount: 2 }),
    ];
    const whole = await readBodies(EVENTS, [events(ROWS)]);
    const paged = await readBodies(EVENTS, [first, second]);
    expect(paged.outcome).toEqual(whole.outcome);
    const pages = async (...bodies: readonly object[]) => (await readBodies(EVENTS, bodies)).said;
    expect(await pages(first, { ...second, rowCount: 3 })).toBe("invalid_report unexpected_report");
    expect(await pages(first, { ...second, metadata: { timeZone: "UTC" } })).toBe(
      "invalid_report unexpected_report",
    );
    expect(await pages(first)).toBe("incomplete_report rows_missing");
    expect(await pages(first, first)).toBe("incomplete_report rows_not_all_fetched");
    expect(await pages(events([...ROWS, ...ROWS.slice(0, 1)]))).toBe("invalid_report row_twice");
    // However many rows lie between.
    const many = Array.from({ length: 5_000 }, (_, place): Told => [`event-${place}`, "1", "1", "1"]);
    expect(await pages(events(many))).toBe("ok 5000");
    for (const place of [0, 999, 1_500, 4_999])
      expect(await pages(events([...many, ...many.slice(place, place + 1)]))).toBe(
        "invalid_report row_twice",
      );
  });
});

describe("a report of search console", () => {
  test("tells its rows; a position where there is one", async () => {
    const { rows } = await readBodies(PAGE, [
      search([
        row("a"),
        row("b", { position: 0 }),
        row("c", { position: undefined }),
        row("d", { clicks: 3.0 }),
      ]),
    ]);
    expect(rows.map(({ values }) => values)).toEqual([
      [3, 120, 0.025, 7.4],
      [3, 120, 0.025, null],
      [3, 120, 0.025, null],
      [3, 120, 0.025, 7.4],
    ]);
  });

  test("without rows says how it would have added them up", async () => {
    expect(
      await said(PAGE, search(undefined), search([]), {}, { rows: null }, search(undefined, { rows: null })),
    ).toEqual(["ok 0", "ok 0", ...Array(3).fill("invalid_report unexpected_report")]);
  });

  test("holds nothing that cannot be", async () => {
    for (const [change, expected] of [
      [{ clicks: 1.5 }, "impossible_value"],
      [{ clicks: -1 }, "impossible_value"],
      [{ impressions: 1e300 }, "impossible_value"],
      [{ ctr: 1.01 }, "impossible_value"],
      [{ ctr: -0.1 }, "impossible_value"],
      [{ position: 0.5 }, "impossible_value"],
      [{ position: -1 }, "impossible_value"],
      [{ position: "7" }, "impossible_value"],
      [{ clicks: "3" }, "unexpected_report"],
      [{ ctr: null }, "unexpected_report"],
      [{ keys: undefined }, "unexpected_report"],
      [{ keys: [1] }, "unexpected_report"],
      [{ keys: ["a", "b"] }, "other_columns"],
      [{ keys: [] }, "other_columns"],
    ] as const) {
      expect([change, ...(await said(PAGE, search([row("x"), row("a", change)])))]).toEqual([
        change,
        `invalid_report ${expected}`,
      ]);
    }
  });

  test("with a row on two pages has another one on none", async () => {
    const two = (page: string, query: string) => ({ ...row(page), keys: [page, query] });
    const pages = async (...bodies: readonly object[]) => (await readBodies(PAGE_QUERY, bodies)).said;
    expect(await pages(search([two("a", "b"), two("b", "a")]), search([two("a", "c")]))).toBe("ok 3");
    expect(await pages(search([two("a", "b")]), search([two("a", "b")]))).toBe(
      "incomplete_report rows_not_all_fetched",
    );
    expect(await pages(search([two("a", "b"), two("a", "b")]))).toBe("invalid_report row_twice");
    // Two searches that held a secret, each spelled its own way, are two rows all the same.
    expect(await pages(search([two("a [secret]", "b"), two("a [secret]", "b")]))).toBe("ok 2");
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
});

describe("a report of webmaster tools", () => {
  const day = (number: number) => `/Date(${number * 86_400_000 + 25_200_000}-0700)/`;
  const traffic = (number: number, change: object = {}) => ({
    Date: day(number),
    Clicks: 4,
    Impressions: 210,
    ...change,
  });

  test("of days tells them by their UTC day, and which is the newest", async () => {
    const { rows, outcome } = await readBodies(TRAFFIC, [
      { d: [traffic(20_770), traffic(20_773), traffic(20_771)] },
    ]);
    expect(rows.map(({ keys }) => keys[0])).toEqual(["2026-11-13", "2026-11-16", "2026-11-14"]);
    expect(outcome).toMatchObject({ ok: true, value: { newest: 20_773, timeZone: undefined } });
    expect((await readBodies(STATS, [{ d: [] }])).outcome).toMatchObject({ value: { newest: undefined } });
  });

  test("has no day twice, none that never was, and none of the future", async () => {
    expect(
      await said(
        TRAFFIC,
        { d: [traffic(20_770), { ...traffic(20_770), Date: `/Date(${20_770 * 86_400_000})/` }] },
        { d: [traffic(20_770, { Date: "/Date(-62135596800000)/" })] },
        { d: [traffic(20_770, { Date: "2026-11-01" })] },
        { d: [traffic(20_781)] },
        { d: [traffic(20_770, { Clicks: -1 })] },
        { d: [traffic(20_770, { Impressions: 0.5 })] },
        { d: ["x"] },
        { d: "x" },
        { d: {} },
        {},
      ),
    ).toEqual([
      ...Array(4).fill("invalid_report other_days"),
      "invalid_report impossible_value",
      "invalid_report impossible_value",
      ...Array(4).fill("invalid_report unexpected_report"),
    ]);
  });

  test("of issues has a mask of their kinds; a page may have one issue after another", async () => {
    const issue = (issues: unknown, change: object = {}) => ({
      d: [{ HttpCode: 404, Issues: issues, Url: "https://x/a", InLinks: 2, ...change }],
    });
    expect(await said(ISSUES, issue(1), issue(511), issue(-1), issue(1.5), issue("4"))).toEqual([
      "ok 1",
      "ok 1",
      ...Array(3).fill("invalid_report impossible_value"),
    ]);
    // A kind that is documented nowhere, or none at all, makes the report no less of one.
    expect(await said(ISSUES, issue(0), issue(512), issue(2 ** 40))).toEqual(["ok 1", "ok 1", "ok 1"]);
    expect(await said(ISSUES, issue(4, { Url: undefined }), issue(4, { HttpCode: -1 }))).toEqual([
      "invalid_report unexpected_report",
      "invalid_report impossible_value",
    ]);
    const [first] = issue(4).d;
    expect((await readBodies(ISSUES, [{ d: [first, { ...first, Issues: 8 }] }])).said).toBe("ok 2");
  });

  test("of feeds tells moments in milliseconds, and never as nothing", async () => {
    const feed = {
      Compressed: false,
      FileSize: 9,
      Status: "Error",
      Type: "RSS",
      Url: "https://x/f",
      UrlCount: 3,
    };
    const { rows } = await readBodies(FEEDS, [
      {
        d: [
          { ...feed, LastCrawled: "/Date(1728975600000-0700)/", Submitted: "/Date(-62135568000000-0800)/" },
        ],
      },
    ]);
    expect(rows).toEqual([
      { keys: ["https://x/f", "RSS", "Error"], values: [3, 9, 1_728_975_600_000, null] },
    ]);
  });

  test("of a query's positions leaves their scale as it is; -1 says that there is none", async () => {
    const query = (change: object) => ({
      Query: "red shoes",
      Date: day(20_769),
      Clicks: 0,
      Impressions: 9,
      AvgClickPosition: -1,
      AvgImpressionPosition: 7.4,
      ...change,
    });
    const { rows } = await readBodies(QUERIES, [
      { d: [query({}), query({ Query: "b", AvgClickPosition: 30 })] },
    ]);
    expect(rows.map(({ values }) => values)).toEqual([
      [0, 9, null, 7.4],
      [0, 9, 30, 7.4],
    ]);
    expect(
      await said(QUERIES, { d: [query({ AvgClickPosition: -2 })] }, { d: [query({}), query({})] }),
    ).toEqual(["invalid_report impossible_value", "invalid_report row_twice"]);
  });
});

describe("what came of a report", () => {
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

  test("that is no JSON is none", async () => {
    expect(await said(PAGE, "<html>", '{"rows":[{]}', '{"rows":[],"rows":[]}', "[1", "")).toEqual([
      ...Array(3).fill("invalid_report unreadable_report"),
      "incomplete_report report_cut_off",
      "incomplete_report report_cut_off",
    ]);
  });
});

describe("a report in which one thing is otherwise", () => {
  const appearance = (name: string) => ({ ...row(name), keys: [name] });
  const issue = { HttpCode: 404, Issues: 4, Url: "https://x/a", InLinks: 2 };
  const bodies = [
    [EVENTS, events([...ROWS, ["page_view", "90", "41", "2.195"]]), "rows"],
    [PAGE, search([appearance("a"), appearance("b")]), "rows"],
    [ISSUES, { d: [issue, { ...issue, Url: "https://x/b", Issues: 8 }] }, "d"],
  ] as const;
  /** Another value that may be told just as well: texts are any, and numbers from 0 up of figures that are no counts. */
  const mayBe = (path: Path, to: Change) => {
    const value = to.kind === "other" ? to.value : undefined;
    const name = path.at(-1);
    if (typeof value === "string") return name === "value" || name === "Url" || path.at(-2) === "keys";
    return name === "position" && (value === null || (typeof value === "number" && value > 0));
  };
  /** Neither of these says how many rows there are: one that is gone, or all in the shape of none, is the report of a quiet day. */
  const isUntold = ([first, ...more]: Path, list: string, to: Change) => {
    if (list === "rows" && first === "rows" && more.length === 1) return to.kind === "lost";
    if (first !== list) return false;
    if (more.length === 1) return to.kind === "lost" || (list === "d" && to.kind === "doubled");
    const isEmpty =
      to.kind === "other" && (to.value === null || (Array.isArray(to.value) && to.value.length === 0));
    return more.length === 0 && (isEmpty || to.kind === "lost");
  };

  test("tells the same rows or is none", async () => {
    for (const [family, body, list] of bodies) {
      const whole = await readBodies(family, [body]);
      for (const path of pathsOf(body)) {
        for (const to of CHANGES) {
          if (mayBe(path, to) || (family !== EVENTS && isUntold(path, list, to))) continue;
          // A position that is left out is none; the columns alone say whether there should be one.
          if (path.at(-1) === "position" && to.kind !== "other") continue;
          const other = await readBodies(family, [changed(body, path, to) as object]);
          expect([path, to, other.outcome.ok ? other.rows : whole.rows]).toEqual([path, to, whole.rows]);
        }
      }
    }
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
