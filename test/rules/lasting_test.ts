import { beforeEach, describe, expect, test } from "bun:test";
import type { AssetId } from "../../src/base/contract.ts";
import { addDays, startOfDay, type UtcDay } from "../../src/base/time.ts";
import { listChainedFlags } from "../../src/flags/queries.ts";
import { evaluateFlow } from "../../src/rules/flow.ts";
import { evaluateMetric, lastingRules } from "../../src/rules/flow_inputs.ts";
import type { FlowSeries } from "../../src/rules/flow_series.ts";
import { evaluateLasting, type TestedLasting } from "../../src/rules/lasting.ts";
import { recordLasting } from "../../src/rules/report_rules.ts";
import type { FlowThresholds } from "../../src/sites/thresholds.ts";
import { testGround } from "../support/deps.ts";
import { daysBefore, historyOf, TESTED_DAY } from "../support/flow_history.ts";
import { fresh } from "../support/fresh.ts";
import { accept, followerOn, sendNights } from "../support/nightly.ts";
import { expectWholeFlags } from "../support/read_models.ts";
import { DEFAULT_FLOW_THRESHOLDS } from "../support/thresholds.ts";

const FIXED_1 = { ...DEFAULT_FLOW_THRESHOLDS, dispersion: 1 };

/** So many a day in the last 28 days, so many before. */
const changed =
  (now: number, before: number) =>
  (back: number): number =>
    back < 28 ? now : before;

const verdictOf = (series: FlowSeries, thresholds: FlowThresholds = FIXED_1) =>
  evaluateLasting(series, TESTED_DAY, thresholds);

function tested(series: FlowSeries, thresholds: FlowThresholds = FIXED_1): TestedLasting {
  const verdict = verdictOf(series, thresholds);
  if (verdict.outcome !== "tested") throw new Error(verdict.reason);
  return verdict;
}

describe("a lasting change", () => {
  test("is flagged beyond 3.5 standard errors, stays beyond 1.64 and is over within them, on its own side", () => {
    const declined = tested(historyOf(130, changed(90, 100)));
    expect(declined).toMatchObject({ trend: "decline", state: "fires", yearAgo: null });
    expect(declined.z).toBeCloseTo(-10 / Math.sqrt(95 / 14), 12);
    expect(declined.moved).toEqual({ since: daysBefore(27), level: 90, before: 100 });
    expect(tested(historyOf(130, changed(91, 100)))).toMatchObject({ trend: "decline", state: "stays" });
    expect(tested(historyOf(130, changed(96, 100)))).toMatchObject({ trend: "decline", state: "over" });
    expect(tested(historyOf(130, changed(100, 90)))).toMatchObject({ trend: "growth", state: "fires" });
    expect(tested(historyOf(130, changed(90, 100)), { ...FIXED_1, dispersion: 1.25 })).toMatchObject({
      state: "stays",
    });
  });

  test("that the level came back from is none: a fall is never told as a rise", () => {
    const fallen = (since: number) => (back: number) => (back < since ? 115 : back < 24 ? 60 : 100);
    expect(tested(historyOf(130, fallen(10)))).toMatchObject({ trend: "decline", state: "stays" });
    expect(tested(historyOf(130, fallen(3)))).toMatchObject({ state: "fires", moved: { before: 100 } });
  });

  test("is no flag where the same weeks did the same a year ago, and is one where it is more than theirs", () => {
    const yearly = (then: number) => (back: number) =>
      back < 28 || (back >= 364 && back < 392) ? then : 100;
    expect(tested(historyOf(500, yearly(80)))).toMatchObject({ trend: "decline", state: "over" });
    expect(tested(historyOf(500, (back) => (back < 28 ? 80 : yearly(110)(back))))).toMatchObject({
      state: "fires",
      yearAgo: { expected: 110 },
    });
    // Somewhat more than theirs opens nothing, and resolves nothing.
    expect(tested(historyOf(500, (back) => (back < 28 ? 77 : yearly(80)(back)))).state).toBe("stays");
    // Without the earlier of the two windows a year ago nothing is known of the season.
    expect(tested(historyOf(405, yearly(80)))).toMatchObject({ state: "fires", yearAgo: null });
  });

  test("for a metric where more is worse a growth warns and a decline informs", () => {
    const said = (series: FlowSeries, negative: boolean) => {
      const thresholds = { ...FIXED_1, negative };
      const verdict = evaluateMetric(series, TESTED_DAY, thresholds);
      const [first] = lastingRules({ source: "pulse", metric: "m" }, verdict, thresholds).filter(
        ({ state }) => state === "fires",
      );
      return `${first?.rule} ${first?.severity} ${first?.kind}`;
    };
    const [down, up] = [historyOf(130, changed(50, 100)), historyOf(130, changed(100, 50))];
    expect([said(down, false), said(up, false), said(down, true), said(up, true)]).toMatchSnapshot();
  });
});

test("a day's flag after the level moved says since when, once the days it is compared with lie on both sides", () => {
  const moved = (ago: number) => {
    const series = historyOf(130, (back) => (back < ago ? 250 + (back % 2) : 520));
    const verdict = evaluateFlow(series, TESTED_DAY, DEFAULT_FLOW_THRESHOLDS);
    return verdict.outcome === "tested" && verdict.fires === "drop" ? verdict.moved : null;
  };
  expect(moved(17)).toMatchObject({ since: daysBefore(16), before: 520 });
  expect(moved(7)).toBeUndefined();
  expect(moved(1)).toBeUndefined();
});

describe("nights as they come", () => {
  const LAST = "2026-02-28" as UtcDay;
  const ground = fresh(testGround, expectWholeFlags);
  beforeEach(async () => {
    await sendNights(ground, "harbor", { last: LAST, days: 60 }, () => ({
      metrics: { visits: { last24h: 400 } },
    }));
    await followerOn(ground).settle();
  });

  async function night(after: number, count: number) {
    const day = addDays(LAST, after);
    ground.clock.advance(startOfDay(day) + 3 * 3_600_000 - ground.clock.now());
    await accept(ground, {
      asset: "harbor",
      generatedAt: `${day}T03:00:00Z`,
      metrics: { visits: { last24h: count } },
    });
    await followerOn(ground).settle();
  }

  const lasting = () =>
    listChainedFlags(ground.store.db, { asset: "harbor" }, 999).filter(
      ({ rule }) => rule === "flow-decline" || rule === "flow-growth",
    );
  const declines = () => lasting().filter(({ rule }) => rule === "flow-decline");

  test("a decline is one flag from when it is known to when it has ended, beside the flags of its days", async () => {
    for (let after = 1; after <= 120; after++)
      await night(after, Math.round(400 * 0.95 ** (Math.min(after, 70) / 7)));
    const [flag, ...others] = declines();
    expect(others).toStrictEqual([]);
    expect(flag).toMatchObject({ severity: "warn", kind: "anomaly", metric: "visits", subject: "visits" });
    const raised = flag?.raised_at.slice(0, 10) ?? "";
    expect(raised > "2026-03-10" && raised < "2026-04-05").toBeTrue();
    expect(flag).toMatchObject({ status: "resolved", resolution: "cleared" });
    // Its level stays the one of before it began, and its level of now is the latest.
    const inputs = flag?.rule_inputs ?? {};
    expect(Number(inputs["level_before"])).toBeGreaterThan(385);
    expect(flag?.message).toMatch(
      /^Visits down \d\d% since \d+ Mar \(now about 2[34]\d a day, before about \d{3}\), may be seasonal$/,
    );
    const flows = listChainedFlags(ground.store.db, { asset: "harbor" }, 999);
    expect(flows.some(({ rule }) => rule === "flow-drop")).toBeTrue();
  });
});

test("an open flag keeps its first day and the level before it from when these are known", async () => {
  const { store, writer, ids } = await testGround();
  const told: unknown[] = [];
  for (const [since, level_before, since_known] of [
    ["2026-02-01", 100, false],
    ["2026-02-03", 98, true],
    ["2026-02-09", 90, true],
  ] as const) {
    const inputs = { level: 80, level_before, direction: "decline", lasting_percent: 5, since, since_known };
    const rule = {
      rule: "flow-decline",
      source: "pulse",
      metric: "orders",
      severity: "warn",
      kind: "anomaly",
    } as const;
    await writer.write((tx) =>
      recordLasting(tx, "harbor" as AssetId, [{ ...rule, state: "fires", inputs }], {
        now: 7,
        newId: () => ids.uuid(),
      }),
    );
    const [flag, ...others] = listChainedFlags(store.db, { asset: "harbor" }, 9);
    expect(others).toStrictEqual([]);
    told.push([flag?.rule_inputs?.["since"], flag?.rule_inputs?.["level_before"]]);
  }
  expect(told).toMatchSnapshot();
});
