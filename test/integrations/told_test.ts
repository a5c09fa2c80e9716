/** What one reading tells, and what it leaves to others: another workspace, a whole account, a site, a look that is long ago. */

import { afterEach, beforeEach, expect, test } from "bun:test";
import { dailyScope } from "../../src/health/health.ts";
import { noteFailure } from "../../src/health/monitoring.ts";
import { pause } from "../../src/health/pauses.ts";
import { FakeClock } from "../support/clock.ts";
import { testStore } from "../support/database.ts";
import {
  plantAccounts,
  plantAttempt,
  plantOutcome,
  plantSite,
  revisionOf,
} from "../support/health_portfolio.ts";
import { PROXY, type TestTower, testTower } from "../support/test_tower.ts";

const SITE = "site-0000.example";
const MINUTE = 60_000;
const DAY = 86_400_000;
let clock: FakeClock;
let service: TestTower;
beforeEach(async () => {
  clock = new FakeClock("2026-11-20T14:02:10Z");
  service = await testTower({ ground: { store: testStore(), clock }, settings: PROXY });
  await service.deps.writer.write((tx) => {
    plantAccounts(tx, clock.now() - DAY);
    plantSite(tx, SITE, clock.now(), 0);
    plantAttempt(tx, { asset: SITE, provider: "analytics", at: clock.now(), failed: true });
  });
});
afterEach(() => service.close());

const read = (asset?: string) => service.deps.health.read(clock.now(), asset);
const targetsOf = (capability: string) =>
  read().capabilities.find((one) => one.capability === capability)?.targets ?? [];

test("of another workspace neither state nor event is told", async () => {
  expect(read().events.map(({ change }) => change)).toEqual(["first_failure"]);
  expect(targetsOf("analytics.daily")).toMatchObject([{ state: "failing" }]);
  const { store } = service.deps;
  const other = await testTower({ ground: { store, clock }, settings: { ...PROXY, WORKSPACE: "another" } });
  const view = other.deps.health.read(clock.now());
  expect([view.workspace, view.events]).toEqual(["another", []]);
  expect(view.summary.failing).toBe(0);
  await other.stop();
});

test("that an account was let in is a success of none of its sites", async () => {
  const account = dailyScope("default", {
    asset: "",
    provider: "search-console",
    connectionRevision: revisionOf("search-console"),
    property: "",
  });
  await service.deps.writer.write((tx) => {
    tx.run(
      "DELETE FROM health_state WHERE target IN (SELECT id FROM health_target WHERE provider = 'search-console')",
    );
    plantOutcome(tx, account, { attempt: "pull:901", at: clock.now() });
    plantOutcome(tx, account, { attempt: "pull:902", at: clock.now() + MINUTE, category: "network" });
  });
  clock.advance(MINUTE);
  expect(targetsOf("search-console.daily")).toMatchObject([
    { asset: SITE, state: "failing", lastSuccessStartedAt: null, coveredDate: null },
  ]);
});

test("what is watched nowhere is told of each site, and what concerns another site is not", async () => {
  await service.deps.writer.write((tx) => {
    for (const asset of ["", SITE, "site-0001.example"]) {
      noteFailure(
        tx,
        { kind: "job", asset, source: "", subject: "sense" },
        { reason: "It did not run.", now: clock.now() },
      );
    }
  });
  expect(read(SITE).monitoring.map(({ asset }) => asset)).toEqual(["", SITE]);
  expect(read().monitoring).toHaveLength(3);
});

test("a pause is the newest of what is told", async () => {
  const before = read().observedAt ?? 0;
  clock.advance(5 * MINUTE);
  await service.deps.writer.write((tx) =>
    pause(
      tx,
      { capability: "search-console.daily", asset: SITE, until: null },
      { actor: "operator:ada", now: clock.now() },
    ),
  );
  expect([before < clock.now(), read().observedAt]).toEqual([true, clock.now()]);
});

test("a feed that nobody looked at for a day is told no more, though nothing was written since", async () => {
  expect(targetsOf("analytics.realtime")).toHaveLength(1);
  clock.advance(DAY - 90_000 - 1);
  expect(targetsOf("analytics.realtime")).toHaveLength(1);
  clock.advance(1);
  expect(targetsOf("analytics.realtime")).toStrictEqual([]);
});
