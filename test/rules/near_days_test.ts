import { expect, test } from "bun:test";
import { dayOfNumber } from "../../src/base/time.ts";
import { addSeries, putDays, readBlocks } from "../../src/reports/series.ts";
import { stretchOf } from "../../src/reports/series_days.ts";
import { evaluateMetric } from "../../src/rules/flow_inputs.ts";
import { trimmed } from "../../src/rules/flow_series.ts";
import { evaluateReport, HISTORY_DAYS } from "../../src/rules/report_rules.ts";
import { testGround } from "../support/deps.ts";
import { wavering } from "../support/nightly.ts";
import { DEFAULT_FLOW_THRESHOLDS } from "../support/thresholds.ts";

const TODAY = 20_400;
const LENGTHS = [1, 33, 120, 149, 155, 161, 170, 300, 489, 700];
/** What is expected of a day so long ago; null where the site was silent. */
const SHAPES: readonly ((back: number) => number | null)[] = [
  () => 40,
  (back) => 200 * (1 + 0.5 * Math.sin((back / 364) * 2 * Math.PI)),
  (back) => (back < 20 ? 60 : 120),
  (back) => (back >= 100 && back < 165 ? null : 40),
  (back) => (back < 60 ? null : 40),
];

test("a series is judged on the last days as on its whole history, however long that is and whatever it was", async () => {
  const ground = await testGround();
  const metrics = LENGTHS.flatMap((length) => SHAPES.map((shape, place) => ({ length, shape, place })));
  const ids = await ground.writer.write((tx) =>
    metrics.map(({ length, shape, place }) => {
      const id = addSeries(tx, { asset: "harbor", source: "pulse", metric: `m${length}.${place}` }, TODAY);
      const days = Array.from({ length }, (_, at) => length - 1 - at).flatMap((back) => {
        const mean = shape(back);
        // The total was once 50,000 and began again: what it passes now it passed long ago.
        const total = back > 200 ? 50_000 : back === 0 ? 1_100 : 990 - back;
        const value = mean === null ? 0 : wavering(mean, back, place + 1);
        const to = { state: "final", basis: "reported", value, total } as const;
        return mean === null ? [] : [{ day: TODAY - back, to }];
      });
      putDays(tx, id, days);
      return id;
    }),
  );
  const { db } = ground.store;
  const at = TODAY * 86_400_000 + 3_600_000;
  const date = dayOfNumber(TODAY);
  const report = { id: 1, asset: "harbor", date, revision: 1, receivedAt: at, generatedAt: at, body: "" };
  const deps = { thresholdsOf: () => DEFAULT_FLOW_THRESHOLDS, isJudgedElsewhere: () => false };
  const told = metrics.map(
    ({ length, place }) =>
      [`m${length}.${place}`, { last24h: 1, ...(place === 0 && { total: 1_100 }) }] as const,
  );
  const judged = [...evaluateReport(db, deps, report, told)];
  for (const [place, { metric, judged: one, passed }] of judged.entries()) {
    const [from, to] = [TODAY - HISTORY_DAYS, TODAY];
    const whole = stretchOf(readBlocks(db, ids[place] ?? 0, from, to), from, to);
    const series = trimmed({ ...whole, counts: whole.values });
    const verdict = evaluateMetric(series, one?.day ?? date, DEFAULT_FLOW_THRESHOLDS);
    expect({ metric, verdict: one?.verdict }).toEqual({ metric, verdict });
    const highest = Math.max(...whole.totals.slice(0, -1).filter((total) => !Number.isNaN(total)));
    const passes = metric.endsWith(".0") && highest >= 0 && highest < 1_000;
    expect(passed?.milestone).toBe(passes ? 1_000 : undefined);
  }
  ground.store.close();
});
