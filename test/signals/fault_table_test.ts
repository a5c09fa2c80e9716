/**
 * One way of each kind in which a provider gives no figures (each of its errors is recorded beside `any_answer_test.ts`), over real HTTP:
 * what the attempt is recorded as, that nothing is stored and nothing
 * taken away, when the property may be asked again, that it is not asked before, and what health makes of it: why, whom it concerns,
 * and one event as it begins and one as it is over.
 */

import { describe, expect, test } from "bun:test";
import type { Fault, ServerName } from "../../src/demo/simulator/script.ts";
import { capabilityOf } from "../../src/health/catalogue.ts";
import type { Evidence, HealthChange, HealthState } from "../../src/health/health.ts";
import { standingOf } from "../../src/health/state.ts";
import type { Provider } from "../../src/providers/adapter.ts";
import { FAULT_CODES, type FaultCode } from "../../src/providers/faults.ts";
import { shared } from "../support/fresh.ts";
import { pulledTower } from "../support/pulled.ts";

const MINUTE = 60_000;
const COOLDOWN = 5 * MINUTE;
const SLOW = 6 * 60 * MINUTE;

type Job = "sense" | "webmaster-tools";

interface Row {
  readonly server: ServerName;
  readonly operation?: string | undefined;
  readonly fault: Fault;
  readonly code: FaultCode;
  /** For how long it is not asked again; null for the usual cadence. */
  readonly wait: number | null;
  /** It concerns the property alone, whomever its code usually concerns. */
  readonly isOfProperty?: boolean | undefined;
}

const pulled = shared(pulledTower);

const json = (status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): Fault => ({
  kind: "answer",
  answer: { status, headers: { "content-type": "application/json", ...headers }, body: JSON.stringify(body) },
});
const error = (name: string, retryAfter?: string): Fault =>
  retryAfter === undefined ? { kind: "error", error: name } : { kind: "error", error: name, retryAfter };
const flat = (name: string, description: string): Fault =>
  json(400, { error: name, error_description: description });

/** A way to fail: what it is, the fault, its code, and how long is waited where that is not the usual cadence. */
type Way = readonly [what: string, fault: Fault, code: FaultCode, wait?: number];

const RESET: Way = ["a connection that is reset", { kind: "reset" }, "connection_lost"];

const GOOGLE: readonly Way[] = [
  ["a token that is refused twice", error("bad-token"), "signed_out", SLOW],
  ["no access to the property", error("forbidden"), "property_denied", SLOW],
  ["a rate limit as 403", error("rate-limit-403"), "rate_limited", COOLDOWN],
];

const TOO_MANY: readonly Way[] = [
  ["429 with seconds", error("too-many-requests", "120"), "rate_limited", 120_000],
  ["429 with nonsense", error("too-many-requests", "soon"), "rate_limited", COOLDOWN],
];

const ANALYTICS: readonly Way[] = [
  RESET,
  ["JSON that ends early", { kind: "cut-json" }, "report_cut_off"],
  ["a page with 404", { kind: "html", status: 404 }, "wrong_address", SLOW],
  ["a 503 that says when", json(503, {}, { "retry-after": "700" }), "provider_failed", 700_000],
  ...GOOGLE,
  ["the hour's quota", error("tokens-hour"), "hourly_quota", COOLDOWN],
  [
    "fewer rows than it says",
    { kind: "bent", bend: (told: { rows: unknown[] }) => ({ ...told, rows: told.rows.slice(1) }) },
    "rows_missing",
  ],
];

const SIGN_IN: readonly Way[] = [
  ["a signature that is wrong", flat("invalid_grant", "Invalid JWT Signature."), "key_refused", SLOW],
];

/** What is the same for both of Google's is tried of the other. */
const SEARCH: readonly Way[] = [
  ["a day twice", { kind: "day-twice" }, "other_days"],
  ...TOO_MANY,
  ["the load quota as 403", error("load-quota"), "load_quota", COOLDOWN],
];

const code = (name: string, status: number): Fault => ({ kind: "error", error: name, status });
const WEBMASTER: readonly Way[] = [
  RESET,
  ["JSON of another kind", json(200, { hello: "you" }), "unexpected_report"],
  ["a key that is refused, with 400", code("3", 400), "key_refused", SLOW],
  ["a throttle", code("4-text", 400), "rate_limited", COOLDOWN],
  ["a site that is not the user's", code("14-text", 400), "property_denied", SLOW],
];

async function show(job: Job, provider: Provider, row: Row): Promise<void> {
  const { clock, simulators } = pulled;
  const { server, operation, fault, code, wait } = row;
  const { category } = FAULT_CODES[code];
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
  const failed = pulled.attempts().filter((one) => one.category !== null);
  expect(failed.find((one) => one.provider === provider && one.asset !== "")).toMatchObject({
    outcome: category === "incomplete_report" ? "incomplete" : "failed",
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
  expect(changesOf(provider)).toEqual(changes("first_failure", { provider, code }, isOfAccount));
  if (wait !== null) {
    clock.advance(wait - 1);
    await pulled.run(job);
    expect(asked(row)).toStrictEqual([]);
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
    changes("recovery", { provider, code }, isOfAccount).toSorted(),
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
  { provider, code }: { readonly provider: Provider; readonly code: FaultCode },
  isOfAccount: boolean,
) => [
  `${provider}.daily harbor.example ${change} ${FAULT_CODES[code].category}`,
  ...(isOfAccount ? [`${provider}.daily - ${change} ${FAULT_CODES[code].category}`] : []),
];

/** What was asked of the server since the last time. */
function asked({ server, operation }: Row): readonly string[] {
  const { simulators } = pulled;
  const operations = simulators.log.flatMap((one) => (one.server === server ? one.operation : []));
  simulators.forget();
  return operations.filter((one) => (operation ?? one) === one);
}

function ways(
  job: Job,
  provider: Provider,
  all: readonly Way[],
  of: Pick<Row, "server" | "operation" | "isOfProperty">,
) {
  for (const [what, fault, code, wait = null] of all)
    test(`${what}: ${code}`, () => show(job, provider, { ...of, fault, code, wait }));
}

describe("analytics", () => {
  ways("sense", "analytics", ANALYTICS, { server: "analyticsData" });
  ways("sense", "analytics", TOO_MANY, { server: "analyticsData", isOfProperty: true });
  ways("sense", "analytics", SIGN_IN, { server: "token" });
});

describe("search console", () => ways("sense", "search-console", SEARCH, { server: "searchConsole" }));

describe("webmaster tools", () =>
  ways("webmaster-tools", "webmaster-tools", WEBMASTER, {
    server: "webmasterTools",
    operation: "GetRankAndTrafficStats",
  }));
