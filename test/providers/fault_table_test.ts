/**
 * Every way in which a provider gives no report, or less than one, over real HTTP: its category and code, how many requests it takes,
 * and that no file of it stays. What of a report came before it ended is kept, and is recorded as incomplete whatever ended it.
 */

import { afterAll, beforeEach, describe, expect, test } from "bun:test";
import type { Fault, ServerName } from "../../src/demo/simulator/script.ts";
import { startSimulators } from "../../src/demo/simulator/simulators.ts";
import type { Provider } from "../../src/providers/adapter.ts";
import { FAULT_CODES, type FaultCode } from "../../src/providers/faults.ts";
import { faultOfCut } from "../../src/providers/report_families.ts";
import { FakeClock } from "../support/clock.ts";
import { promptHttp } from "../support/http.ts";
import { familyOf, simulatedReports } from "../support/simulated_reports.ts";

const clock = new FakeClock("2026-11-22T12:15:00Z");
const DAY = 20_775;
const simulators = startSimulators({
  now: () => clock.now(),
  seed: 3,
  world: {
    sites: [
      {
        name: "harbor.example",
        visitsPerDay: 4_000,
        firstDay: DAY - 100,
        analytics: {
          property: "1001",
          timeZone: "Europe/Paris",
          customDimensions: ["error_message", "error_source"],
        },
        searchConsole: { property: "sc-domain:harbor.example", appearances: ["VIDEO", "AMP_BLUE_LINK"] },
        webmasterTools: { property: "https://harbor.example/" },
      },
    ],
  },
});
const reports = await simulatedReports(simulators, clock);
afterAll(() => {
  simulators.stop();
  reports.close();
});
beforeEach(() => simulators.calm());

const OF = {
  analytics: ["1001", "pages-screens", "analyticsData"],
  "search-console": ["sc-domain:harbor.example", "page-query", "searchConsole"],
  "webmaster-tools": ["https://harbor.example/", "crawl-issues", "webmasterTools"],
} as const satisfies Readonly<Record<Provider, readonly [string, string, ServerName]>>;
const PROVIDERS = Object.keys(OF) as Provider[];

type Row = readonly [what: string, fault: Fault, code: FaultCode, requests?: number, server?: ServerName];

const json = (status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): Fault => ({
  kind: "answer",
  answer: { status, headers: { "content-type": "application/json", ...headers }, body: JSON.stringify(body) },
});
const error = (name: string, status?: number): Fault =>
  status === undefined ? { kind: "error", error: name } : { kind: "error", error: name, status };
const flat = (name: string, description: string): Fault =>
  json(400, { error: name, error_description: description });
/** A page larger than what is kept of an answer in memory. */
const largePage = (status: number): Fault => ({
  kind: "text",
  status,
  text: `<!DOCTYPE html><p>${"busy ".repeat(40_000)}`,
});
/** Rows larger than that which are none. */
const largeRows = (list: string): Fault => json(200, { [list]: Array(20_000).fill("no row") });

const everywhere = (provider: Provider): readonly Row[] => [
  ["a connection that is reset", { kind: "reset" }, "connection_lost", 3],
  ["one that is closed", { kind: "closed" }, "connection_lost", 3],
  ["headers that are cut", { kind: "cut-headers" }, "connection_lost", 3],
  ["a body cut after 200", { kind: "cut-body" }, "answer_cut_off", 3],
  ["chunks without an end", { kind: "cut-chunked" }, "answer_cut_off", 3],
  ["gzip that is none", { kind: "bad-gzip" }, "answer_garbled", 3],
  ["a page with 200", { kind: "html" }, "not_a_report"],
  ["a page with 503", { kind: "html", status: 503 }, "not_a_report", 3],
  ["a page with 404", { kind: "html", status: 404 }, "wrong_address"],
  ["a large page with 200", largePage(200), "not_a_report"],
  ["a large page with 403", largePage(403), "access_refused"],
  ["a redirect", { kind: "redirect" }, "redirected"],
  ["nothing at all", { kind: "text" }, "not_a_report"],
  ["no JSON", { kind: "text", text: '{"rows":[{]}' }, "unreadable_report"],
  [
    "large JSON of another kind",
    largeRows(provider === "webmaster-tools" ? "d" : "rows"),
    provider === "analytics" ? "other_columns" : "unexpected_report",
  ],
  [
    "JSON of another kind",
    json(200, { hello: "you" }),
    provider === "analytics" ? "other_columns" : "unexpected_report",
  ],
  ["a list", json(200, []), "unexpected_report"],
  ["a 503 that says when", json(503, {}, { "retry-after": "700" }), "provider_failed"],
  ["a 400 without a word", json(400, {}), "request_refused"],
];

const GOOGLE: readonly Row[] = [
  ["the API not enabled", error("service-disabled"), "api_disabled"],
  ["the same in the older form", error("access-not-configured"), "api_disabled"],
  ["no access to the property", error("forbidden"), "property_denied"],
  ["the same inside of 200", error("forbidden", 200), "property_denied"],
  ["a scope that is missing", error("scope"), "scope_missing"],
  ["a rate limit as 403", error("rate-limit-403"), "rate_limited"],
  ["one of the user as 403", error("user-rate-limit"), "rate_limited"],
  ["the day's limit as 403", error("daily-limit"), "account_quota"],
  ["429", error("too-many-requests"), "rate_limited"],
  ["a field that is not taken", error("invalid-argument"), "request_refused"],
  ["500", error("internal"), "provider_failed", 3],
  ["503", error("unavailable"), "provider_failed", 3],
  ["504", error("deadline"), "provider_failed", 3],
];

const SIGN_IN: readonly Row[] = [
  ["a signature that is wrong", flat("invalid_grant", "Invalid JWT Signature."), "key_refused", 0, "token"],
  [
    "an account that is gone",
    flat("invalid_grant", "Invalid grant: account not found"),
    "account_gone",
    0,
    "token",
  ],
  ["no access token", { kind: "id-token-only" }, "no_access_token", 0, "token"],
];

const bent = (bend: (told: { rows: object[] }) => unknown): Fault => ({ kind: "bent", bend });

const TABLE: Readonly<Record<Provider, readonly Row[]>> = {
  analytics: [
    ...everywhere("analytics"),
    ...GOOGLE,
    ...SIGN_IN,
    ...(
      [
        ["tokens-project-hour", "hourly_quota"],
        ["tokens-hour", "hourly_quota"],
        ["tokens-day", "daily_quota"],
        ["thresholded", "threshold_quota"],
        ["concurrent", "too_many_at_once"],
        ["client-errors", "too_many_refused"],
        ["server-errors", "too_many_failures"],
      ] as const
    ).map(([bucket, code]): Row => [`the bucket ${bucket}`, error(bucket), code]),
    // No parameter was asked for, so that it is a refusal as any other.
    ["a parameter that nobody asked for", error("unregistered"), "request_refused"],
    [
      "fewer rows than it says",
      bent((told) => ({ ...told, rowCount: told.rows.length, rows: undefined })),
      "rows_missing",
    ],
    ["more rows than it says", bent((told) => ({ ...told, rowCount: 1 })), "unexpected_report"],
    ["rows without their number", bent((told) => ({ ...told, rowCount: undefined })), "unexpected_report"],
    ["a row twice", bent((told) => ({ ...told, rows: [...told.rows.slice(1), told.rows[1]] })), "row_twice"],
    [
      "a calendar that is none",
      bent((told) => ({ ...told, metadata: { timeZone: "x" } })),
      "unknown_time_zone",
    ],
    [
      "a part left out",
      bent((told) => ({ ...told, metadata: { dataTruncationReasons: [{}] } })),
      "report_truncated",
    ],
    [
      "a figure that is not shown",
      bent((told) => ({
        ...told,
        metadata: { schemaRestrictionResponse: { activeMetricRestrictions: [{ metricName: "keyEvents" }] } },
      })),
      "metric_restricted",
    ],
  ],
  "search-console": [
    ...everywhere("search-console"),
    ...GOOGLE,
    ...SIGN_IN,
    ["the load quota as 403", error("load-quota"), "load_quota"],
    ["the short limit as 403", error("qps-403"), "rate_limited"],
    ["the short limit as 429", error("qps-429"), "rate_limited"],
    ["a backend error", error("backend-error"), "provider_failed", 3],
    [
      "other columns",
      bent((told) => ({ ...told, rows: told.rows.map((row) => ({ ...row, keys: ["a"] })) })),
      "other_columns",
    ],
    [
      "a value that cannot be",
      bent((told) => ({ ...told, rows: told.rows.map((row) => ({ ...row, ctr: 2 })) })),
      "impossible_value",
    ],
    ["a row twice", bent((told) => ({ ...told, rows: [...told.rows, told.rows[0]] })), "row_twice"],
  ],
  "webmaster-tools": [
    ...everywhere("webmaster-tools"),
    ...[200, 400].flatMap((status) =>
      (
        [
          [1, "provider_failed"],
          [3, "key_refused"],
          [4, "rate_limited"],
          [5, "rate_limited"],
          [6, "account_blocked"],
          [7, "not_a_site"],
          [8, "request_refused"],
          [9, "too_many_sites"],
          [10, "account_gone"],
          [12, "unexpected_report"],
          [13, "property_denied"],
          [14, "property_denied"],
          [16, "request_refused"],
          [99, "provider_failed"],
        ] as const
      ).map(([code, why]): Row => {
        const name = code % 2 === 0 ? `${code}-text` : String(code);
        return [`code ${code} with ${status}`, error(name, status), why];
      }),
    ),
    ["an error in a string of JSON", json(200, '{"ErrorCode":14,"Message":"no"}'), "property_denied"],
    [
      "a mask that is none",
      json(200, { d: [{ Url: "x", Issues: -1, HttpCode: 1, InLinks: 0 }] }),
      "impossible_value",
    ],
  ],
};

for (const provider of PROVIDERS) {
  const [property, name, server] = OF[provider];
  const family = familyOf(provider, name);
  const token = provider === "webmaster-tools" ? 0 : 1;

  describe(`a report of ${provider}`, () => {
    for (const [what, fault, code, requests = 1, of = server] of TABLE[provider]) {
      test(`${what}: ${FAULT_CODES[code].category} ${code}`, async () => {
        simulators.script(fault, { server: of, times: 9 });
        const tried = await reports.try(family, property, DAY);
        expect([tried.fault, tried.requests]).toEqual([
          `${FAULT_CODES[code].category} ${code}`,
          requests + token,
        ]);
        expect(reports.files()).toEqual([]);
      });
    }

    test("a time limit that is reached is one, and is tried once more", async () => {
      const [patient, short] = [promptHttp(clock), promptHttp(clock, 100)];
      const http = {
        request: (request: Parameters<typeof patient.request>[0]) =>
          (request.into === undefined ? patient : short).request(request),
      };
      for (const fault of [{ kind: "hang" }, { kind: "drip", everyMs: 50 }] as const) {
        simulators.script(fault, { server, times: 9 });
        const tried = await reports.try(family, property, DAY, { client: { http } });
        simulators.calm();
        expect([tried.fault, tried.requests]).toEqual(["network timed_out", 2 + token]);
      }
      expect(reports.files()).toEqual([]);
    });

    test("what ends early, or is more than is taken, is kept as far as it came: an incomplete report", async () => {
      for (const [fault, code] of [
        [{ kind: "cut-json" }, "report_cut_off"],
        [{ kind: "cut-unframed" }, "report_cut_off"],
        [{ kind: "huge", bytes: 4_000_000 }, "report_over_ceiling"],
        [{ kind: "gzip-bomb", bytes: 64 * 1024 * 1024 }, "report_over_ceiling"],
      ] as const) {
        simulators.script(fault, { server });
        const bounds = { rows: 1_000, bytes: 1_000_000 };
        const { raw, requests } = await reports.try(family, property, DAY, { bounds });
        if (raw?.cut === undefined) throw new Error(`${fault.kind} is no cut`);
        expect([fault.kind, faultOfCut(raw.cut), requests]).toMatchObject([
          fault.kind,
          { category: "incomplete_report", code },
          1 + token,
        ]);
        expect(raw.pages.reduce((sum, { bytes }) => sum + bytes, 0)).toBeLessThanOrEqual(bounds.bytes);
      }
    });

    test("what is spoiled by nobody is a report: in pieces, packed, under another name of its kind", async () => {
      for (const fault of [{ kind: "chunked" }, { kind: "gzip" }, { kind: "wrong-type" }] as const) {
        const plain = await reports.try(family, property, DAY);
        simulators.script(fault, { server });
        const tried = await reports.try(family, property, DAY);
        expect([tried.fault, tried.bodies]).toEqual([undefined, [...plain.bodies]]);
      }
    });
  });
}

test("a token that is refused twice is no sign-in; one that is refused once is made up for", async () => {
  const [property, name, server] = OF["search-console"];
  for (const [times, expected] of [
    [1, [undefined, 4]],
    [9, ["access signed_out", 4]],
  ] as const) {
    simulators.calm();
    simulators.script(error("bad-token"), { server, times });
    const tried = await reports.try(familyOf("search-console", name), property, DAY);
    expect([tried.fault, tried.requests]).toEqual([...expected]);
  }
});

test("a later part that could not be had is told as that, and what it asks for is waited for", async () => {
  const [property] = OF["search-console"];
  simulators.script({ kind: "error", error: "load-quota", retryAfter: "120" }, { asking: '"AMP_BLUE_LINK"' });
  const { raw } = await reports.try(familyOf("search-console", "search-appearance-pages"), property, DAY);
  if (raw?.cut === undefined) throw new Error("it is no cut");
  expect(faultOfCut(raw.cut)).toEqual({
    category: "incomplete_report",
    code: "rows_not_all_fetched",
    scope: "property",
    retryAfterMs: 120_000,
  });
});
