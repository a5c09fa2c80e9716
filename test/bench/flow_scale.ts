/** CPU of the flow rules by number of series, by length of history and for a preview, in milliseconds. */

import { previewFlow } from "../../src/flow/preview.ts";
import { evaluateFlow } from "../../src/flow/rule.ts";
import { FINAL, type FlowSeries } from "../../src/flow/series.ts";
import { addDays, type UtcDay } from "../../src/lib/utc_day.ts";
import { randomCount, seeded } from "../support/random_counts.ts";
import { DEFAULT_FLOW_THRESHOLDS } from "../support/thresholds.ts";

const LAST = "2026-11-18" as UtcDay;
const LAST_NUMBER = Date.parse(`${LAST}T00:00:00Z`) / 86_400_000;
const ROUNDS = 3;

/** A portfolio's mixture: quiet, ordinary and busy metrics, from steady to three times a Poisson count's variance. */
function portfolio(series: number, days: number): FlowSeries[] {
  const random = seeded(series + days);
  return Array.from({ length: series }, () => {
    const mean = 10 ** (random() * 4 - 1);
    const dispersion = 1 + 2 * random();
    const counts = Float64Array.from({ length: days }, () => randomCount(random, mean, dispersion));
    return { firstDay: LAST_NUMBER - days + 1, counts, states: new Uint8Array(days).fill(FINAL) };
  });
}

/** CPU milliseconds of the fastest of a few rounds. */
function fastest(work: () => void): number {
  let best = Number.POSITIVE_INFINITY;
  for (let round = 0; round < ROUNDS; round++) {
    const before = process.cpuUsage();
    work();
    const used = process.cpuUsage(before);
    best = Math.min(best, (used.user + used.system) / 1_000);
  }
  return best;
}

/** Runs and prints. */
export function runFlowScale(print: (line: string) => void = console.log): void {
  print(
    "flow rules, one evaluation of every series (goal: 250 ms for 10,000; linear in series, flat in history)",
  );
  for (const [series, days] of [
    [1_000, 97],
    [10_000, 90],
    [10_000, 97],
    [10_000, 365],
    [10_000, 1_095],
  ] as const) {
    const all = portfolio(series, days);
    const outcome = { tested: 0, raised: 0 };
    const cost = fastest(() => {
      outcome.tested = 0;
      outcome.raised = 0;
      for (const one of all) {
        const verdict = evaluateFlow(one, LAST, DEFAULT_FLOW_THRESHOLDS);
        if (verdict.outcome !== "tested") continue;
        outcome.tested++;
        if (verdict.fires !== null) outcome.raised++;
      }
    });
    const each = ((1_000 * cost) / series).toFixed(1);
    print(
      `${String(series).padStart(7)} series x ${String(days).padStart(5)} days ${cost.toFixed(0).padStart(6)} ms  ${each.padStart(5)} us each  ${outcome.tested} tested, ${outcome.raised} raised`,
    );
  }
  const [one] = portfolio(1, 365);
  if (one === undefined) return;
  const preview = fastest(() => previewFlow(one, DEFAULT_FLOW_THRESHOLDS, addDays(LAST, -89), LAST));
  print(`preview of one metric over 90 days ${preview.toFixed(2)} ms`);
}

if (import.meta.main) runFlowScale();
