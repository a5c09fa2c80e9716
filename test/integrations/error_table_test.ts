/** Of the specification's table of errors what no table of faults holds: over the real service, as the payload tells it. */

import { afterEach, expect, test } from "bun:test";
import { readHealth, targetIn } from "../support/health.ts";
import { type Pulled, pulledTower } from "../support/pulled.ts";

const SITE = "harbor.example";
const MINUTE = 60_000;

let pulled: Pulled;
afterEach(() => pulled.close());

const read = (capability: string, asset: string = SITE) =>
  readHealth(pulled.tower).then((health) => targetIn(health, capability, asset));

/** A service whose every figure came a quarter of an hour ago. */
async function working(): Promise<void> {
  pulled = await pulledTower();
  await pulled.run("sense");
  await pulled.run("webmaster-tools");
  pulled.clock.advance(15 * MINUTE);
}

test("source lag: a success with no new finalized date is no outage", async () => {
  await working();
  const before = await read("search-console.daily");
  // The provider is asked again, and has no newer day.
  await pulled.run("sense");
  const after = await read("search-console.daily");
  expect(after).toMatchObject({ state: "working", category: null, covered_date: before.covered_date });
  expect(after.last_success_started_at).not.toBe(before.last_success_started_at);
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
  expect(targetIn(health, "search-console.daily", SITE)).toMatchSnapshot();
  expect(health.coverage).toMatchObject({
    state: "partial",
    reason: "2 things that should be watched are not.",
  });
  expect(health.monitoring).toMatchSnapshot();
  expect(asked()).toBe(sent);
  raw.run("DROP TRIGGER broken");
  pulled.clock.advance(15 * MINUTE);
  await pulled.run("sense");
  expect(await read("search-console.daily")).toMatchObject({ state: "working" });
  expect(await readHealth(pulled.tower)).toMatchObject({ coverage: { state: "complete" }, monitoring: [] });
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
