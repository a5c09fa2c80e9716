import { describe, expect, test } from "bun:test";
import { replayMetric } from "../../../src/tower/settings/tune.tsx";
import { daysBefore, historyOf, TESTED_DAY } from "../../support/flow_history.ts";
import { DEFAULT_FLOW_THRESHOLDS } from "../../support/thresholds.ts";

const STOPS = historyOf(150, (back) => (back === 3 || back === 40 ? 0 : 30));

describe("a metric over its stored days", () => {
  test("each stored day is judged as it would have been, and a day with a flag counts once", () => {
    const { raised, figures } = replayMetric(STOPS, DEFAULT_FLOW_THRESHOLDS, TESTED_DAY);
    expect(raised).toEqual([
      { day: daysBefore(40), words: expect.stringMatching(/^drop: 0 seen, /) },
      { day: daysBefore(3), words: expect.stringMatching(/^drop: 0 seen, /) },
    ]);
    expect(figures).toMatchSnapshot();
  });

  test("percent-drop counts only where the flow test is silent (decided: it speaks only where no flow flag is open)", () => {
    const halved = historyOf(150, (back) => (back < 7 ? 40 : 100));
    const wide = { ...DEFAULT_FLOW_THRESHOLDS, dispersion: 100 };
    const { raised } = replayMetric(halved, wide, TESTED_DAY);
    const isPercent = ({ words }: { readonly words: string }) => /percent.* in 7 days$/.test(words);
    expect(raised.some(isPercent)).toBe(true);
    expect(new Set(raised.map(({ day }) => day)).size).toBe(raised.length);
    const bare = replayMetric(halved, { ...wide, dispersion: 1 }, TESTED_DAY);
    expect(bare.raised.some(isPercent)).toBe(false);
  });
});
