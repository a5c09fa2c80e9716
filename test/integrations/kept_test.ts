/**
 * What was read is kept, and never told when it is no longer so: a write to any table that health is read from makes the next read another,
 * whether the service made it or another program did.
 */

import { Database } from "bun:sqlite";
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { issueServiceToken } from "../../src/access/api_tokens.ts";
import { addOperator } from "../../src/access/operators.ts";
import { newestDay } from "../../src/base/time.ts";
import type { HealthView } from "../../src/integrations/integrations.ts";
import { type PartName, READ_FROM, readInventory } from "../../src/integrations/inventory.ts";
import { HealthReader } from "../../src/integrations/reader.ts";
import { listChannels } from "../../src/notices/channels.ts";
import { ensureAssets } from "../../src/sites/site_changes.ts";
import { migrateStore } from "../../src/store/migrations.ts";
import { openStore, type Store } from "../../src/store/store.ts";
import { FakeClock } from "../support/clock.ts";
import { temporaryFolder } from "../support/folder.ts";
import { plantAccounts, plantAttempt, plantSite, siteNames } from "../support/health_portfolio.ts";
import { GOOD_PASSWORD } from "../support/operators.ts";
import { PROXY, type TestTower, testTower } from "../support/test_tower.ts";

/** A site for each kind of write, so that none hides another's. */
const SITES = siteNames(7);
const [FIRST = "", RETIRING = "", FREE = "", PAUSED = "", LIVE = "", SILENT = "", FAILING = ""] = SITES;
describe.each(["the service", "another program"])("what %s writes", (writes) => {
  const folder = temporaryFolder();
  const clock = new FakeClock("2026-11-20T14:02:10Z");
  const { prepare } = Database.prototype;
  const prepared = new Set<string>();
  let service: TestTower;
  const read = (): HealthView => service.deps.health.read(clock.now());

  beforeAll(async () => {
    Object.assign(Database.prototype, {
      prepare(this: Database, ...given: Parameters<typeof prepare>) {
        if (noting) prepared.add(given[0]);
        return prepare.apply(this, given);
      },
    });
    const store = openStore(join(folder.path, "tower.db"));
    migrateStore(store);
    service = await testTower({ ground: { store, clock }, settings: PROXY });
    await addOperator(service.deps, { name: "ada", password: GOOD_PASSWORD }, { actor: "test", now: 0 });
    await service.deps.writer.write((tx) => {
      plantAccounts(tx, clock.now() - 1_000_000);
      for (const asset of SITES) plantSite(tx, asset, clock.now(), 0);
      ensureAssets(tx, ["quay.example", "bay.example"], { actor: "test", now: 0 });
    });
    write(
      `DELETE FROM attachment WHERE asset = '${FREE}'`,
      `INSERT INTO pulse_freshness (asset, received_at) VALUES ('bay.example', ${NOW - 1_000})`,
    );
  });
  afterAll(async () => {
    Object.assign(Database.prototype, { prepare });
    await service.close();
    folder[Symbol.dispose]();
  });

  let noting = false;

  /** Writes as the service does, or as another program would: over a connection of its own. */
  function write(...statements: readonly string[]): void {
    const raw =
      writes === "the service" ? service.deps.store.raw : new Database(join(folder.path, "tower.db"));
    raw.transaction(() => {
      for (const statement of statements) raw.run(statement);
    })();
    if (writes !== "the service") raw.close();
  }

  const NOW = clock.now();
  const ANY_TARGET = `(SELECT id FROM health_target WHERE capability = 'analytics.daily' AND asset = '${FAILING}')`;

  /** One write to each table, after which something else is to be told. */
  const WRITES: Readonly<Record<string, readonly string[]>> = {
    asset: [`UPDATE asset SET lifecycle = 'retired' WHERE id = '${RETIRING}'`],
    asset_group: [`INSERT INTO asset_group (asset, name) VALUES ('${FIRST}', 'harbours')`],
    attachment: [`UPDATE attachment SET property = '99' WHERE asset = '${FIRST}' AND provider = 'analytics'`],
    detachment: [
      `INSERT INTO detachment (asset, provider, connection_revision, property, detached_at, detached_by)
     VALUES ('${FREE}', 'analytics', 'gone', '1', ${NOW}, 'operator:ada')`,
    ],
    property: [
      `INSERT INTO property (credential, provider, property, name, usable, seen_at)
     VALUES ('webmaster-account', 'webmaster-tools', 'https://quay.example/', 'quay', 1, ${NOW})`,
    ],
    panel: [
      `INSERT INTO panel (id, asset, keyword, location, language, device, depth, every, created_at) VALUES ('p', '${FIRST}', 'words', 2840, 'en', 'desktop', 20, 7, ${NOW})`,
    ],
    health_pause: [
      // And a target less of a site that stays.
      "DELETE FROM panel",
      `INSERT INTO health_pause (capability, asset, paused_at, paused_by, until) VALUES ('', '${PAUSED}', ${NOW}, 'operator:ada', NULL)`,
    ],
    calendar: [
      `INSERT INTO calendar (id, name, asset, connection_revision, key_id, sealed, added_at, coming, notes)
     VALUES ('a-calendar', 'sales', '*', 'a-connection', '', '', ${NOW}, '[]', '[]')`,
    ],
    channel: [
      `INSERT INTO channel (id, name, kind, edit_revision, connection_revision, key_id, sealed, rules, added_at, changed_at)
     VALUES ('a-channel', 'ops', 'webhook', 1, 'a-connection', '', '', '{}', ${NOW}, ${NOW})`,
    ],
    live_lease: [
      `UPDATE live_lease SET taken_at = ${NOW - 3 * 86_400_000} WHERE asset = '${LIVE}' AND kind = 'hourly'`,
    ],
    pulse_freshness: [`UPDATE pulse_freshness SET received_at = ${NOW - 1} WHERE asset = '${SILENT}'`],
    pulse: [
      `INSERT INTO pulse (asset, date, revision, received_at, generated_at) VALUES ('bay.example', '2026-11-19', 1, ${NOW}, ${NOW})`,
    ],
    codebase_report: [
      `INSERT INTO codebase_report (asset, date, revision, received_at, generated_at, measures)
     VALUES ('${FREE}', '2026-11-20', 2, ${NOW}, ${NOW}, '{}')`,
    ],
    refused_streak: [
      `INSERT INTO refused_streak (asset, route, count, last_at, status, code, faults)
     VALUES ('${FREE}', '/api/pulse', 1, ${NOW}, 422, 'broken-contract', '[]')`,
    ],
    // A target says nothing before it has a state.
    health_target: [
      `INSERT INTO health_target (workspace, provider, connection_revision, capability, asset, target, family)
     VALUES ('default', 'ingest', '', 'ingest.codebase', 'quay.example', '', '')`,
      `INSERT INTO health_state (target, latest_attempt, latest_started_at, category, recorded_at, failing_since)
     VALUES (last_insert_rowid(), 'refused:1', ${NOW}, 'access', ${NOW}, ${NOW})`,
    ],
    health_state: [
      `DELETE FROM health_state WHERE target = (SELECT id FROM health_target WHERE capability = 'analytics.daily' AND asset = '${SILENT}')`,
      `UPDATE health_state SET category = 'access', latest_started_at = ${NOW} WHERE target = ${ANY_TARGET}`,
    ],
    health_event: [
      `INSERT INTO health_event (event, at, target, attempt, change, category)
     SELECT 'an-event', ${NOW}, min(id), 'pull:1', 'first_failure', 'access' FROM health_target WHERE capability = 'webmaster-tools.daily' AND asset = '${FREE}'`,
    ],
    pull_target: [
      `INSERT INTO pull_target (asset, provider, connection_revision, property, time_zone)
     VALUES ('${FREE}', 'webmaster-tools', 'revision-of-webmaster-account', 'https://${FREE}/', 'UTC')`,
      `INSERT INTO pull_attempt (run, target, started_at, took_ms, outcome, requests, changed)
     VALUES (1, last_insert_rowid(), ${NOW + 1}, 1, 1, 1, 0)`,
    ],
    pull_attempt: [
      `INSERT INTO pull_attempt (run, target, started_at, took_ms, outcome, requests, changed)
     SELECT 1, min(id), ${NOW + 5}, 1, 1, 1, 0 FROM pull_target WHERE asset = '${FREE}' AND provider = 'webmaster-tools'`,
    ],
    // A read model follows each attempt; one that does so alone was made anew.
    archive_report: [
      `INSERT INTO archive_target (id, asset, provider, connection_revision, property, family)
       VALUES (1, '${FIRST}', 'search-console', 'revision-of-google-account', 'https://${FIRST}/', 'page')`,
      `INSERT INTO archive_report (id, run, target, date, attempted_at, took_ms, outcome, requests, complete, notes)
       VALUES (1, 1, 1, 20776, ${NOW - 9}, 1, 0, 1, 1, 0), (2, 1, 1, 20776, ${NOW}, 1, 5, 1, 0, 0)`,
      "INSERT INTO archive_day (target, date, latest, good, failing) VALUES (1, 20776, 1, 1, 0)",
      "INSERT INTO archive_standing (target, dates, failing, last_date, latest, usable) VALUES (1, 1, 0, 20776, 1, 1)",
    ],
    archive_standing: ["UPDATE archive_standing SET dates = 2 WHERE target = 1"],
    archive_day: ["UPDATE archive_day SET good = NULL WHERE target = 1"],
    archive_skip: [
      "INSERT INTO archive_skip (target, reason, seen_at) VALUES (1, 'parameter_unregistered', 1)",
    ],
    archive_target: [
      "DELETE FROM archive_skip",
      `INSERT INTO archive_target (id, asset, provider, connection_revision, property, family)
       VALUES (2, '${FIRST}', 'search-console', 'revision-of-google-account', 'https://${FIRST}/', 'query')`,
      "UPDATE archive_standing SET target = 2",
    ],
    monitoring_failure: [
      `INSERT INTO monitoring_failure (kind, asset, source, subject, since, reason) VALUES ('job', '', '', 'sense', ${NOW}, 'It did not run.')`,
    ],
    // The last: nothing that was asked over the connection counts after it.
    credential: ["UPDATE credential SET connection_revision = 'another' WHERE id = 'google-account'"],
  };

  /** The tables that something asks over a connection that asked nothing yet. */
  function tablesAskedBy(read: (store: Store) => unknown): string[] {
    const fresh = openStore(join(folder.path, "tower.db"));
    prepared.clear();
    noting = true;
    read(fresh);
    noting = false;
    fresh.close();
    const tables = new Set(
      [...prepared].flatMap((sql) =>
        [...sql.matchAll(/\b(?:FROM|JOIN)\s+"?([a-z_]+)\b/gi)].map(([, name = ""]) => name),
      ),
    );
    for (const name of ["json_each", "pragma_data_version", "pragma_schema_version", "temp"])
      tables.delete(name);
    return [...tables].sort();
  }

  test("every table that health is read from is written to below", () => {
    const asked = tablesAskedBy((store) =>
      new HealthReader({ ...service.deps, store, listChannels }).read(clock.now()),
    );
    // Tokens are written to by their own test, since they belong to an operator.
    expect(asked).toEqual([...Object.keys(WRITES), "api_token"].sort());
  });

  const OF_INVENTORY = {
    serviceAsset: "tower",
    newestDay: newestDay(clock.now()),
    listChannels,
    onUnread: () => undefined,
  } as const;

  test("each part is read from the tables that it says, and from no other", () => {
    const { parts } = readInventory(service.deps.store.db, OF_INVENTORY);
    for (const name of Object.keys(parts) as PartName[]) {
      const before = { parts, isOld: (part: PartName) => part === name };
      const asked = tablesAskedBy(({ db }) => readInventory(db, { ...OF_INVENTORY, before }));
      // Codebase reports are asked for by site.
      const beside = name === "codebase" ? ["asset"] : [];
      expect([name, [...asked, ...beside].sort()]).toEqual([name, READ_FROM[name].toSorted()]);
    }
  });

  test("while nothing is written, the same view is handed out, whoever asks and however long", () => {
    const view = read();
    expect(read()).toBe(view);
    clock.advance(1_000);
    expect(read()).toBe(view);
    // Another schema has all of it read again.
    write("CREATE TABLE nothing_of_this (a)", "DROP TABLE nothing_of_this");
    expect(read()).toEqual(view);
  });

  test("what nobody wrote to is not read again, whatever is written beside it, until the service looks by itself", async () => {
    const view = read();
    write("UPDATE operator SET name = name");
    if (writes === "the service") expect(read()).toBe(view);
    else expect(read()).toEqual(view);
    // What is done behind the back of those who count is found by reading all of it.
    const { raw } = service.deps.store;
    raw.run("DROP TRIGGER temp.touched_health_state_update");
    raw.run(
      `UPDATE health_state SET category = 'network', latest_started_at = ${NOW}, failing_since = ${NOW} WHERE target = ${ANY_TARGET}`,
    );
    const failing = () => read().summary.failing - view.summary.failing;
    expect(failing()).toBe(0);
    write("UPDATE operator SET name = name");
    expect(failing()).toBe(writes === "the service" ? 0 : 1);
    await service.deps.health.keepUp(clock.now());
    expect(failing()).toBe(1);
    raw.run(
      `UPDATE health_state SET category = NULL, success_attempt = latest_attempt, success_started_at = latest_started_at,
         failing_since = NULL WHERE target = ${ANY_TARGET}`,
    );
    await service.deps.health.keepUp(clock.now());
    expect(failing()).toBe(0);
    // Another schema has every table watched again.
    raw.run("CREATE TABLE another (a)");
  });

  for (const [table, statements] of Object.entries(WRITES)) {
    test(`a write to ${table} is told by the next read, as by one that kept nothing`, () => {
      const before = read();
      write(...statements);
      const after = read();
      expect(after).not.toEqual(before);
      expect(read()).toBe(after);
      const fresh = openStore(join(folder.path, "tower.db"));
      const reader = new HealthReader({ ...service.deps, store: fresh, listChannels });
      expect(after).toEqual(reader.read(clock.now()));
      fresh.close();
    });
  }

  test("a token that annotations can be posted with is told by the next read, and so is its end", async () => {
    const before = read();
    const by = { actor: "test", now: 0 };
    const { id } = await issueServiceToken(service.deps, "ci", ["annotations"], by);
    const after = read();
    expect(after.capabilities.find(({ capability }) => capability === "annotations.post")).toMatchObject({
      state: "never_run",
    });
    write(`UPDATE api_token SET revoked_at = 1 WHERE id = '${id}'`);
    expect(read().capabilities.map(({ capability }) => capability)).toEqual(
      before.capabilities.map(({ capability }) => capability),
    );
  });

  test("a clock that was set back is told what holds then", async () => {
    const view = read();
    clock.advance(-1_000);
    expect(read()).not.toBe(view);
  });

  test("a site is told of its own when only it was asked for", async () => {
    await service.deps.writer.write((tx) =>
      plantAttempt(tx, { asset: FREE, provider: "search-console", at: clock.now() }),
    );
    const assets = service.deps.health
      .read(clock.now(), FREE)
      .capabilities.flatMap(({ targets }) => targets.map(({ asset }) => asset));
    expect(new Set(assets)).toEqual(new Set([FREE]));
  });
});
