/** What the rules find in series of all sizes, with falls, rises, gaps and days that do not count, recorded (`test/support/mixtures.ts`). */

import { test } from "bun:test";
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
