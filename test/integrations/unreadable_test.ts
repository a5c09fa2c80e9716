/** What cannot be read is said, and nothing stands in its place: not what was read before, not an all-clear. */

import { afterEach, describe, expect, test } from "bun:test";
import { recordReport } from "../../src/archive/manifest.ts";
import type { ArchiveTarget } from "../../src/archive/manifest_row.ts";
import { dayNumber, type UtcDay } from "../../src/base/time.ts";
import { putServiceState } from "../../src/store/store.ts";
import { reportOf } from "../support/archive.ts";
import { FakeClock } from "../support/clock.ts";
import { testStore } from "../support/database.ts";
import { askHealth, readHealth } from "../support/health.ts";
import { plantAccounts, plantSite, siteNames } from "../support/health_portfolio.ts";
import { parsed, textOf } from "../support/html.ts";
import { OPERATOR_HEADER, PROXY, type TestTower, testTower } from "../support/test_tower.ts";
import { words } from "../support/words.ts";

const [HARBOR = "", QUAY = ""] = siteNames(2);
const AT = "2026-11-20T14:02:10Z";

let service: TestTower;
afterEach(() => service.close());

async function planted(): Promise<TestTower> {
  const store = testStore();
  const clock = new FakeClock(AT);
  service = await testTower({ ground: { store, clock }, settings: PROXY });
  await service.deps.writer.write((tx) => {
    plantAccounts(tx, clock.now());
    plantSite(tx, HARBOR, clock.now(), 0);
    plantSite(tx, QUAY, clock.now(), 7);
  });
  return service;
}

/** What health says: how much of it is known, and the state of each target. */
async function told(asset?: string): Promise<readonly string[]> {
  const { coverage, capabilities, events } = await readHealth(service, asset);
  const states = capabilities.flatMap(({ capability, state, targets }) => [
    `${capability} ${state}`,
    ...targets.map((one) => `${capability} ${one.asset} ${one.state} ${one.category}`),
  ]);
  return [`${coverage.state}: ${coverage.reason}`, `${events.length} events`, ...states];
}

/** What is told otherwise than before: what is no longer said, and what is said instead. */
async function changed(before: readonly string[]) {
  const after = await told();
  const but = (these: readonly string[], those: readonly string[]) =>
    these.filter((one) => !those.includes(one));
  return { gone: but(before, after), told: but(after, before) };
}

const TABLES = words(
  "asset attachment detachment credential property health_pause live_lease api_token pulse_freshness codebase_report " +
    "refused_streak health_state health_event pull_attempt monitoring_failure",
);

describe("a part of the inventory that is missing", () => {
  test("each is named, what hangs on it is unknown or gone, never green, and back again it is told again; recorded", async () => {
    await planted();
    const { raw } = service.deps.store;
    const whole = await told();
    raw.run("PRAGMA foreign_keys = OFF");
    const found: Record<string, unknown> = {};
    for (const table of TABLES) {
      raw.run(`ALTER TABLE ${table} RENAME TO gone`);
      found[table] = await changed(whole);
      raw.run(`ALTER TABLE gone RENAME TO ${table}`);
      expect(await told()).toEqual(whole);
    }
    expect(found).toMatchSnapshot();
    // What could not be read is asked for again, though nothing was written since.
    const { rawRead } = service.deps.store;
    rawRead.run("PRAGMA query_only = OFF");
    rawRead.run("CREATE TEMP TABLE health_event (gone)");
    raw.run("CREATE TABLE beside (other)");
    expect((await told())[0]).toContain("The history of events cannot be read.");
    rawRead.run("DROP TABLE temp.health_event");
    expect(await told()).toEqual(whole);
  });

  test("the archived reports of one site: what is told of that site says so, and nothing of the others", async () => {
    const { deps } = await planted();
    const attached = deps.store.raw.query<Pick<ArchiveTarget, "property" | "connectionRevision">, [string]>(
      `SELECT property, connection_revision AS connectionRevision FROM attachment JOIN credential ON credential.id = credential
       WHERE asset = ? AND provider = 'analytics'`,
    );
    const of = attached.get(HARBOR);
    if (of === null) throw new Error("the site has no property");
    const target = { asset: HARBOR, provider: "analytics", family: "events", ...of } as const;
    const attemptedAt = deps.clock.now() - 3_600_000;
    await deps.writer.write((tx) =>
      recordReport(
        tx,
        reportOf({ target, attemptedAt, date: dayNumber("2026-11-19" as UtcDay), object: null }),
      ),
    );
    deps.store.raw.run("ALTER TABLE archive_report RENAME COLUMN failure_code TO gone");
    const [all, harbor, quay] = await Promise.all(
      [undefined, HARBOR, QUAY].map((one) => readHealth(service, one)),
    );
    expect([all, harbor, quay].map((one) => one?.coverage.state)).toMatchSnapshot();
    expect(harbor?.coverage.reason).toContain("This cannot be read: ");
  });

  test("each page is shown all the same, and says that it is unknown", async () => {
    await planted();
    const page = async (path: string) => {
      const answer = await service.ask(path, { headers: { accept: "text/html" } });
      return { status: answer.status, text: textOf(parsed(await answer.text())).replace(/\s+/g, " ") };
    };
    service.deps.store.raw.run("PRAGMA foreign_keys = OFF");
    for (const table of ["attachment", "credential"]) {
      service.deps.store.raw.run(`ALTER TABLE ${table} RENAME TO gone`);
      for (const path of ["/", "/health", "/integrations", "/wall", `/sites/${HARBOR}/integrations`]) {
        const { status, text } = await page(path);
        expect([path, status]).toEqual([path, 200]);
        expect([path, text]).toEqual([path, expect.stringContaining("the connections of sites")]);
        expect([path, text]).toEqual([path, expect.stringMatching(/not an all-clear/i)]);
        if (path === "/") expect(text).toContain("Unknown. This cannot be read");
        expect([path, text]).toEqual([
          path,
          expect.not.stringMatching(/0 need attention|No site is failing/),
        ]);
      }
      const wall = (await page("/wall")).text;
      expect(wall).toContain("2 sites unknown – Wall – Tower");
      // What is left of a site may work; that the site does is not known.
      expect(wall).not.toMatch(/\d Working|parts? watched/);
      expect(wall).toContain("This is not an all-clear.");
      service.deps.store.raw.run(`ALTER TABLE gone RENAME TO ${table}`);
    }
    service.deps.store.raw.run("UPDATE asset SET added_at = 9000000000000000 WHERE id = ?", [QUAY]);
    const { text } = await page(`/sites/${HARBOR}/integrations`);
    expect(text).toContain("What is set up for this site could not be read.");
  });

  test("all of it is 200 with nothing in it, unknown, and not empty", async () => {
    await planted();
    service.deps.store.raw.run("PRAGMA foreign_keys = OFF");
    for (const table of TABLES) service.deps.store.raw.run(`ALTER TABLE ${table} RENAME TO gone_${table}`);
    const answer = await askHealth(service);
    expect(answer.status).toBe(200);
    const health = (await answer.json()) as Awaited<ReturnType<typeof readHealth>>;
    expect(health).toMatchObject({ capabilities: [], coverage: { state: "unknown", configured: 0 } });
    for (const table of TABLES) service.deps.store.raw.run(`ALTER TABLE gone_${table} RENAME TO ${table}`);
  });
});

describe("a part of it that is malformed", () => {
  const OF_HARBOR = `WHERE target = (SELECT id FROM health_target WHERE capability = 'search-console.daily' AND asset = '${HARBOR}')`;
  // Which evidence is none is recorded where it is decided.
  const BROKEN = {
    "a list of providers that is none": "UPDATE credential SET providers = '{'",
    "a connection to no provider":
      "UPDATE attachment SET provider = 'elsewhere' WHERE provider = 'analytics'",
    "a connection without its account": "DELETE FROM credential WHERE id = 'webmaster-account'",
    "a moment beyond all calendars": "UPDATE pulse_freshness SET received_at = 9000000000000000",
    "a pause until no moment": `INSERT INTO health_pause (capability, asset, paused_at, paused_by, until) VALUES ('', '${HARBOR}', 0, 'x', 9000000000000000)`,
    "a question asked beyond all calendars": "UPDATE live_lease SET taken_at = 9000000000000000",
    "a success that has no beginning": `UPDATE health_state SET success_started_at = NULL ${OF_HARBOR}`,
    "a category that is none": `UPDATE health_state SET category = 'sunspots' ${OF_HARBOR}`,
    "an attempt beyond all calendars": `UPDATE health_state SET latest_started_at = 9000000000000000 ${OF_HARBOR}`,
    "a refusal beyond all calendars, though a report was received": `
      INSERT INTO health_target (workspace, provider, connection_revision, capability, asset, target, family)
      VALUES ('default', 'ingest', '', 'ingest.nightly', '${HARBOR}', '', '');
      INSERT INTO health_state (target, latest_attempt, latest_started_at, category, recorded_at, failing_since)
      VALUES (last_insert_rowid(), 'refused:1', 9000000000000000, 'access', 1, 1)`,
  };
  test("what it is of is unknown, and nothing else; recorded", async () => {
    const found: Record<string, unknown> = {};
    for (const [what, sql] of Object.entries(BROKEN)) {
      await planted();
      const whole = await told();
      service.deps.store.raw.exec(sql);
      found[what] = await changed(whole);
      await service.close();
    }
    expect(found).toMatchSnapshot();
    await planted();
  });

  test("a source that is unknown makes the first page no all-clear", async () => {
    await planted();
    const said = async () => {
      const response = await service.ask("/", { as: "", headers: { [OPERATOR_HEADER]: "ada" } });
      return textOf(parsed(await response.text()));
    };
    expect(await said()).toContain("Nothing needs attention.");
    service.deps.store.raw.run(
      "UPDATE health_state SET latest_attempt = '' WHERE target = (SELECT id FROM health_target WHERE capability = 'search-console.daily' AND asset = ?)",
      [HARBOR],
    );
    await readHealth(service);
    expect(await said()).toContain("1 site needs attention: 1 with an unknown state.");
    // An attempt whose outcome is not recorded waits for the next one.
    service.deps.store.raw.run("DELETE FROM health_state WHERE latest_attempt = ''");
    await readHealth(service);
    expect(await said()).toContain("Nothing that could be read needs attention.");
  });
});

test("while storage refuses writes nothing stored can say what happens: coverage is not complete until it takes them again", async () => {
  await planted();
  const { store, writer, machine } = service.deps;
  const { raw } = store;
  const before = await readHealth(service);
  const [{ pages } = { pages: 0 }] = raw
    .query<{ pages: number }, []>("SELECT page_count AS pages FROM pragma_page_count")
    .all();
  raw.run(`PRAGMA max_page_count = ${pages}`);
  const large = "x".repeat(1_000_000);
  await expect(writer.write((tx) => putServiceState(tx, "test", large, 1))).rejects.toThrow();
  expect((await readHealth(service)).coverage).toMatchObject({
    state: "partial",
    reason: "Storage refuses writes, so that what happens now leaves no evidence.",
  });
  raw.run("PRAGMA max_page_count = 1000000");
  await machine.storage.look(undefined);
  expect((await readHealth(service)).coverage).toEqual(before.coverage);
});
