/**
 * Every way in which a provider gives no figures, over real HTTP: what the attempt is recorded as, that nothing is stored and nothing
 * taken away, when the property may be asked again, that it is not asked before, and what health makes of it: why, whom it concerns,
 * and one event as it begins and one as it is over.
 */

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Fault, ServerName } from "../../src/demo/simulator/script.ts";
import { capabilityOf } from "../../src/health/catalogue.ts";
import type { Evidence, HealthChange, HealthState } from "../../src/health/health.ts";
import { standingOf } from "../../src/health/state.ts";
import type { Provider } from "../../src/providers/adapter.ts";
import type { FailureCategory } from "../../src/providers/faults.ts";
import { FAULT_CODES, type FaultCode } from "../../src/providers/faults.ts";
import { type Pulled, pulledTower } from "../support/pulled.ts";

const MINUTE = 60_000;
const COOLDOWN = 5 * MINUTE;
const SLOW = 6 * 60 * MINUTE;

type Job = "sense" | "webmaster-tools";
type Expected = readonly [category: FailureCategory, wait: number | null, code: FaultCode];

interface Row {
  readonly what: string;
  readonly server: ServerName;
  readonly operation?: string;
  readonly fault: Fault;
  readonly expected: Expected;
  /** `incomplete` in the place of `failed`. */
  readonly isIncomplete?: true;
  /** It concerns the property alone, whomever its code usually concerns. */
  readonly isOfProperty?: boolean | undefined;
}

let pulled: Pulled;
beforeAll(async () => {
  pulled = await pulledTower();
});
afterAll(() => pulled.close());

const json = (status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): Fault => ({
  kind: "answer",
  answer: { status, headers: { "content-type": "application/json", ...headers }, body: JSON.stringify(body) },
});
const error = (name: string, retryAfter?: string): Fault =>
  retryAfter === undefined ? { kind: "error", error: name } : { kind: "error", error: name, retryAfter };
const flat = (name: string, description: string): Fault =>
  json(400, { error: name, error_description: description });

const NORMAL = null;

/** What holds of every provider. */
const everywhere = (server: ServerName): readonly Row[] => [
  {
    what: "a connection that is reset",
    server,
    fault: { kind: "reset" },
    expected: ["network", NORMAL, "connection_lost"],
  },
  {
    what: "one that is closed",
    server,
    fault: { kind: "closed" },
    expected: ["network", NORMAL, "connection_lost"],
  },
  {
    what: "a body cut after 200",
    server,
    fault: { kind: "cut-body" },
    expected: ["network", NORMAL, "answer_cut_off"],
  },
  {
    what: "chunks without an end",
    server,
    fault: { kind: "cut-chunked" },
    expected: ["network", NORMAL, "answer_cut_off"],
  },
  {
    what: "gzip that is none",
    server,
    fault: { kind: "bad-gzip" },
    expected: ["network", NORMAL, "answer_garbled"],
  },
  {
    what: "JSON that ends early",
    server,
    fault: { kind: "cut-json" },
    expected: ["incomplete_report", NORMAL, "report_cut_off"],
    isIncomplete: true,
  },
  {
    what: "a body cut without a length",
    server,
    fault: { kind: "cut-unframed" },
    expected: ["incomplete_report", NORMAL, "report_cut_off"],
    isIncomplete: true,
  },
  {
    what: "a page with 200",
    server,
    fault: { kind: "html" },
    expected: ["provider_error", NORMAL, "not_a_report"],
  },
  {
    what: "a page with 503",
    server,
    fault: { kind: "html", status: 503 },
    expected: ["provider_error", NORMAL, "not_a_report"],
  },
  {
    what: "a page with 404",
    server,
    fault: { kind: "html", status: 404 },
    expected: ["configuration", SLOW, "wrong_address"],
  },
  {
    what: "a redirect",
    server,
    fault: { kind: "redirect" },
    expected: ["configuration", SLOW, "redirected"],
  },
  {
    what: "nothing at all",
    server,
    fault: { kind: "text" },
    expected: ["provider_error", NORMAL, "not_a_report"],
  },
  {
    what: "JSON of another kind",
    server,
    fault: json(200, { hello: "you" }),
    expected: ["invalid_report", NORMAL, server === "analyticsData" ? "other_columns" : "unexpected_report"],
  },
  {
    what: "a day twice",
    server,
    fault: { kind: "day-twice" },
    expected: ["invalid_report", NORMAL, server === "analyticsData" ? "unexpected_report" : "other_days"],
  },
  {
    what: "a 503 that says when",
    server,
    fault: json(503, {}, { "retry-after": "700" }),
    expected: ["provider_error", 700_000, "provider_failed"],
  },
];

const google = (server: ServerName): readonly Row[] => [
  {
    what: "a token that is refused twice",
    server,
    fault: error("bad-token"),
    expected: ["access", SLOW, "signed_out"],
  },
  {
    what: "the API not enabled",
    server,
    fault: error("service-disabled"),
    expected: ["configuration", SLOW, "api_disabled"],
  },
  {
    what: "the same in the older form",
    server,
    fault: error("access-not-configured"),
    expected: ["configuration", SLOW, "api_disabled"],
  },
  {
    what: "no access to the property",
    server,
    fault: error("forbidden"),
    expected: ["access", SLOW, "property_denied"],
  },
  {
    what: "a scope that is missing",
    server,
    fault: error("scope"),
    expected: ["access", SLOW, "scope_missing"],
  },
  {
    what: "a rate limit as 403",
    server,
    fault: error("rate-limit-403"),
    expected: ["rate_limit", COOLDOWN, "rate_limited"],
  },
  {
    what: "one of the user as 403",
    server,
    fault: error("user-rate-limit"),
    expected: ["rate_limit", COOLDOWN, "rate_limited"],
  },
  {
    what: "the day's limit as 403",
    server,
    fault: error("daily-limit"),
    expected: ["exhausted_budget", COOLDOWN, "account_quota"],
  },
  {
    what: "429 without a word of when",
    server,
    fault: error("too-many-requests"),
    expected: ["rate_limit", COOLDOWN, "rate_limited"],
    isOfProperty: server === "analyticsData",
  },
  {
    what: "429 with seconds",
    server,
    fault: error("too-many-requests", "120"),
    expected: ["rate_limit", 120_000, "rate_limited"],
    isOfProperty: server === "analyticsData",
  },
  {
    what: "429 with nonsense",
    server,
    fault: error("too-many-requests", "soon"),
    expected: ["rate_limit", COOLDOWN, "rate_limited"],
    isOfProperty: server === "analyticsData",
  },
  {
    what: "a field that is not taken",
    server,
    fault: error("invalid-argument"),
    expected: ["configuration", SLOW, "request_refused"],
  },
  { what: "500", server, fault: error("internal"), expected: ["provider_error", NORMAL, "provider_failed"] },
  {
    what: "503",
    server,
    fault: error("unavailable"),
    expected: ["provider_error", NORMAL, "provider_failed"],
  },
  { what: "504", server, fault: error("deadline"), expected: ["provider_error", NORMAL, "provider_failed"] },
  {
    what: "an error inside of 200",
    server,
    fault: { kind: "error", error: "forbidden", status: 200 },
    expected: ["access", SLOW, "property_denied"],
  },
];

const ANALYTICS: readonly Row[] = [
  ...everywhere("analyticsData"),
  ...google("analyticsData"),
  ...(
    [
      ["tokens-project-hour", "exhausted_budget", "hourly_quota"],
      ["tokens-hour", "exhausted_budget", "hourly_quota"],
      ["tokens-day", "exhausted_budget", "daily_quota"],
      ["thresholded", "exhausted_budget", "threshold_quota"],
      ["concurrent", "rate_limit", "too_many_at_once"],
      ["client-errors", "rate_limit", "too_many_refused"],
      ["server-errors", "provider_error", "too_many_failures"],
    ] as const
  ).map(
    ([bucket, category, code]): Row => ({
      what: `the bucket ${bucket}`,
      server: "analyticsData",
      fault: error(bucket),
      expected: [category, COOLDOWN, code],
    }),
  ),
  {
    what: "fewer rows than it says",
    server: "analyticsData",
    fault: {
      kind: "bent",
      bend: (told: { rows: unknown[] }) => ({ ...told, rows: told.rows.slice(1) }),
    },
    expected: ["incomplete_report", NORMAL, "rows_missing"],
    isIncomplete: true,
  },
  {
    what: "rows without their number",
    server: "analyticsData",
    fault: { kind: "bent", bend: (told: object) => ({ ...told, rowCount: undefined }) },
    expected: ["invalid_report", NORMAL, "unexpected_report"],
  },
];

const SIGN_IN: readonly Row[] = (
  [
    [
      "a signature that is wrong",
      flat("invalid_grant", "Invalid JWT Signature."),
      ["access", SLOW, "key_refused"],
    ],
    [
      "an account that is gone",
      flat("invalid_grant", "Invalid grant: account not found"),
      ["access", SLOW, "account_gone"],
    ],
    [
      "a clock that is wrong",
      flat(
        "invalid_grant",
        "Invalid JWT: Token must be a short-lived token (60 minutes) and in a reasonable timeframe. Check your iat and exp values in the JWT claim.",
      ),
      ["configuration", SLOW, "clock_skew"],
    ],
    [
      "a scope that is empty",
      flat("invalid_scope", "Invalid OAuth scope or ID token audience provided."),
      ["configuration", SLOW, "token_request_refused"],
    ],
    ["no access token", { kind: "id-token-only" } as const, ["configuration", SLOW, "no_access_token"]],
    ["a page", { kind: "html", status: 502 } as const, ["provider_error", NORMAL, "not_a_report"]],
  ] satisfies [string, Fault, Expected][]
).map(([what, fault, expected]) => ({ what, server: "token", fault, expected }));

const SEARCH: readonly Row[] = [
  ...everywhere("searchConsole"),
  ...google("searchConsole"),
  {
    what: "the load quota as 403",
    server: "searchConsole",
    fault: error("load-quota"),
    expected: ["exhausted_budget", COOLDOWN, "load_quota"],
  },
  {
    what: "the short limit as 403",
    server: "searchConsole",
    fault: error("qps-403"),
    expected: ["rate_limit", COOLDOWN, "rate_limited"],
  },
  {
    what: "the short limit as 429",
    server: "searchConsole",
    fault: error("qps-429"),
    expected: ["rate_limit", COOLDOWN, "rate_limited"],
  },
  {
    what: "a backend error",
    server: "searchConsole",
    fault: error("backend-error"),
    expected: ["provider_error", NORMAL, "provider_failed"],
  },
];

const webmasterCodes = (status: number): readonly Row[] =>
  (
    [
      [1, "provider_error", NORMAL, "provider_failed"],
      [2, "provider_error", NORMAL, "provider_failed"],
      [3, "access", SLOW, "key_refused"],
      [4, "rate_limit", COOLDOWN, "rate_limited"],
      [5, "rate_limit", COOLDOWN, "rate_limited"],
      [6, "access", SLOW, "account_blocked"],
      [7, "configuration", SLOW, "not_a_site"],
      [8, "configuration", SLOW, "request_refused"],
      [9, "configuration", SLOW, "too_many_sites"],
      [10, "access", SLOW, "account_gone"],
      [11, "configuration", SLOW, "request_refused"],
      [12, "invalid_report", NORMAL, "unexpected_report"],
      [13, "access", SLOW, "property_denied"],
      [14, "access", SLOW, "property_denied"],
      [15, "provider_error", NORMAL, "provider_failed"],
      [16, "configuration", SLOW, "request_refused"],
      [18, "access", SLOW, "key_refused"],
      [99, "provider_error", NORMAL, "provider_failed"],
    ] as const
  ).map(
    ([code, category, wait, why]): Row => ({
      what: `code ${code} with ${status}`,
      server: "webmasterTools",
      operation: "GetRankAndTrafficStats",
      fault: { kind: "error", error: code % 2 === 0 ? `${code}-text` : String(code), status },
      expected: [category, wait, why],
    }),
  );

const WEBMASTER: readonly Row[] = [
  ...everywhere("webmasterTools").map((row) => ({ ...row, operation: "GetRankAndTrafficStats" })),
  ...webmasterCodes(400),
  ...webmasterCodes(200),
];

async function show(job: Job, provider: Provider, row: Row): Promise<void> {
  const { clock, simulators } = pulled;
  const { server, operation, fault, expected, isIncomplete } = row;
  // A token of before has ended by then, and what was held is free.
  clock.advance(SLOW + MINUTE);
  await pulled.run(job);
  expect(pulled.attempts().map(({ category }) => category)).toEqual([null, null]);
  const [stored, told] = [pulled.stored(provider), pulled.observations(provider)];
  pulled.events();
  const before = pulled.health(provider);
  expect(stateAs(provider, before)).toBe("working");
  clock.advance(2 * 60 * MINUTE);
  simulators.script(fault, { server, times: 99, ...(operation === undefined ? {} : { operation }) });
  const report = await pulled.run(job);
  simulators.calm();
  simulators.forget();
  expect(["partial", "failed"]).toContain(report.outcome);
  const [category, wait, code] = expected;
  const failed = pulled.attempts().filter((one) => one.category !== null);
  expect(failed.find((one) => one.provider === provider && one.asset !== "")).toMatchObject({
    outcome: isIncomplete ? "incomplete" : "failed",
    category,
    wait,
    changed: 0,
  });
  expect(failed.every((one) => one.category === category)).toBe(true);
  expect([pulled.stored(provider), pulled.observations(provider)]).toEqual([stored, told]);
  const failing = pulled.health(provider);
  expect(failing).toMatchObject({ latest: { category, code }, success: before?.success });
  const { nextRetryAt = null } = failing?.latest ?? {};
  expect(nextRetryAt === null ? null : nextRetryAt - (failing?.recordedAt ?? 0)).toBe(wait);
  expect(stateAs(provider, failing)).toBe("failing");
  const isOfAccount = FAULT_CODES[code].scope === "credential" && row.isOfProperty !== true;
  expect(pulled.health(provider, "")?.latest.category ?? null).toBe(isOfAccount ? category : null);
  expect(changesOf(provider)).toEqual(changes("first_failure", { ...row, provider }, isOfAccount));
  if (wait !== null) {
    clock.advance(wait - 1);
    await pulled.run(job);
    expect(asked(row)).toEqual([]);
    expect(pulled.health(provider)).toEqual(failing);
  }
  clock.advance(wait === null ? 15 * MINUTE : 1);
  await pulled.run(job);
  expect(asked(row).length).toBeGreaterThan(0);
  expect(pulled.attempts().every((one) => one.category === null)).toBe(true);
  expect(stateAs(provider, pulled.health(provider))).toBe("working");
  expect(pulled.health(provider)?.success?.coveredDate).toMatch(/^\d{4}-\d\d-\d\d$/);
  expect(pulled.health(provider, "")?.latest.category ?? null).toBeNull();
  expect(changesOf(provider).toSorted()).toEqual(
    changes("recovery", { ...row, provider }, isOfAccount).toSorted(),
  );
}

/** The state of a provider's daily figures, of which nothing but this is known. */
function stateAs(provider: Provider, evidence: Evidence | undefined): HealthState {
  const obligation = capabilityOf(`${provider}.daily`)?.obligation ?? "silent_hours";
  if (obligation === "silent_hours") throw new Error("daily figures are asked for");
  const configuration = { isConnected: true, isPaused: false, isObserved: true };
  return standingOf({
    configuration,
    evidence,
    sourceAttemptAt: undefined,
    obligation,
    now: pulled.clock.now(),
  }).state;
}

const changesOf = (provider: Provider) => pulled.events().filter((event) => event.startsWith(`${provider}.`));

const changes = (
  change: HealthChange,
  { provider, expected: [category] }: Row & { readonly provider: Provider },
  isOfAccount: boolean,
) => [
  `${provider}.daily harbor.example ${change} ${category}`,
  ...(isOfAccount ? [`${provider}.daily - ${change} ${category}`] : []),
];

/** What was asked of the server since the last time. */
function asked({ server, operation }: Row): readonly string[] {
  const { simulators } = pulled;
  const operations = simulators.log.flatMap((one) => (one.server === server ? one.operation : []));
  simulators.forget();
  return operations.filter((one) => (operation ?? one) === one);
}

describe("analytics", () => {
  for (const row of [...ANALYTICS, ...SIGN_IN]) test(row.what, () => show("sense", "analytics", row));
});

describe("search console", () => {
  for (const row of SEARCH) test(row.what, () => show("sense", "search-console", row));
});

describe("webmaster tools", () => {
  for (const row of WEBMASTER) test(row.what, () => show("webmaster-tools", "webmaster-tools", row));
});
