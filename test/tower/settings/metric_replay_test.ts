import { describe, expect, test } from "bun:test";
import { metricTrial, replayMetric } from "../../../src/tower/settings/tune.tsx";
import { daysBefore, historyOf, TESTED_DAY } from "../../support/flow_history.ts";
import { DEFAULT_FLOW_THRESHOLDS } from "../../support/thresholds.ts";

const STOPS = historyOf(150, (back) => (back === 3 || back === 40 ? 0 : 30));

describe("a metric over its stored days", () => {
  test("each stored day is judged as it would have been, and a day with a flag counts once", () => {
    const preview = replayMetric(STOPS, DEFAULT_FLOW_THRESHOLDS, TESTED_DAY);
    expect(preview.raised.map(({ day, rule, count }) => [day, rule, count])).toEqual([
      [daysBefore(40), "flow-drop", 0],
      [daysBefore(3), "flow-drop", 0],
    ]);
    expect(preview.tests).toBe(90);
  });

  test("percent-drop counts only where the flow test is silent (decided: it speaks only where no flow flag is open)", () => {
    const halved = historyOf(150, (back) => (back < 7 ? 40 : 100));
    const wide = { ...DEFAULT_FLOW_THRESHOLDS, dispersion: 100 };
    const raised = replayMetric(halved, wide, TESTED_DAY).raised;
    expect(raised.some(({ rule }) => rule === "percent-drop")).toBe(true);
    const days = raised.map(({ day }) => day);
    expect(new Set(days).size).toBe(days.length);
    const bare = replayMetric(halved, { ...wide, dispersion: 1 }, TESTED_DAY).raised;
    expect(bare.every(({ rule }) => rule !== "percent-drop")).toBe(true);
  });

  test("the sentence says both counts", () => {
    const inEffect = replayMetric(STOPS, DEFAULT_FLOW_THRESHOLDS, TESTED_DAY);
    const stricter = { ...DEFAULT_FLOW_THRESHOLDS, alpha: 1e-12 };
    const proposed = replayMetric(STOPS, { ...stricter, max_window_days: 1 }, TESTED_DAY);
    expect(metricTrial({ inEffect, proposed: undefined }, []).sentences).toEqual([
      "With the thresholds in effect this metric would have raised 2 flags in the 90 days to 18 Nov.",
    ]);
    const change = { name: "alpha", from: 0.01, to: 1e-12 };
    expect(metricTrial({ inEffect, proposed }, [change]).sentences[0]).toContain(
      `With alpha 1e-12 this metric would have raised ${proposed.raised.length} flag`,
    );
  });

  test("the days of both are listed once each, newest first", () => {
    const inEffect = replayMetric(STOPS, DEFAULT_FLOW_THRESHOLDS, TESTED_DAY);
    const proposed = { ...inEffect, raised: inEffect.raised.slice(0, 1) };
    const { history } = metricTrial({ inEffect, proposed }, []);
    expect(history?.lists[0]?.days).toEqual([
      { day: daysBefore(3), inEffect: expect.stringMatching(/^drop: 0 seen, /), proposed: undefined },
      {
        day: daysBefore(40),
        inEffect: expect.stringMatching(/^drop: 0 seen, /),
        proposed: expect.stringMatching(/^drop: 0 seen, /),
      },
    ]);
    expect(history?.figures[0]).toEqual(["Flags", "2", "1"]);
  });
});
