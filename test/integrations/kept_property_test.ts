/** What is kept current site by site is what a projection made from nothing says, whatever is written, in whatever order, as time goes on. */

import { expect, test } from "bun:test";
import { join } from "node:path";
import fc from "fast-check";
import { HealthReader } from "../../src/integrations/reader.ts";
import { listChannels } from "../../src/notices/channels.ts";
import { migrateStore } from "../../src/store/migrations.ts";
import { openStore } from "../../src/store/store.ts";
import { FakeClock } from "../support/clock.ts";
import { temporaryFolder } from "../support/folder.ts";
import { plantPortfolio, siteNames } from "../support/health_portfolio.ts";
import { PROXY, testTower } from "../support/test_tower.ts";

const HOUR = 3_600_000;
const START = "2026-11-20T14:02:10Z";
const SITES = siteNames(6);

const site = fc.constantFrom(...SITES);
/** A write, as SQL of the moment at which it is made. */
const written = fc.oneof(
  site.map(
    (asset) => (now: number) =>
      `INSERT INTO pulse_freshness (asset, received_at) VALUES ('${asset}', ${now})
       ON CONFLICT (asset) DO UPDATE SET received_at = excluded.received_at`,
  ),
  site.map(
    (asset) => (now: number) =>
      `INSERT INTO pulse (asset, date, revision, received_at, generated_at)
       SELECT '${asset}', date(${now} / 1000, 'unixepoch', '+1 day'), count(*) + 1, ${now}, ${now} FROM pulse WHERE asset = '${asset}'`,
  ),
  site.map((asset) => () => `DELETE FROM pulse_freshness WHERE asset = '${asset}'`),
  site.map(
    (asset) => (now: number) =>
      `INSERT INTO codebase_report (asset, date, revision, received_at, generated_at, measures)
       SELECT '${asset}', date(${now} / 1000, 'unixepoch'), count(*) + 2, ${now}, ${now}, '{}' FROM codebase_report WHERE asset = '${asset}'`,
  ),
  site.map(
    (asset) => (now: number) =>
      `INSERT OR REPLACE INTO refused_streak (asset, route, count, last_at, status, code, faults)
       VALUES ('${asset}', '/api/pulse', 1, ${now}, 422, 'broken-contract', '[]')`,
  ),
  fc.constant(() => "DELETE FROM refused_streak"),
  fc.tuple(fc.constantFrom("asset <> ''", ...SITES.map((asset) => `asset = '${asset}'`)), fc.boolean()).map(
    ([of, fails]) =>
      (now: number) =>
        `UPDATE health_state SET latest_started_at = ${now}, recorded_at = ${now}, category = ${fails ? "'access'" : "NULL"},
         failing_since = ${fails ? now : "NULL"}
         ${fails ? "" : `, latest_attempt = 'pull:${now}', success_attempt = 'pull:${now}', success_started_at = ${now}`}
         WHERE target IN (SELECT id FROM health_target WHERE ${of})`,
  ),
  fc.boolean().map(
    (fails) => (now: number) =>
      `INSERT OR IGNORE INTO health_target (id, workspace, provider, connection_revision, capability, asset, target, family)
       VALUES (9999, 'default', 'analytics', 'revision-of-google-account', 'analytics.daily', '', '', '');
       INSERT OR REPLACE INTO health_state (target, latest_attempt, latest_started_at, category, success_attempt, success_started_at,
         failing_since, recorded_at)
       VALUES (9999, 'pull:${now}', ${now}, ${fails ? `'access', NULL, NULL, ${now}` : `NULL, 'pull:${now}', ${now}, NULL`}, ${now})`,
  ),
  site.map(
    (asset) => (now: number) =>
      `INSERT INTO pull_attempt (run, target, started_at, took_ms, outcome, requests, changed)
       SELECT 1, min(id), ${now}, 1, 1, 1, 0 FROM pull_target WHERE asset = '${asset}'`,
  ),
  fc.tuple(fc.constantFrom("", ...SITES), fc.integer({ min: 1, max: 9 })).map(
    ([asset, hours]) =>
      (now: number) =>
        `INSERT OR REPLACE INTO health_pause (capability, asset, paused_at, paused_by, until)
         VALUES ('analytics.daily', '${asset}', ${now}, 'operator:ada', ${now + hours * HOUR})`,
  ),
  site.map(
    (asset) => () =>
      `UPDATE asset SET lifecycle = iif(lifecycle = 'live', 'retired', 'live') WHERE id = '${asset}'`,
  ),
  // Of more than 50 sites of which none is due any more, the rest is looked at a read later.
  fc.constant(
    (now: number) =>
      `INSERT OR IGNORE INTO asset (id, lifecycle, added_at, added_by) VALUES ('quay-${now % 40}.example', 'live', ${now}, 'x')`,
  ),
  site.map(
    (asset) => () =>
      `UPDATE attachment SET property = property || '0' WHERE asset = '${asset}' AND provider = 'analytics'`,
  ),
  fc.constant(
    () =>
      "UPDATE credential SET connection_revision = connection_revision || 'x' WHERE id = 'google-account'",
  ),
);
const passed = fc.oneof(
  fc.constant(0),
  fc.integer({ min: 1, max: 40 * HOUR }),
  fc.constant(4 * HOUR),
  fc.constant(-2 * HOUR),
);
const step = fc.record({ writes: fc.array(written, { maxLength: 4 }), passed, isLooked: fc.boolean() });

test("health that is kept current is health that is read from nothing", async () => {
  using folder = temporaryFolder();
  const path = join(folder.path, "tower.db");
  const store = openStore(path);
  migrateStore(store);
  const clock = new FakeClock(START);
  const service = await testTower({ ground: { store, clock }, settings: PROXY });
  const { deps } = service;
  await deps.writer.write((tx) => plantPortfolio(tx, SITES.length, clock.now()));
  const another = openStore(path);
  deps.health.read(clock.now());
  await fc.assert(
    fc.asyncProperty(step, async ({ writes, passed, isLooked }) => {
      store.raw.transaction(() => {
        for (const sql of writes) store.raw.run(sql(clock.now()));
      })();
      clock.advance(passed);
      if (isLooked) await deps.health.keepUp(clock.now());
      const fresh = new HealthReader({ ...deps, store: another, listChannels });
      expect(deps.health.read(clock.now())).toEqual(fresh.read(clock.now()));
      // One that has read nothing of any site yet.
      const begun = new HealthReader({ ...deps, store: another, listChannels });
      const followed = begun.follow(clock);
      if (isLooked) await followed;
      expect(begun.read(clock.now())).toEqual(fresh.read(clock.now()));
      await followed;
    }),
    // Each step goes on from those before.
    { numRuns: 300, endOnFailure: true },
  );
  another.close();
  await service.close();
});

const SITE_NAMES = siteNames(330);
const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve));

async function turnsUntil(done: Promise<void>): Promise<number> {
  let turns = 0;
  const isDone = done.then(() => true);
  while (!(await Promise.race([isDone, nextTurn().then(() => false)]))) turns++;
  return turns;
}

test("what is there at first and what many sites were written is followed in several turns, each of which leaves the rest to the next", async () => {
  using folder = temporaryFolder();
  const path = join(folder.path, "tower.db");
  const store = openStore(path);
  migrateStore(store);
  const clock = new FakeClock(START);
  const service = await testTower({ ground: { store, clock }, settings: PROXY });
  const { health, writer } = service.deps;
  await writer.write((tx) => plantPortfolio(tx, SITE_NAMES.length, clock.now()));
  const another = openStore(path);
  const fresh = new HealthReader({ ...service.deps, store: another, listChannels });
  const first = turnsUntil(health.follow(clock));
  // A site that was read, and one that was not.
  await writer.write((): void => {
    for (const asset of [SITE_NAMES[3], SITE_NAMES[300]])
      store.raw.run("UPDATE pulse_freshness SET received_at = 0 WHERE asset = ?", [asset ?? ""]);
  });
  expect(await first).toBeGreaterThanOrEqual(3);
  const before = health.read(clock.now());
  expect(before).toEqual(fresh.read(clock.now()));
  clock.advance(HOUR);
  const fail = (asset: string) => {
    store.raw.run(
      "UPDATE health_state SET category = 'access', latest_started_at = ? WHERE target IN (SELECT id FROM health_target WHERE asset = ?)",
      [clock.now(), asset],
    );
    store.raw.run("UPDATE pulse_freshness SET received_at = ? WHERE asset = ?", [clock.now(), asset]);
  };
  await Promise.all(SITE_NAMES.map((asset) => writer.write(() => fail(asset))));
  expect(await turnsUntil(health.follow(clock))).toBeGreaterThanOrEqual(2);
  const view = health.read(clock.now());
  expect(view).toEqual(fresh.read(clock.now()));
  expect(view.summary.failing - before.summary.failing).toBeGreaterThan(900);
  // Behind the back of those who count: each of the sites is looked at all the same.
  store.raw.run("DROP TRIGGER temp.touched_health_state_update");
  store.raw.run("UPDATE health_state SET category = 'network'");
  await health.keepUp(clock.now());
  expect(health.read(clock.now())).toEqual(fresh.read(clock.now()));
  another.close();
  await service.close();
});

test("of what was read before, nothing is held", async () => {
  const service = await testTower({ ground: { clock: new FakeClock(START) }, settings: PROXY });
  const { health, writer, clock, store } = service.deps;
  await writer.write((tx) => plantPortfolio(tx, 2, clock.now()));
  const before: WeakRef<object>[] = [];
  for (let round = 0; round < 20; round++) {
    clock.advance(1_000);
    store.raw.run("UPDATE pulse_freshness SET received_at = ?", [clock.now()]);
    before.push(new WeakRef(health.read(clock.now())));
    await nextTurn();
  }
  Bun.gc(true);
  await nextTurn();
  Bun.gc(true);
  // One or another may still lie on the stack, as the engine sees it.
  expect(before.filter((view) => view.deref() !== undefined).length).toBeLessThan(5);
  await service.close();
});
