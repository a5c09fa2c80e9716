import { afterEach, beforeEach, expect, test } from "bun:test";
import fc from "fast-check";
import { addDays, daysBetween, parseUtcDay, type UtcDay } from "../../src/base/time.ts";
import { listFlags } from "../../src/flags/queries.ts";
import {
  findLatest,
  findReport,
  listLastReports,
  listLatestMeasures,
  listReports,
} from "../../src/reports/codebase.ts";
import type { CodebaseReport, Measures } from "../../src/reports/measures.ts";
import { instant } from "../support/clock.ts";
import { type TestGround, testGround } from "../support/deps.ts";
import { codebaseReport } from "../support/make/codebase_report.ts";
import { acceptCodebase } from "../support/nightly.ts";
import { flagFaults } from "../support/read_models.ts";

let ground: TestGround;
beforeEach(async () => {
  ground = await testGround();
});
afterEach(() => ground.store.close());

/** After everything these tests send. */
const NOW = instant("2030-01-01T00:00:00Z");

function send(day: string, measures: Measures, asset = "harbor", more: Partial<CodebaseReport> = {}) {
  const report = codebaseReport({
    asset,
    generatedAt: day.includes("T") ? day : `${day}T02:30:00Z`,
    measures,
    ...more,
  });
  return acceptCodebase(ground, report, instant("2026-06-01T00:00:00Z"));
}

const openRules = (asset = "harbor") =>
  listFlags(ground.store.db, { asset, status: "open" }, 100)
    .map(({ rule }) => rule)
    .sort();

const rulesOf = (changed: readonly { readonly rule: string }[]) => changed.map(({ rule }) => rule);

const FIRING: Measures = { duplication_percent: 9, unused_files: 20, vulnerable_dependencies: 2 };
const LEFT_OUT = { notes: { complex_functions: "1 file not parsed: src/huge.ts" } };
type Sent = Parameters<typeof send>;

/** What is sent; what each report comes to, and which flags stand, is recorded. */
const STORIES: Readonly<Record<string, readonly Sent[]>> = {
  "the day is that of generatedAt in UTC, from the first year on (spec, Measures 5)": [
    ["2026-03-01T23:30:00-02:00", {}],
    ["2026-03-01T01:30:00+02:00", {}],
    ["2026-03-01T23:59:59.999999999Z", {}],
    ["0001-01-01T00:00:00Z", { code_lines: 1 }],
  ],
  "a rule that fires raises one open flag with its inputs": [["2026-03-01", { duplication_percent: 9 }]],
  "a rule first resolves its own open flag, then raises a new one": [
    ["2026-03-01", FIRING],
    ["2026-03-02", FIRING],
  ],
  "what a report says beside its count is read by the rules, today's report and one for an older day alike": [
    ["2026-03-01", { complex_functions: 10 }, "harbor", LEFT_OUT],
    ["2026-03-31", { complex_functions: 40 }],
    ["2026-03-01", { complex_functions: 10 }],
  ],
  "a rule that no longer fires resolves, one whose input is absent does neither, another site's flags stay": [
    ["2026-03-01", FIRING],
    ["2026-03-01", { duplication_percent: 0, unused_files: 0 }, "orchard"],
    ["2026-03-02", { duplication_percent: 1, vulnerable_dependencies: 0 }],
  ],
  "growth and complexity are judged against the comparison report": [
    ["2026-03-01", { code_lines: 1_000, complex_functions: 0 }],
    ["2026-03-01", { code_lines: 2_000, complex_functions: 1 }],
    ["2026-03-15", { code_lines: 9_000, complex_functions: 50 }],
    ["2026-03-31", { code_lines: 2_500, complex_functions: 6 }],
  ],
  "a comparison report that lacks the measure is not exchanged for another": [
    ["2026-02-28", { code_lines: 1_000 }],
    ["2026-03-01", {}],
    ["2026-03-31", { code_lines: 9_000 }],
  ],
  "a report for an older day is stored there, and the rules judge the latest one anew (decisions 3)": [
    ["2026-03-31", { code_lines: 5_000, duplication_percent: 1 }],
    ["2026-03-01", { code_lines: 1_000, duplication_percent: 90 }],
  ],
};

test.each(Object.entries(STORIES))("%s; recorded", async (_, reports) => {
  const came: unknown[] = [];
  for (const report of reports) {
    const { date, revision, comparison, alerts } = await send(...report);
    const [raised, resolved] = [rulesOf(alerts.raised), rulesOf(alerts.resolved)];
    came.push({ date, revision, comparison, raised, resolved, open: openRules() });
  }
  const flags = listFlags(ground.store.db, {}, 99).map(({ id: _id, renews: _renews, ...flag }) => flag);
  expect({ came, notes: findLatest(ground.store.db, "harbor", NOW)?.notes, flags }).toMatchSnapshot();
});

test("reports of one commit that share a day get different revisions", async () => {
  const accepted = await Promise.all(Array.from({ length: 20 }, () => send("2026-03-01", {})));
  expect(accepted.map(({ revision }) => revision)).toEqual(Array.from({ length: 20 }, (_, i) => i + 1));
});

test("any order of reports leaves at most one open flag per rule, unbroken revisions and flags that match their records (property)", async () => {
  const report = fc.record({
    day: fc.integer({ min: 0, max: 60 }),
    asset: fc.constantFrom("harbor", "orchard"),
    measures: fc.record(
      {
        code_lines: fc.constantFrom(0, 1_000, 1_500, 9_000),
        duplication_percent: fc.constantFrom(0, 7.9, 8, 40),
        unused_files: fc.constantFrom(0, 10),
        complex_functions: fc.constantFrom(0, 5, 20),
        vulnerable_dependencies: fc.constantFrom(0, 1),
      },
      { requiredKeys: [] },
    ),
  });
  const first = parseUtcDay("2026-03-01") as UtcDay;
  await fc.assert(
    fc.asyncProperty(fc.array(report, { minLength: 1, maxLength: 15 }), async (reports) => {
      const before = ground;
      ground = await testGround();
      try {
        for (const [place, { day, asset, measures }] of reports.entries()) {
          const accepted = await send(addDays(first, day), measures, asset);
          const earlier = reports.slice(0, place).filter((one) => one.asset === asset && one.day === day);
          expect(accepted.revision).toBe(earlier.length + 1);
          const latest = findLatest(ground.store.db, asset, NOW);
          const days = listReports(ground.store.db, { asset, allRevisions: false }, 100);
          expect(days[0]?.date).toBe(latest?.date as UtcDay);
          const best = days
            .map(({ date }) => ({ date, age: daysBetween(date, latest?.date as UtcDay) }))
            .filter(({ age }) => age >= 28 && age <= 45)
            .sort((a, b) => Math.abs(a.age - 30) - Math.abs(b.age - 30) || b.age - a.age)[0];
          expect(accepted.comparison?.date).toBe(best?.date as UtcDay);
          const open = openRules(asset);
          expect(new Set(open).size).toBe(open.length);
          expect(findReport(ground.store.db, asset, accepted.date, accepted.revision)?.measures).toEqual(
            measures,
          );
        }
        expect(flagFaults(ground.store.db)).toStrictEqual([]);
      } finally {
        ground.store.close();
        ground = before;
      }
    }),
    { numRuns: 40 },
  );
});

test("the last report of each site is of a day up to the one that is named, whenever it came", async () => {
  const send = (day: string, receivedAt: number) =>
    acceptCodebase(ground, codebaseReport({ generatedAt: `${day}T02:30:00Z` }), receivedAt);
  const [first, second, ahead] = ["2026-03-01", "2026-03-02", "2026-03-09"] as const;
  await send(first, 10);
  await send(second, 20);
  await send(first, 30);
  await send(ahead, 40);
  const last = (newest: string) => listLastReports(ground.store.db, ["harbor", "orchard"], newest as UtcDay);
  expect(last(second)).toEqual([{ asset: "harbor", date: second as UtcDay, receivedAt: 30 }]);
  expect(last("2026-02-28")).toStrictEqual([]);
  expect(last(ahead)).toMatchObject([{ date: ahead, receivedAt: 40 }]);
});

test("the latest measure of each site is the one of its newest report, and none where that has none", async () => {
  const { db } = ground.store;
  const latest = () => listLatestMeasures(db, ["harbor", "orchard"], "code_lines", NOW);
  await acceptCodebase(
    ground,
    codebaseReport({ generatedAt: "2026-03-02T02:30:00Z", measures: { code_lines: 7 } }),
  );
  await acceptCodebase(
    ground,
    codebaseReport({ generatedAt: "2026-03-01T02:30:00Z", measures: { code_lines: 5 } }),
  );
  expect(latest()).toMatchObject([{ asset: "harbor", date: "2026-03-02", value: 7 }]);
  await acceptCodebase(ground, codebaseReport({ generatedAt: "2026-03-02T03:30:00Z" }));
  expect(latest()).toMatchObject([{ asset: "harbor", date: "2026-03-02", value: undefined }]);
});
