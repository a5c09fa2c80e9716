/**
 * Cuts judged reports into transactions of a few milliseconds each: a write holds up the event loop, and with it every answer. A
 * report that is small enough is recorded whole; a larger one in pieces, each of which says how far the report has come.
 */
import type { JudgedMetric, JudgedReport } from "./judge_report.ts";
import { failureOf } from "./judge_series.ts";

/** Some metrics of a report, recorded in one transaction. */
export interface Piece {
  readonly report: JudgedReport["report"];
  /** Place of the first metric in the report. */
  readonly from: number;
  readonly metrics: readonly JudgedMetric[];
  /** Whether the report ends with it. */
  readonly isLast: boolean;
}

/** Most that one transaction records, about two milliseconds: a verdict weighs 1. */
export const PACK_WEIGHT = 120;
/** What a flag weighs, with its records and its place in every index. */
const FLAG_WEIGHT = 10;
/** What a monitoring failure weighs: its event, and its row among those that last. */
const FAILURE_WEIGHT = 3;

/** The pieces of each transaction, the reports in the order given. */
export function packsOf(judged: readonly JudgedReport[]): Piece[][] {
  const packs: Piece[][] = [];
  let pack: Piece[] = [];
  let room = PACK_WEIGHT;
  const close = () => {
    if (pack.length > 0) packs.push(pack);
    [pack, room] = [[], PACK_WEIGHT];
  };
  for (const { report, from, metrics } of judged) {
    const weights = metrics.map(weightOf);
    const whole = weights.reduce((sum, weight) => sum + weight, 1);
    if (whole > room) close();
    if (whole <= room) {
      pack.push({ report, from, metrics, isLast: true });
      room -= whole;
      continue;
    }
    for (let start = 0; start < metrics.length; ) {
      let [end, weight] = [start, 0];
      while (end < metrics.length && (end === start || weight + (weights[end] ?? 0) <= PACK_WEIGHT)) {
        weight += weights[end++] ?? 0;
      }
      const isLast = end === metrics.length;
      pack.push({ report, from: from + start, metrics: metrics.slice(start, end), isLast });
      close();
      start = end;
    }
  }
  close();
  return packs;
}

function weightOf({ judged, passed }: JudgedMetric): number {
  const flags = (judged?.rules ?? []).filter(({ verdict }) => verdict.state === "fires").length;
  const isFailed = judged !== undefined && failureOf(judged.verdict) !== undefined;
  return 1 + FLAG_WEIGHT * (flags + (passed === undefined ? 0 : 1)) + (isFailed ? FAILURE_WEIGHT : 0);
}
