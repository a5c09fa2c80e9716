/** What the rules find in series of all sizes, with falls, rises, gaps and days that do not count, recorded (`test/support/mixtures.ts`). */

import { test } from "bun:test";
import { addDays } from "../../src/base/time.ts";
import { expectedRange } from "../../src/rules/flow.ts";
import { evaluateMetric } from "../../src/rules/flow_inputs.ts";
import { ANY_DAY, anyHistory } from "../support/flow_history.ts";
import { recordEach } from "../support/mixtures.ts";
import { DEFAULT_FLOW_THRESHOLDS } from "../support/thresholds.ts";

test("of 240 series", () => {
  recordEach(
    Array.from({ length: 240 }, (_, seed) => seed + 1),
    (seed) => {
      const thresholds = { ...DEFAULT_FLOW_THRESHOLDS, negative: seed % 3 === 0 };
      const { flow, percentDrop, lasting } = evaluateMetric(anyHistory(seed), ANY_DAY, thresholds);
      return [flow, percentDrop, lasting];
    },
  );
});

test("of 90 series of more than a year, under other thresholds, and the counts that would raise nothing", () => {
  recordEach(
    Array.from({ length: 90 }, (_, seed) => seed + 1),
    (seed) => {
      const of = <T>(...some: readonly [T, ...T[]]): T => some[seed % some.length] ?? some[0];
      const thresholds = {
        ...DEFAULT_FLOW_THRESHOLDS,
        alpha: of(0.01, 0.001, 0.05, 0.2),
        max_window_days: of(14, 5, 30),
        dispersion: of<"measured" | number>("measured", 1, 2.5, "measured", 4),
        percent_drop: { percent: of(40, 10), minimum_count: of(350, 0, 20) },
        lasting_percent: of(10, 0, 30),
        marked_days: seed % 7 === 0 ? [{ name: "Sale", dates: [addDays(ANY_DAY, -of(3, 9, 33, 400))] }] : [],
      };
      const series = anyHistory(seed, 400);
      const { flow, percentDrop, lasting } = evaluateMetric(series, ANY_DAY, thresholds);
      return [flow, percentDrop, lasting, expectedRange(series, ANY_DAY, thresholds)];
    },
  );
});
