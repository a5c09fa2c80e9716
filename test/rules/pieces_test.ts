import { expect, test } from "bun:test";
import fc from "fast-check";
import type { UtcDay } from "../../src/base/time.ts";
import type { JudgedMetric, JudgedReport } from "../../src/rules/report_rules.ts";
import { PIECE_WEIGHT, type Piece, piecesOf } from "../../src/rules/rules.ts";

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

const weigh = ({ metrics }: Piece) =>
  metrics.reduce((sum, { passed }) => sum + (passed === undefined ? 1 : 11), 0);

test("a report of 200 metrics that all raise something is recorded in pieces that are each bounded", () => {
  const pieces = piecesOf(report(1, Array<boolean>(200).fill(true)));
  expect(pieces).toHaveLength(20);
  for (const piece of pieces) expect(weigh(piece)).toBeLessThanOrEqual(PIECE_WEIGHT);
});

test("whatever is judged is recorded once, in order, with one end, and never too much at once", () => {
  const metrics = fc.array(fc.boolean(), { maxLength: 120 });
  fc.assert(
    fc.property(metrics, fc.integer({ min: 0, max: 50 }), (made, from) => {
      const judged = report(1, made, from);
      const pieces = piecesOf(judged);
      expect(pieces.flatMap((piece) => piece.metrics)).toEqual([...judged.metrics]);
      expect(pieces.map(({ isLast }) => isLast)).toEqual(
        pieces.map((_, place) => place === pieces.length - 1),
      );
      let next = from;
      for (const piece of pieces) {
        expect(weigh(piece)).toBeLessThanOrEqual(PIECE_WEIGHT);
        expect(piece.from).toBe(next);
        next += piece.metrics.length;
      }
    }),
  );
});

test("a report that fits into one write is not taken apart", () => {
  expect(piecesOf(report(1, Array(90).fill(false)))).toHaveLength(1);
  expect(piecesOf(report(1, []))).toHaveLength(1);
});
