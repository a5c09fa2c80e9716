/** The specification's table of errors, line by line where it concerns health: each over the real service, as the payload tells it. */

import { afterEach, describe, expect, test } from "bun:test";
import type { Fault } from "../../src/demo/simulator/script.ts";
import { ensureAssets } from "../../src/sites/site_changes.ts";
import { readHealth, targetIn } from "../support/health.ts";
import { type Pulled, pulledTower } from "../support/pulled.ts";

const SITE = "harbor.example";
const MINUTE = 60_000;

let pulled: Pulled;
afterEach(() => pulled.close());

const iso = (ms: number) => new Date(ms).toISOString();
const read = (capability: string, asset: string = SITE) =>
  readHealth(pulled.tower).then((health) => targetIn(health, capability, asset));

/** A service whose every figure came a quarter of an hour ago. */
async function working(): Promise<void> {
  pulled = await pulledTower();
  await pulled.run("sense");
  await pulled.run("webmaster-tools");
  pulled.clock.advance(15 * MINUTE);
}

const json = (status: number, body: unknown): Fault => ({
  kind: "answer",
  answer: { status, headers: { "content-type": "application/json" }, body: JSON.stringify(body) },
});

describe("provider request answered with HTTP 429", () => {
  test("pauses for five minutes", async () => {
    await working();
    pulled.simulators.script(
      { kind: "error", error: "too-many-requests" },
      { server: "searchConsole", times: 9 },
    );
    await pulled.run("sense");
    expect(await read("search-console.daily")).toMatchObject({
      state: "failing",
      category: "rate_limit",
      next_retry_at: iso(pulled.clock.now() + 5 * MINUTE),
      next_retry_reason: "rate_limit",
      last_success_started_at: iso(pulled.clock.now() - 15 * MINUTE),
    });
    expect(await read("analytics.daily")).toMatchObject({ state: "working" });
  });

  test("or for the period that it names", async () => {
    await working();
    const fault: Fault = { kind: "error", error: "too-many-requests", retryAfter: "1800" };
    pulled.simulators.script(fault, { server: "searchConsole", times: 9 });
    await pulled.run("sense");
    const told = await read("search-console.daily");
    expect(told).toMatchObject({
      next_retry_at: iso(pulled.clock.now() + 30 * MINUTE),
      next_retry_reason: "rate_limit",
    });
    // When the period is over, what is next is the schedule.
    pulled.clock.advance(30 * MINUTE);
    expect(await read("search-console.daily")).toMatchObject({
      state: "failing",
      next_retry_reason: "schedule",
    });
  });
});

test("source lag: a success with no new finalized date is no outage", async () => {
  await working();
  const before = await read("search-console.daily");
  // The provider is asked again, and has no newer day.
  await pulled.run("sense");
  const after = await read("search-console.daily");
  expect(after).toMatchObject({ state: "working", category: null, covered_date: before.covered_date });
  expect(after.last_success_started_at).not.toBe(before.last_success_started_at);
});

test("a valid empty answer is usable", async () => {
  await working();
  pulled.simulators.script(json(200, { d: [] }), {
    server: "webmasterTools",
    operation: "GetRankAndTrafficStats",
    times: 9,
  });
  pulled.clock.advance(24 * 60 * MINUTE);
  await pulled.run("webmaster-tools");
  expect(await read("webmaster-tools.daily")).toMatchObject({ state: "working", category: null });
});

test("the outcome recorder fails after a successful operation: the result stays, monitoring says so, nothing is resent", async () => {
  await working();
  const { raw } = pulled.tower.deps.store;
  const asked = () => pulled.simulators.log.length;
  raw.run("CREATE TRIGGER broken BEFORE UPDATE ON health_state BEGIN SELECT RAISE(ABORT, 'broken'); END");
  pulled.attempts();
  const report = await pulled.run("sense");
  expect(report.outcome).toBe("done");
  expect(pulled.attempts()).toHaveLength(2);
  const sent = asked();
  const health = await readHealth(pulled.tower);
  expect(targetIn(health, "search-console.daily", SITE)).toMatchObject({
    state: "unknown",
    category: "monitoring_failure",
    action: { code: "wait" },
  });
  expect(health.coverage).toMatchObject({
    state: "partial",
    reason: "2 things that should be watched are not.",
  });
  expect(health.monitoring).toContainEqual({
    kind: "recorder",
    asset: SITE,
    source: "search-console",
    subject: "search-console.daily",
    since: iso(pulled.clock.now()),
    reason: expect.any(String),
  });
  expect(asked()).toBe(sent);
  raw.run("DROP TRIGGER broken");
  pulled.clock.advance(15 * MINUTE);
  await pulled.run("sense");
  expect(await read("search-console.daily")).toMatchObject({ state: "working" });
  expect(await readHealth(pulled.tower)).toMatchObject({ coverage: { state: "complete" }, monitoring: [] });
});

test("too many rows beyond the read caps: coverage is unknown, and one site is told all the same", async () => {
  await working();
  const { deps } = pulled.tower;
  const names = Array.from({ length: 2_048 }, (_, place) => `site-${place}`);
  await deps.writer.write((tx) => void ensureAssets(tx, names, { actor: "test", now: pulled.clock.now() }));
  const { coverage, capabilities } = await readHealth(pulled.tower);
  expect(coverage).toMatchObject({ state: "unknown", more: { operations: 1, archive: 0 } });
  expect(capabilities.find(({ capability }) => capability === "ingest.nightly")?.targets).toHaveLength(2_048);
  expect((await readHealth(pulled.tower, SITE)).coverage.state).toBe("complete");
});

test.each<[what: string, fault: Fault, category: string]>([
  ["an HTTP 200 error envelope", json(200, { ErrorCode: 3, Message: "InvalidApiKey" }), "access"],
  ["a page in the place of a report", { kind: "html" }, "provider_error"],
  ["malformed data", json(200, { d: [{ Date: "yesterday" }] }), "invalid_report"],
  ["a partial report", { kind: "cut-json" }, "incomplete_report"],
  ["a connection that is lost", { kind: "reset" }, "network"],
])("%s is no usable result: it counts as a failure", async (_, fault, category) => {
  await working();
  const of = { server: "webmasterTools", operation: "GetRankAndTrafficStats", times: 9 } as const;
  pulled.simulators.script(fault, of);
  pulled.clock.advance(24 * 60 * MINUTE);
  await pulled.run("webmaster-tools");
  const { events, capabilities } = await readHealth(pulled.tower);
  const capability = "webmaster-tools.daily";
  expect(events[0]).toMatchObject({ change: "first_failure", category, capability });
  expect(capabilities.find((one) => one.capability === capability)).toMatchObject({
    state: "failing",
    affected_assets: [SITE],
    targets: [{ state: "failing", category }],
  });
});

test("age clears no failure, and an event is told once however often it fails again", async () => {
  await working();
  pulled.simulators.script({ kind: "html" }, { server: "searchConsole", times: 99 });
  await pulled.run("sense");
  pulled.clock.advance(15 * MINUTE);
  await pulled.run("sense");
  pulled.clock.advance(400 * 24 * 60 * MINUTE);
  const health = await readHealth(pulled.tower);
  expect(targetIn(health, "search-console.daily", SITE)).toMatchObject({
    state: "failing",
    category: "provider_error",
  });
  expect(health.events.filter(({ capability }) => capability === "search-console.daily")).toHaveLength(1);
});
