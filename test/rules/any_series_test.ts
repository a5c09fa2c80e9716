/** What the rules find in series of all sizes, with falls, rises, gaps and days that do not count, recorded (`test/support/mixtures.ts`). */

import { test } from "bun:test";
import { addDays, type UtcDay } from "../../src/base/time.ts";
import { evaluateMetric } from "../../src/rules/flow_inputs.ts";
import { flowSeries, type Reading } from "../../src/rules/flow_series.ts";
import { recordEach, seeded } from "../support/mixtures.ts";
import { DEFAULT_FLOW_THRESHOLDS } from "../support/thresholds.ts";

const LAST = "2026-03-01" as UtcDay;

/** Days up to the last, oldest first; the seed says how many there are, how large, and what happens on the way. */
function series(seed: number) {
  const next = seeded(seed);
  const length = 20 + Math.floor(next() * 140);
  const mean = 10 ** (next() * 4 - 0.7);
  const change = [1, 1, 0.3, 0, 2.5, 0.8][Math.floor(next() * 6)] ?? 1;
  const since = [1, 2, 7, 20, 40][Math.floor(next() * 5)] ?? 1;
  const holes = [0, 0, 0.03, 0.2][Math.floor(next() * 4)] ?? 0;
  const spread = [0.3, 1, 4][Math.floor(next() * 3)] ?? 1;
  return flowSeries(
    Array.from({ length }, (_, place): readonly [UtcDay, Reading] => {
      const back = length - 1 - place;
      const weekday = back % 7 < 2 ? 0.7 : 1.1;
      const level = mean * weekday * (back < since ? change : 1);
      const value = Math.max(0, Math.round(level + (next() + next() - 1) * 2.4 * Math.sqrt(level) * spread));
      const state = next() >= holes ? "final" : next() < 0.5 ? "missing" : "excluded";
      return [addDays(LAST, -back), { value: state === "final" ? value : undefined, state }];
    }),
  );
}

test("of 240 series", () => {
  recordEach(
    Array.from({ length: 240 }, (_, seed) => seed + 1),
    (seed) => {
      const thresholds = { ...DEFAULT_FLOW_THRESHOLDS, negative: seed % 3 === 0 };
      const { flow, percentDrop, lasting } = evaluateMetric(series(seed), LAST, thresholds);
      return [flow, percentDrop, lasting];
    },
  );
});
