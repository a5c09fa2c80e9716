/** What attempts to get reports came to, as health keeps it: a row for what failed, none for what never did. */

import { describe, expect, test } from "bun:test";
import { type NewReport, recordReport } from "../../src/archive/manifest.ts";
import { recordReportHealth, reportKey } from "../../src/archive/report_health.ts";
import { dayNumber, type UtcDay } from "../../src/base/time.ts";
import { archiveScope } from "../../src/health/health.ts";
import { listMonitoringFailures } from "../../src/health/monitoring.ts";
import { findEvidence, listHealthEvents } from "../../src/health/state_store.ts";
import { Writer } from "../../src/store/writer.ts";
import { reportOf } from "../support/archive.ts";
import { testStore } from "../support/database.ts";

const NOW = Date.parse("2026-11-20T12:15:30Z");
const HOUR = 3_600_000;
const day = (text: string) => dayNumber(text as UtcDay);

const PROPERTY = {
  asset: "harbor.example",
  provider: "search-console",
  connectionRevision: "0199-first",
  property: "https://harbor.example/",
} as const;
const PAGE = { ...PROPERTY, family: "page" };
const CRAWL = { ...PROPERTY, provider: "webmaster-tools", family: "crawl-stats" } as const;

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

/** What attempts came to, one after the other: at which date, how many hours after now, and what else is said of each. */
type Story = readonly (readonly [
  date: string,
  hours: number,
  more?: Partial<NewReport>,
  isOfAccount?: true,
])[];
const ok = (outcome: NewReport["outcome"]) => ({ outcome });
const crawl = (family: string) => ({ target: { ...CRAWL, family } });
const STORIES: Readonly<Record<string, Story>> = {
  "a report that never failed leaves no row, whatever it came to": (
    ["stored", "unchanged", "empty", "source_lag"] as const
  ).map((outcome) => ["2026-11-19", 0, ok(outcome)]),
  "a failure is a row with an event, and so is what ends it; what follows is kept": [
    ["2026-11-19", 0, FAILED],
    ["2026-11-18", 0],
    ["2026-11-19", 24, { outcome: "incomplete", category: "incomplete_report" }],
    ["2026-11-19", 48],
    ["2026-11-19", 72, ok("unchanged")],
  ],
  "the first failure after good reports keeps when it was last good; one that began before it was is no news":
    [
      ["2026-11-19", 0],
      ["2026-11-19", 24, FAILED],
      ["2026-11-18", 0],
      ["2026-11-18", -24, { ...FAILED, tookMs: 25 * HOUR }],
    ],
  "a date that its provider does not have yet makes good what failed, and covers nothing": [
    ["2026-11-19", 0, FAILED],
    ["2026-11-19", 24, ok("source_lag")],
  ],
  "what is kept of a moment is made good by the next report of it; what is of a day only by its own": [
    ...(
      [
        ["2026-11-19", -24],
        ["2026-11-20", 0],
      ] as const
    ).flatMap(
      ([date, hours]): Story => [
        [date, hours, { ...crawl("crawl-stats"), ...FAILED }],
        [date, hours, { ...crawl("feeds"), ...FAILED }],
        [date, hours, FAILED],
      ],
    ),
    ["2026-11-21", 24, crawl("crawl-stats")],
    ["2026-11-21", 24],
  ],
  "what fails for the whole account is told of it, and over with the next report of any site": [
    ["2026-11-19", 0, { ...FAILED, category: "access" }, true],
    ["2026-11-18", 0, { ...FAILED, category: "access" }],
    ["2026-11-19", 24, { target: { ...PAGE, asset: "quay.example", property: "sc-domain:quay" } }],
  ],
};

describe("the health of reports", () => {
  test.each(Object.entries(STORIES))("%s; recorded", async (_, story) => {
    const { store, report, events } = ground();
    for (const [date, hours, more, isOfAccount] of story)
      expect(await report(at(date, hours, more), isOfAccount)).toBe(true);
    const scopeOf = ({ family, ...of }: NewReport["target"], date: string) => ({
      ...archiveScope("default", of),
      family: reportKey(family, day(date)),
    });
    const account = archiveScope("default", { ...PROPERTY, asset: "", property: "" });
    const rows = new Map<string, unknown>();
    for (const [date, , { target = PAGE } = {}] of story) {
      rows.set(`${target.family} ${date}`, findEvidence(store.db, scopeOf(target, date)) ?? "no row");
    }
    expect({ rows, account: findEvidence(store.db, account), events: events() }).toMatchSnapshot();
  });

  test("one that cannot be recorded is told so, and it is over with the next report of the same site", async () => {
    const { report, store } = ground();
    store.raw.run(
      "CREATE TRIGGER broken BEFORE INSERT ON health_state BEGIN SELECT RAISE(ABORT, 'the recorder is broken'); END",
    );
    expect(await report(at("2026-11-19", 0, { ...FAILED }))).toBe(false);
    expect(listMonitoringFailures(store.db)).toMatchSnapshot();
    store.raw.run("DROP TRIGGER broken");
    expect(await report(at("2026-11-18", 1))).toBe(true);
    expect(listMonitoringFailures(store.db)).toStrictEqual([]);
  });
});
