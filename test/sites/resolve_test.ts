import { expect, test } from "bun:test";
import { parseConstants } from "../../src/sites/constants_parse.ts";
import {
  archiveConstants,
  codebaseThresholds,
  flowThresholds,
  silentHours,
} from "../../src/sites/constants_store.ts";

function constantsOf(text: string) {
  const result = parseConstants(text);
  if (!result.ok) throw new Error(JSON.stringify(result.problems));
  return result.constants;
}

const constants = constantsOf(`
[codebase_rules]
growth_percent = 30
[flow_rules]
alpha = 0.02
percent_drop.percent = 50
[assets."trail".codebase_rules]
growth_lines = 900
[assets."trail".flow_rules]
alpha = 0.005
percent_drop.minimum_count = 100
negative_metrics = ["no_shows"]
[assets."trail".flow_rules."signups"]
alpha = 0.001
dispersion = 1
percent_drop.percent = 60
[assets."trail".signal_rules."search-console"."clicks"]
alpha = 0.0001
percent_drop.percent = 70
[assets."trail".signal_rules.analytics]
sessions = { max_window_days = 7 }
[assets."trail".freshness]
silent_hours = 50
[assets."toString".freshness]
silent_hours = 7
`);

test("a metric's value goes before its site's, and its site's before the document's (decisions 6)", () => {
  expect(flowThresholds(constants, "trail", "pulse", "signups")).toEqual({
    alpha: 0.001,
    max_window_days: 14,
    dispersion: 1,
    lasting_percent: 5,
    percent_drop: { percent: 60, minimum_count: 100 },
    negative: false,
    marked_days: [],
  });
  expect(flowThresholds(constants, "trail", "pulse", "visits")).toMatchObject({
    alpha: 0.005,
    dispersion: "measured",
    lasting_percent: 5,
    percent_drop: { percent: 50, minimum_count: 100 },
  });
  expect(flowThresholds(constants, "ferry", "pulse", "signups")).toMatchObject({
    alpha: 0.02,
    percent_drop: { percent: 50, minimum_count: 350 },
  });
});

test("a provider's figure has its own value before its site's, and never that of a sent metric of its name (decisions 5, Whose metric)", () => {
  expect(flowThresholds(constants, "trail", "search-console", "clicks")).toEqual({
    alpha: 0.0001,
    max_window_days: 14,
    dispersion: "measured",
    lasting_percent: 5,
    percent_drop: { percent: 70, minimum_count: 100 },
    negative: false,
    marked_days: [],
  });
  expect(flowThresholds(constants, "trail", "webmaster-tools", "clicks").alpha).toBe(0.005);
  expect(flowThresholds(constants, "trail", "pulse", "clicks").alpha).toBe(0.005);
  expect(flowThresholds(constants, "trail", "analytics", "sessions")).toMatchObject({
    alpha: 0.005,
    max_window_days: 7,
  });
  expect(flowThresholds(constants, "trail", "analytics", "signups").alpha).toBe(0.005);
  expect(flowThresholds(constants, "ferry", "analytics", "sessions")).toMatchObject({ alpha: 0.02 });
});

test("a site's codebase thresholds are its own over the document's", () => {
  expect(codebaseThresholds(constants, "trail")).toMatchObject({ growth_percent: 30, growth_lines: 900 });
  expect(codebaseThresholds(constants, "ferry")).toMatchObject({ growth_percent: 30, growth_lines: 500 });
});

test("a site's silent hours are its own, else the document's", () => {
  expect(silentHours(constants, "trail")).toBe(50);
  expect(silentHours(constants, "ferry")).toBe(26);
  expect(silentHours(constants, "toString")).toBe(7);
});

test("a name of Object.prototype has no override of its own accord", () => {
  const plain = constantsOf("#");
  expect(silentHours(plain, "toString")).toBe(26);
  expect(flowThresholds(constants, "trail", "pulse", "valueOf").alpha).toBe(0.005);
});

test("errors, failures and refunds are negative metrics by default, visits are not", () => {
  const plain = constantsOf("#");
  for (const metric of ["js_errors", "Failed_Logins", "refunds", "checkout.failures", "http_5xx"]) {
    expect([metric, flowThresholds(plain, "a", "pulse", metric).negative]).toEqual([metric, true]);
  }
  for (const metric of ["visits", "signups", "orders", "page_views", "clicks", "impressions"]) {
    expect([metric, flowThresholds(plain, "a", "pulse", metric).negative]).toEqual([metric, false]);
  }
});

test("a site's list of negative metrics takes the place of the document's", () => {
  expect(flowThresholds(constants, "trail", "pulse", "no_shows").negative).toBe(true);
  expect(flowThresholds(constants, "trail", "pulse", "js_errors").negative).toBe(false);
});

test("a document from before has every default of the archive, and a site's own keys go before", () => {
  const read = constantsOf(`
[archive]
max_rows = 10
[assets."shop".archive]
js_error_message = "message"
js_error_events = ["broken"]
`);
  expect(archiveConstants(read, "harbor")).toEqual({
    max_rows: 10,
    max_bytes: 67_108_864,
    js_error_events: ["exception", "js_error"],
    js_error_message: "error_message",
    js_error_source: "error_source",
  });
  expect(archiveConstants(read, "shop")).toMatchObject({
    max_rows: 10,
    js_error_events: ["broken"],
    js_error_message: "message",
    js_error_source: "error_source",
  });
});

test.each([
  ['js_error_message = "customEvent:message"', "archive.js_error_message"],
  ["js_error_events = []", "archive.js_error_events"],
  ['js_error_events = "exception"', "archive.js_error_events"],
])("%s is refused by its name", (line, key) => {
  const read = parseConstants(`[archive]\n${line}`);
  expect(read.ok ? [] : read.problems.map((problem) => problem.key)).toEqual([key]);
});
