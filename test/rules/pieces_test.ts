import { expect, test } from "bun:test";
import fc from "fast-check";
import type { UtcDay } from "../../src/base/time.ts";
import type { JudgedMetric, JudgedReport } from "../../src/rules/report_rules.ts";
import { PACK_WEIGHT, type Piece, packsOf } from "../../src/rules/report_worker.ts";

const metric = (name: string, passed: boolean): JudgedMetric => ({
  metric: name,
  judged: undefined,
  passed: passed ? { milestone: 1_000, total: 1_000 } : undefined,
});

function report(id: number, metrics: readonly boolean[], from = 0): JudgedReport {
  const date = "2026-03-01" as UtcDay;
  return {
    report: { id, asset: `site-${id}`, date, revision: 1, receivedAt: 0, generatedAt: 0, body: "" },
    from,
    metrics: metrics.map((passed, place) => metric(`${id}.${place}`, passed)),
  };
}

const weigh = (pack: readonly Piece[]) =>
  pack
    .flatMap(({ metrics }) => metrics)
    .reduce((sum, { passed }) => sum + (passed === undefined ? 1 : 11), 0);

test("a report of 200 metrics that all raise something is recorded in pieces that are each bounded", () => {
  const packs = packsOf([
    report(
      1,
      Array.from({ length: 200 }, () => true),
    ),
  ]);
  expect(packs).toHaveLength(20);
  for (const pack of packs) expect(weigh(pack)).toBeLessThanOrEqual(PACK_WEIGHT);
});

test("whatever is judged is recorded once, in order, with one end for each report, and never too much at once", () => {
  const reports = fc.array(
    fc.tuple(fc.array(fc.boolean(), { maxLength: 120 }), fc.integer({ min: 0, max: 50 })),
    { maxLength: 12 },
  );
  fc.assert(
    fc.property(reports, (made) => {
      const judged = made.map(([metrics, from], place) => report(place + 1, metrics, from));
      const packs = packsOf(judged);
      for (const pack of packs) expect(weigh(pack)).toBeLessThanOrEqual(PACK_WEIGHT);
      for (const { report: of, from, metrics } of judged) {
        const pieces = packs.flat().filter((piece) => piece.report.id === of.id);
        expect(pieces.flatMap((piece) => piece.metrics)).toEqual([...metrics]);
        expect(pieces.map(({ isLast }) => isLast)).toEqual(
          pieces.map((_, place) => place === pieces.length - 1),
        );
        let next = from;
        for (const piece of pieces) {
          expect(piece.from).toBe(next);
          next += piece.metrics.length;
        }
      }
    }),
  );
});

test("a report that fits into one transaction is not taken apart", () => {
  const packs = packsOf([report(1, Array(90).fill(false)), report(2, Array(90).fill(false))]);
  expect(packs.map((pack) => pack.map(({ metrics }) => metrics.length))).toEqual([[90], [90]]);
});
