/** What attempts to get reports came to, as health keeps it: a row for what failed, none for what never did. */

import { describe, expect, test } from "bun:test";
import { type NewReport, recordReport } from "../../src/archive/manifest.ts";
import { recordReportHealth, reportKey } from "../../src/archive/report_health.ts";
import { dayNumber, type UtcDay } from "../../src/base/time.ts";
import { archiveScope } from "../../src/health/health.ts";
import { listMonitoringFailures } from "../../src/health/monitoring.ts";
import { findEvidence, listHealthEvents, listHealthStates } from "../../src/health/state_store.ts";
import { Writer } from "../../src/store/writer.ts";
import { reportOf } from "../support/archive.ts";
import { testStore } from "../support/database.ts";

const NOW = Date.parse("2026-11-20T12:15:30Z");
const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const day = (text: string) => dayNumber(text as UtcDay);

const PROPERTY = {
  asset: "harbor.example",
  provider: "search-console",
  connectionRevision: "0199-first",
  property: "https://harbor.example/",
} as const;
const PAGE = { ...PROPERTY, family: "page" };
const CRAWL = { ...PROPERTY, provider: "webmaster-tools", family: "crawl-stats" } as const;

const scopeOf = (
  report: string,
  date: string,
  of: Omit<typeof PAGE, "family"> | typeof CRAWL = PROPERTY,
) => ({
  ...archiveScope("default", of),
  family: reportKey(report, day(date)),
});
const ACCOUNT = archiveScope("default", { ...PROPERTY, asset: "", property: "" });

function ground() {
  const store = testStore();
  const writer = new Writer(store);
  let runs = 0;
  return {
    store,
    report: (given: Partial<NewReport>, isOfAccount = false) =>
      writer.write((tx) => {
        const row = reportOf({ ...given, object: null, run: ++runs });
        const { id } = recordReport(tx, row);
        return recordReportHealth(tx, { workspace: "default", report: { ...row, id }, isOfAccount });
      }),
    events: () =>
      listHealthEvents(store.db, { limit: 100, isShown: () => true })
        .map(({ change, scope, attempt }) => `${change} ${scope.family || "account"} ${attempt}`)
        .reverse(),
    told: () => listHealthStates(store.db).length,
  };
}

const FAILED = { outcome: "failed", category: "network", failureCode: "timed_out" } as const;

const at = (date: string, hours: number, more: Partial<NewReport> = {}): Partial<NewReport> => ({
  tookMs: 300,
  target: PAGE,
  date: day(date),
  attemptedAt: NOW + hours * HOUR,
  ...more,
});

describe("the health of reports", () => {
  test("one that never failed leaves no row, whatever it came to", async () => {
    const { report, told } = ground();
    for (const outcome of ["stored", "unchanged", "empty", "source_lag"] as const) {
      expect(await report(at("2026-11-19", 0, { outcome }))).toBe(true);
    }
    expect(told()).toBe(0);
  });

  test("a failure is a row with an event, and so is what ends it; what follows is kept", async () => {
    const { report, store, events } = ground();
    await report(at("2026-11-19", 0, { ...FAILED }));
    expect(findEvidence(store.db, scopeOf("page", "2026-11-19"))).toMatchObject({
      latest: { attempt: "archive:1", startedAt: NOW, category: "network", code: "timed_out" },
      success: undefined,
      failingSince: NOW,
      recordedAt: NOW + 300,
    });
    await report(at("2026-11-18", 0));
    await report(at("2026-11-19", 24, { outcome: "incomplete", category: "incomplete_report" }));
    await report(at("2026-11-19", 48));
    await report(at("2026-11-19", 72, { outcome: "unchanged" }));
    expect(findEvidence(store.db, scopeOf("page", "2026-11-19"))).toMatchObject({
      latest: { attempt: "archive:5", category: null },
      success: { startedAt: NOW + 72 * HOUR, coveredDate: "2026-11-19" },
    });
    const key = '["page","2026-11-19","",""]';
    expect(events()).toEqual([
      `first_failure ${key} archive:1`,
      `category_change ${key} archive:3`,
      `recovery ${key} archive:4`,
    ]);
  });

  test("the first failure after good reports keeps when it was last good; one that began before it was is no news", async () => {
    const { report, store, events } = ground();
    await report(at("2026-11-19", 0));
    await report(at("2026-11-19", 24, { ...FAILED }));
    expect(findEvidence(store.db, scopeOf("page", "2026-11-19"))).toMatchObject({
      success: { attempt: "archive:1", startedAt: NOW, coveredDate: "2026-11-19" },
      failingSince: NOW + DAY,
    });
    await report(at("2026-11-18", 0));
    await report(at("2026-11-18", -24, { ...FAILED, tookMs: 25 * HOUR }));
    expect(findEvidence(store.db, scopeOf("page", "2026-11-18"))?.latest.category).toBeNull();
    expect(events()).toEqual(['first_failure ["page","2026-11-19","",""] archive:2']);
  });

  test("a date that its provider does not have yet makes good what failed, and covers nothing", async () => {
    const { report, store } = ground();
    await report(at("2026-11-19", 0, { ...FAILED }));
    await report(at("2026-11-19", 24, { outcome: "source_lag" }));
    expect(findEvidence(store.db, scopeOf("page", "2026-11-19"))).toMatchObject({
      latest: { category: null },
      success: { coveredDate: null },
    });
  });

  test("what is kept of a moment is made good by the next report of it; what is of a day only by its own", async () => {
    const { report, store, events } = ground();
    for (const [date, hours] of [
      ["2026-11-19", -24],
      ["2026-11-20", 0],
    ] as const) {
      await report(at(date, hours, { target: CRAWL, ...FAILED }));
      await report(at(date, hours, { target: { ...CRAWL, family: "feeds" }, ...FAILED }));
      await report(at(date, hours, { ...FAILED }));
    }
    await report(at("2026-11-21", 24, { target: CRAWL }));
    await report(at("2026-11-21", 24));
    const of = (scope: ReturnType<typeof scopeOf>) => findEvidence(store.db, scope)?.latest.category ?? null;
    expect(of(scopeOf("crawl-stats", "2026-11-19", CRAWL))).toBeNull();
    expect(of(scopeOf("crawl-stats", "2026-11-20", CRAWL))).toBeNull();
    expect(of(scopeOf("feeds", "2026-11-20", CRAWL))).toBe("network");
    expect(of(scopeOf("page", "2026-11-20"))).toBe("network");
    expect(events().filter((event) => event.startsWith("recovery"))).toEqual([
      'recovery ["crawl-stats","2026-11-19","",""] archive:7',
      'recovery ["crawl-stats","2026-11-20","",""] archive:7',
    ]);
  });

  test("what fails for the whole account is told of it, and over with the next report of any site", async () => {
    const { report, store, events } = ground();
    await report(at("2026-11-19", 0, { ...FAILED, category: "access" }), true);
    await report(at("2026-11-18", 0, { ...FAILED, category: "access" }));
    expect(findEvidence(store.db, ACCOUNT)?.latest).toMatchObject({
      attempt: "archive:1",
      category: "access",
    });
    await report(
      at("2026-11-19", 24, { target: { ...PAGE, asset: "quay.example", property: "sc-domain:quay" } }),
    );
    expect(findEvidence(store.db, ACCOUNT)).toMatchObject({
      latest: { category: null },
      success: { coveredDate: null },
    });
    expect(events().filter((event) => event.includes("account"))).toEqual([
      "first_failure account archive:1",
      "recovery account archive:3",
    ]);
  });

  test("one that cannot be recorded is told so, and it is over with the next report of the same site", async () => {
    const { report, store } = ground();
    store.raw.run(
      "CREATE TRIGGER broken BEFORE INSERT ON health_state BEGIN SELECT RAISE(ABORT, 'the recorder is broken'); END",
    );
    expect(await report(at("2026-11-19", 0, { ...FAILED }))).toBe(false);
    expect(listMonitoringFailures(store.db)).toMatchObject([
      {
        kind: "recorder",
        asset: "harbor.example",
        source: "search-console",
        subject: "search-console.archive",
      },
    ]);
    store.raw.run("DROP TRIGGER broken");
    expect(await report(at("2026-11-18", 1))).toBe(true);
    expect(listMonitoringFailures(store.db)).toEqual([]);
  });
});
