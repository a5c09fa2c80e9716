/**
 * What the flow rules do on series whose truth is known: how often they flag where nothing changed, and what they see
 * when something did. Beside them two rules that are used today. Seeded; a standard error is printed with each share.
 */
import { evaluateFlow } from "../../src/flow/rule.ts";
import { FINAL, type FlowSeries } from "../../src/flow/series.ts";
import { DEFAULT_THRESHOLDS, type FlowThresholds } from "../../src/flow/thresholds.ts";
import type { UtcDay } from "../../src/lib/utc_day.ts";
import { addDays } from "../../src/lib/utc_day.ts";
import { type Random, randomCount, seeded } from "../support/random_counts.ts";

const DAYS = 97;
const FIRST = "2026-01-05" as UtcDay;
const FIRST_NUMBER = Date.parse(`${FIRST}T00:00:00Z`) / 86_400_000;
const MEANS = [5, 8, 15, 40, 100, 300] as const;
const DISPERSIONS = [1, 1.5, 2, 3] as const;

/** What a rule says about the last day of a history. */
type Answer = "drop" | "rise" | "quiet" | "not tested";
type Rule = (counts: Float64Array) => Answer;

function flowRule(thresholds: FlowThresholds): Rule {
  return (counts) => {
    const verdict = evaluateFlow(seriesOf(counts), addDays(FIRST, counts.length - 1), thresholds);
    return verdict.outcome === "tested" ? (verdict.fires ?? "quiet") : "not tested";
  };
}

function seriesOf(counts: Float64Array): FlowSeries {
  return { firstDay: FIRST_NUMBER, counts, states: new Uint8Array(counts.length).fill(FINAL) };
}

/** Week against the week before: 20 percent and at least 5 events. */
function weekOnWeek(counts: Float64Array): Answer {
  const end = counts.length;
  const last = sum(counts, end - 7, end);
  const before = sum(counts, end - 14, end - 7);
  if (Math.abs(last - before) < 5 || Math.abs(last - before) < 0.2 * before) return "quiet";
  return last < before ? "drop" : "rise";
}

/** The last day against mean and standard deviation of the 28 days before. */
function threeSigma(counts: Float64Array): Answer {
  const end = counts.length - 1;
  const mean = sum(counts, end - 28, end) / 28;
  let squares = 0;
  for (let day = end - 28; day < end; day++) squares += ((counts[day] ?? 0) - mean) ** 2;
  const limit = 3 * Math.sqrt(squares / 27);
  const distance = (counts[end] ?? 0) - mean;
  if (Math.abs(distance) <= limit) return "quiet";
  return distance < 0 ? "drop" : "rise";
}

function sum(counts: Float64Array, from: number, to: number): number {
  let total = 0;
  for (let day = from; day < to; day++) total += counts[day] ?? 0;
  return total;
}

const RULES: readonly (readonly [name: string, rule: Rule])[] = [
  ["flow rule", flowRule(DEFAULT_THRESHOLDS)],
  ["bare test", flowRule({ ...DEFAULT_THRESHOLDS, dispersion: 1 })],
  ["-20% week", weekOnWeek],
  ["3 sigma", threeSigma],
];

function history(random: Random, mean: number, dispersion: number, days: number): Float64Array {
  return Float64Array.from({ length: days }, () => randomCount(random, mean, dispersion));
}

/** Shares of answers per rule over many histories of one kind. */
function shares(
  histories: number,
  make: (index: number) => Float64Array,
): Map<string, Record<Answer, number>> {
  const found = new Map<string, Record<Answer, number>>();
  for (const [name] of RULES) found.set(name, { drop: 0, rise: 0, quiet: 0, "not tested": 0 });
  for (let index = 0; index < histories; index++) {
    const counts = make(index);
    for (const [name, rule] of RULES) {
      const record = found.get(name);
      if (record !== undefined) record[rule(counts)]++;
    }
  }
  return found;
}

function percent(part: number, of: number): string {
  return of === 0 ? "-".padStart(6) : `${((100 * part) / of).toFixed(2)}%`.padStart(6);
}

/** Runs every part and prints it. About ten seconds at the default number of histories. */
export function runFlowSimulation(print: (line: string) => void = console.log, histories = 6_000): void {
  falseFlags(print, histories);
  detection(print, Math.ceil(histories / 3));
  outages(print, Math.ceil(histories / 4));
}

function falseFlags(print: (line: string) => void, histories: number): void {
  const error = (100 * Math.sqrt((0.01 * 0.99) / histories)).toFixed(2);
  print(
    `flags where nothing changed, per test: drop / rise (${histories} histories of ${DAYS} days, +-${error}%)`,
  );
  print(`${"mean".padStart(5)} ${"var".padStart(5)}  ${RULES.map(([name]) => name.padEnd(15)).join("  ")}`);
  const worst = { one: 0, wide: 0 };
  for (const mean of MEANS) {
    for (const dispersion of DISPERSIONS) {
      const random = seeded(mean * 1_000 + dispersion * 10);
      const found = shares(histories, () => history(random, mean, dispersion, DAYS));
      const cells = RULES.map(([name]) => {
        const share = found.get(name) ?? { drop: 0, rise: 0, quiet: 0, "not tested": 0 };
        const tests = histories - share["not tested"];
        if (name === "flow rule") {
          const key = dispersion === 1 ? "one" : "wide";
          worst[key] = Math.max(worst[key], share.drop / tests, share.rise / tests);
        }
        return `${percent(share.drop, tests)} ${percent(share.rise, tests)}`.padEnd(15);
      });
      print(`${String(mean).padStart(5)} ${`${dispersion}x`.padStart(5)}  ${cells.join("  ")}`);
    }
  }
  print(
    `worst of the flow rule: ${(100 * worst.one).toFixed(2)}% at 1x, ${(100 * worst.wide).toFixed(2)}% at 1.5x to 3x (goal 1.5%)`,
  );
}

function detection(print: (line: string) => void, histories: number): void {
  print("");
  print(`changes found by the end of day 1 / day 2 (${histories} histories)`);
  print(
    `${"mean".padStart(5)} ${"var".padStart(5)} ${"change".padEnd(9)}  ${RULES.map(([name]) => name.padEnd(15)).join("  ")}`,
  );
  for (const [label, left] of [
    ["full stop", 0],
    ["half", 0.5],
  ] as const) {
    for (const dispersion of [1, 2]) {
      for (const mean of MEANS) {
        const random = seeded(mean * 1_000 + dispersion * 10 + left);
        const hits = RULES.map(() => [0, 0] as [number, number]);
        for (let index = 0; index < histories; index++) {
          const counts = history(random, mean, dispersion, DAYS);
          for (let day = DAYS - 2; day < DAYS; day++)
            counts[day] = randomCount(random, mean * left, dispersion);
          for (const [place, [, rule]] of RULES.entries()) {
            const hit = hits[place];
            if (hit === undefined) continue;
            const first = rule(counts.subarray(0, DAYS - 1)) === "drop";
            if (first) hit[0]++;
            if (first || rule(counts) === "drop") hit[1]++;
          }
        }
        const cells = hits.map(([one, two]) =>
          `${percent(one, histories)} ${percent(two, histories)}`.padEnd(15),
        );
        print(
          `${String(mean).padStart(5)} ${`${dispersion}x`.padStart(5)} ${label.padEnd(9)}  ${cells.join("  ")}`,
        );
      }
    }
  }
}

/** Outages before the last day: whether they hide the next one, and what they leave behind. */
function outages(print: (line: string) => void, histories: number): void {
  print("");
  print(
    `an outage in the history, then a full stop, a half or nothing on the last day (${histories} histories)`,
  );
  print(
    `${"mean".padStart(5)} ${"var".padStart(5)} ${"outage".padEnd(22)} flow rule: stop    half    drop    rise   3 sigma: stop`,
  );
  const kinds: readonly (readonly [string, readonly number[]])[] = [
    ["none", []],
    ["1 day, outside", [70]],
    ["3 days, outside", [64, 65, 66]],
    ["7 days, outside", [44, 45, 46, 47, 48, 49, 50]],
    ["1 day, in the cohort", [DAYS - 1 - 14]],
    ["2 days, in the cohort", [DAYS - 1 - 7, DAYS - 1 - 21]],
  ];
  const rule = flowRule(DEFAULT_THRESHOLDS);
  for (const mean of [8, 40, 100]) {
    for (const dispersion of [1, 2]) {
      for (const [label, stopped] of kinds) {
        const random = seeded(mean * 1_000 + dispersion * 10);
        const hits = { stop: 0, half: 0, drop: 0, rise: 0, sigma: 0 };
        for (let index = 0; index < histories; index++) {
          const counts = history(random, mean, dispersion, DAYS);
          for (const day of stopped) counts[day] = 0;
          const quiet = rule(counts);
          if (quiet === "drop") hits.drop++;
          if (quiet === "rise") hits.rise++;
          counts[DAYS - 1] = randomCount(random, mean / 2, dispersion);
          if (rule(counts) === "drop") hits.half++;
          counts[DAYS - 1] = 0;
          if (rule(counts) === "drop") hits.stop++;
          if (threeSigma(counts) === "drop") hits.sigma++;
        }
        const cells = [hits.stop, hits.half, hits.drop, hits.rise].map((hit) =>
          percent(hit, histories).padStart(7),
        );
        print(
          `${String(mean).padStart(5)} ${`${dispersion}x`.padStart(5)} ${label.padEnd(22)}     ${cells.join(" ")}         ${percent(hits.sigma, histories)}`,
        );
      }
    }
  }
}

if (import.meta.main) runFlowSimulation();
