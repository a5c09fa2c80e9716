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
/** A page larger than what is kept of an answer in memory. */
const largePage = (status: number): Fault => ({
  kind: "text",
  status,
  text: `<!DOCTYPE html><p>${"busy ".repeat(40_000)}`,
});
/** Rows larger than that which are none. */
const largeRows = (list: string): Fault => json(200, { [list]: Array(20_000).fill("no row") });

/** What a file in the place of memory, and the wiring of each provider's own errors, add to the tables that are tested by themselves. */
const everywhere = (provider: Provider): readonly Row[] => {
  const otherKind = provider === "analytics" ? "other_columns" : "unexpected_report";
  return [
    ["a connection that is reset", { kind: "reset" }, "connection_lost", 3],
    ["a body cut after 200", { kind: "cut-body" }, "answer_cut_off", 3],
    ["gzip that is none", { kind: "bad-gzip" }, "answer_garbled", 3],
    ["a page with 503", { kind: "html", status: 503 }, "not_a_report", 3],
    ["a large page with 200", largePage(200), "not_a_report"],
    ["a large page with 403", largePage(403), "access_refused"],
    ["a redirect", { kind: "redirect" }, "redirected"],
    ["nothing at all", { kind: "text" }, "not_a_report"],
    ["no JSON", { kind: "text", text: '{"rows":[{]}' }, "unreadable_report"],
    ["large JSON of another kind", largeRows(provider === "webmaster-tools" ? "d" : "rows"), otherKind],
    ["JSON of another kind", json(200, { hello: "you" }), otherKind],
    ["a 503 that says when", json(503, {}, { "retry-after": "700" }), "provider_failed"],
  ];
};

const TABLE: Readonly<Record<Provider, readonly Row[]>> = {
  analytics: [
    ...everywhere("analytics"),
    ["no access to the property", error("forbidden"), "property_denied"],
    ["a quota of the property", error("tokens-day"), "daily_quota"],
    // No parameter was asked for, so that it is a refusal as any other.
    ["a parameter that nobody asked for", error("unregistered"), "request_refused"],
    ["no access token", { kind: "id-token-only" }, "no_access_token", 0, "token"],
  ],
  "search-console": [
    ...everywhere("search-console"),
    ["no access to the property, inside of 200", error("forbidden", 200), "property_denied"],
    ["the load quota as 403", error("load-quota"), "load_quota"],
    ["a backend error", error("backend-error"), "provider_failed", 3],
  ],
  "webmaster-tools": [
    ...everywhere("webmaster-tools"),
    ["a key that is refused, with 400", error("3", 400), "key_refused"],
    ["a throttle as text with 200", error("4-text", 200), "rate_limited"],
    ["an error in a string of JSON", json(200, '{"ErrorCode":14,"Message":"no"}'), "property_denied"],
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
        expect(reports.files()).toStrictEqual([]);
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
      expect(reports.files()).toStrictEqual([]);
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

test("a later part that could not be had is told as that, and what it asks for is waited for", async () => {
  const [property] = OF["search-console"];
  simulators.script({ kind: "error", error: "load-quota", retryAfter: "120" }, { asking: '"AMP_BLUE_LINK"' });
  const { raw } = await reports.try(familyOf("search-console", "search-appearance-pages"), property, DAY);
  if (raw?.cut === undefined) throw new Error("it is no cut");
  expect(faultOfCut(raw.cut)).toMatchSnapshot();
});
