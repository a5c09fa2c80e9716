import { describe, expect, test } from "bun:test";
import type { UtcDay } from "../../src/base/time.ts";
import { performAct } from "../../src/flags/acts.ts";
import { listFlags } from "../../src/flags/queries.ts";
import { addTally, calibrationOf, countSpreads, listSpreads, sumTallies } from "../../src/rules/verdicts.ts";
import { operatorDeps } from "../support/operators.ts";
import { judgeNightly, sendNightly } from "../support/send_nightly.ts";
import { DEFAULT_FLOW_THRESHOLDS } from "../support/thresholds.ts";

const TODAY = "2026-03-01" as UtcDay;

/** Forty steady days, and a full stop on the last: judged today. */
async function withHistory() {
  const deps = operatorDeps();
  deps.clock.at("2026-03-01T12:00:00Z");
  await sendNightly(deps, "shop", TODAY, 40, {
    signups: (back) => (back === 0 ? 0 : 40),
    refunds: (back) => (back % 9 === 0 ? 1 : 0),
  });
  await judgeNightly(deps, () => DEFAULT_FLOW_THRESHOLDS);
  return deps;
}

describe("calibration", () => {
  test("with nothing judged every figure is 0", () => {
    const { store } = operatorDeps();
    const spans = calibrationOf(store.db, TODAY);
    expect(spans.map(({ days }) => days)).toEqual([7, 30, 90]);
    expect(spans.map(({ from }) => String(from))).toEqual(["2026-02-23", "2026-01-31", "2025-12-02"]);
    for (const span of spans) {
      expect(span).toMatchObject({ tests: 0, notTested: 0, raised: 0, expected: 0, flags: 0, tuned: 0 });
    }
  });

  test("expected by chance counts both tails of every test that ran (decided: each tail at alpha)", async () => {
    const { store } = await withHistory();
    const [week] = calibrationOf(store.db, TODAY);
    expect(week?.tests).toBeGreaterThan(0);
    expect(week?.expected).toBeCloseTo(2 * 0.01 * (week?.tests ?? 0), 10);
  });

  test("flags raised and tuned flags are those of the span", async () => {
    const deps = await withHistory();
    const { store, writer, clock } = deps;
    const [flag] = listFlags(store.db, { asset: "shop", rule: "flow-drop" }, 1);
    await writer.write((tx) => {
      const by = { name: "ada", id: "operator:ada" };
      performAct(tx, "tune", { id: flag?.id ?? "", by, now: clock.now(), text: "alpha 0.01 to 0.001" });
    });
    const now = calibrationOf(store.db, TODAY);
    expect(now[0]).toMatchObject({ raised: 1, flags: 1, tuned: 1 });
    const weekOf = (day: string) => calibrationOf(store.db, day as UtcDay)[0];
    expect(weekOf("2026-03-07")).toMatchObject({ raised: 1, flags: 1, tuned: 1 });
    expect(weekOf("2026-03-08")).toMatchObject({ raised: 0, flags: 0, tuned: 0 });
    const later = calibrationOf(store.db, "2026-03-20" as UtcDay);
    expect(later[0]).toMatchObject({ tests: 0, raised: 0, flags: 0, tuned: 0 });
    expect(later[1]?.raised).toBe(1);
  });

  test("each metric has its dispersion, widest first, and its reason where it was not tested", async () => {
    const { store } = await withHistory();
    expect(countSpreads(store.db, "")).toBe(2);
    expect(countSpreads(store.db, "SHO")).toBe(2);
    expect(countSpreads(store.db, "other")).toBe(0);
    const rows = listSpreads(store.db, { q: "", limit: 10, offset: 0 });
    expect(rows.map(({ metric }) => metric).sort()).toEqual(["refunds", "signups"]);
    expect(rows.find(({ metric }) => metric === "signups")).toMatchSnapshot();
    expect(rows.find(({ metric }) => metric === "refunds")?.notTested).not.toBeNull();
    expect(listSpreads(store.db, { q: "", limit: 1, offset: 1 })).toHaveLength(1);
  });

  test("a sum over days has what was judged on the last of them since it was read, also on the next day", async () => {
    const { store, writer } = operatorDeps();
    const days = ["2026-02-28", "2026-03-01", "2026-03-02"] as UtcDay[];
    const [first = TODAY, today = TODAY, next = TODAY] = days;
    const judged = (date: UtcDay, tests: number) =>
      writer.write((tx) =>
        addTally(
          tx,
          { date, asset: "shop", source: "pulse" },
          { tests, notTested: 0, raised: 0, expected: 0 },
        ),
      );
    const tests = (on: UtcDay) => sumTallies(store.db, first, on).tests;
    await judged(first, 1);
    await judged(today, 10);
    expect(tests(today)).toBe(11);
    await judged(today, 100);
    expect(tests(today)).toBe(111);
    await judged(next, 1_000);
    expect([tests(next), tests(next)]).toEqual([1_111, 1_111]);
  });
});
