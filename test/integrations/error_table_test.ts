/** The specification's table of errors, line by line where it concerns health: each over the real service, as the payload tells it. */

import { afterEach, describe, expect, test } from "bun:test";
import type { Deps } from "../../src/app/app.ts";
import type { Fault } from "../../src/demo/simulator/script.ts";
import { dailyScope } from "../../src/health/health.ts";
import { recordBeside } from "../../src/health/record.ts";
import type { Provider } from "../../src/providers/adapter.ts";
import { FAULT_CODES } from "../../src/providers/faults.ts";
import { listAttachmentsOf } from "../../src/providers/properties.ts";
import { ensureAssets } from "../../src/sites/site_changes.ts";
import { readHealth, targetIn } from "../support/health.ts";
import { type Pulled, pulledTower } from "../support/pulled.ts";

// The attachment of a site to a provider. Throws where there is none.

function findAttachment({ store }: Pick<Deps, "store">, asset: string, provider: Provider) {
  const found = listAttachmentsOf(store.db, asset).find((one) => one.provider === provider);
  if (found === undefined) throw new Error(`${asset} is not attached to ${provider}`);
  return found;
}

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

test("analytics parameter report on an unregistered custom dimension: failing with what to register, never an empty success", async () => {
  await working();
  const { deps } = pulled.tower;
  const code = "analytics_custom_dimension_unregistered";
  const at = pulled.clock.now();
  await deps.writer.write(
    (tx) =>
      void recordBeside(tx, dailyScope("default", findAttachment(deps, SITE, "analytics")), {
        attempt: "archive:1",
        startedAt: at,
        observedAt: at,
        result: { ok: false, category: FAULT_CODES[code].category, code, nextRetryAt: null },
      }),
  );
  expect(await read("analytics.daily")).toMatchObject({
    state: "failing",
    category: "configuration",
    action: { text: "Register it in the property, and wait a day or two." },
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

describe("health inventory", () => {
  test("missing: coverage is unknown, and what was read before is not told", async () => {
    await working();
    expect((await readHealth(pulled.tower)).coverage.state).toBe("complete");
    pulled.tower.deps.store.raw.run("ALTER TABLE attachment RENAME TO gone");
    const health = await readHealth(pulled.tower);
    expect(health.coverage).toMatchObject({
      state: "unknown",
      reason: "This cannot be read: the connections of sites.",
    });
    const told = health.capabilities.map(({ capability }) => capability);
    expect(told).not.toContain("analytics.daily");
    expect(told).not.toContain("search-console.daily");
  });

  test("malformed: a connection whose account is not there", async () => {
    await working();
    pulled.tower.deps.store.raw.run("DELETE FROM credential WHERE id = ?", [pulled.credentials.google]);
    expect((await readHealth(pulled.tower)).coverage.state).toBe("unknown");
  });

  test("unavailable: every table is out of reach, and that is no all-clear", async () => {
    await working();
    const { store } = pulled.tower.deps;
    store.raw.run("PRAGMA foreign_keys = OFF");
    for (const { name } of store.raw
      .query<{ name: string }, []>(
        "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%' AND name NOT LIKE 'operator%'",
      )
      .all()) {
      store.raw.run(`ALTER TABLE "${name}" RENAME TO "gone_${name}"`);
    }
    const health = await readHealth(pulled.tower);
    expect(health).toMatchObject({ coverage: { state: "unknown", configured: 0 }, capabilities: [] });
  });

  test("empty: no all-clear", async () => {
    pulled = await pulledTower({ world: { sites: [] } });
    pulled.tower.deps.store.raw.run("DELETE FROM credential");
    expect((await readHealth(pulled.tower)).coverage).toMatchObject({ state: "empty", configured: 0 });
  });
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

describe("what is no usable result counts as a failure", () => {
  const ROWS: readonly (readonly [what: string, fault: Fault, category: string])[] = [
    ["an HTTP 200 error envelope", json(200, { ErrorCode: 3, Message: "InvalidApiKey" }), "access"],
    ["a page in the place of a report", { kind: "html" }, "provider_error"],
    ["malformed data", json(200, { d: [{ Date: "yesterday" }] }), "invalid_report"],
    ["a partial report", { kind: "cut-json" }, "incomplete_report"],
    ["a connection that is lost", { kind: "reset" }, "network"],
  ];
  for (const [what, fault, category] of ROWS) {
    test(what, async () => {
      await working();
      pulled.simulators.script(fault, {
        server: "webmasterTools",
        operation: "GetRankAndTrafficStats",
        times: 9,
      });
      pulled.clock.advance(24 * 60 * MINUTE);
      await pulled.run("webmaster-tools");
      const health = await readHealth(pulled.tower);
      const told = targetIn(health, "webmaster-tools.daily", SITE);
      expect(told).toMatchObject({ state: "failing", category });
      expect(told.action.text).not.toBe("");
      expect(health.events[0]).toMatchObject({
        change: "first_failure",
        category,
        capability: "webmaster-tools.daily",
      });
      expect(
        health.capabilities.find(({ capability }) => capability === "webmaster-tools.daily"),
      ).toMatchObject({
        state: "failing",
        affected_assets: [SITE],
      });
    });
  }
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
