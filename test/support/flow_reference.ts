/**
 * The flow rule written down a second time, slowly and from its definition: days by their date, sums by loops, and
 * probabilities by adding up each count's own. Only which days are odd and the spread φ are taken from the code under test.
 */

import { addDays, startOfDay, type UtcDay } from "../../src/base/time.ts";
import type { Dispersion } from "../../src/rules/dispersion.ts";

/** What the reference says of a day. */
export interface Reference {
  readonly windowDays: number;
  readonly expected: number;
  readonly fires: "drop" | "rise" | null;
  readonly second:
    | { readonly windowDays: number; readonly mean: number; readonly factor: number; readonly tail: number }
    | undefined;
}

type Counts = ReadonlyMap<UtcDay, number>;

const weekday = (day: UtcDay): number => new Date(startOfDay(day)).getUTCDay();
const daysTo = (last: UtcDay, days: number): UtcDay[] =>
  Array.from({ length: days }, (_, back) => addDays(last, -back));
const total = (values: readonly number[]): number => values.reduce((all, one) => all + one, 0);

function sumOf(counts: Counts, days: readonly UtcDay[]): number {
  return total(days.map((day) => counts.get(day) ?? Number.NaN));
}

function cohortDays(day: UtcDay, window: number): UtcDay[][] {
  return [1, 2, 3, 4].map((back) => daysTo(addDays(day, -7 * Math.ceil(window / 7) * back), window));
}

function cohortMean(counts: Counts, day: UtcDay, window: number): number {
  return total(cohortDays(day, window).map((days) => sumOf(counts, days))) / 4;
}

/** P(X = 0), P(X = 1), … up to a count, for a mean and a variance over mean; 1 is a Poisson count. */
function masses(upTo: number, mean: number, factor: number): number[] {
  const size = mean / (factor - 1);
  let mass = factor === 1 ? Math.exp(-mean) : factor ** -size;
  const all = [mass];
  for (let k = 0; k < upTo; k++) {
    mass *= factor === 1 ? mean / (k + 1) : ((size + k) / (k + 1)) * ((factor - 1) / factor);
    all.push(mass);
  }
  return all;
}

function tails(count: number, mean: number, factor: number, ofItself: number) {
  const all = masses(count, mean, factor);
  const itself = all[count] ?? 0;
  const below = total(all.slice(0, count));
  return { drop: below + ofItself * itself, rise: 1 - below - itself + ofItself * itself };
}

/** Judges a day; undefined where no window can be read or expects enough events. */
export function referenceFlow(
  counts: Counts,
  day: UtcDay,
  dispersion: Dispersion,
  { alpha, longest }: { readonly alpha: number; readonly longest: number },
): Reference | undefined {
  const windowDays = daysTo(day, longest).findIndex(
    (_, place) => Math.exp(-cohortMean(counts, day, place + 1)) < alpha,
  );
  if (windowDays < 0) return undefined;
  const first = windowDays + 1;
  const expected = cohortMean(counts, day, first);
  const poisson = tails(sumOf(counts, daysTo(day, first)), expected, 1, 1);
  const side = poisson.drop < alpha ? "drop" : poisson.rise < alpha ? "rise" : null;
  const odd = new Set(dispersion.leftOut);
  const plain =
    dispersion.phi === 1 &&
    (dispersion.basis === "fixed" ||
      !cohortDays(day, first)
        .flat()
        .some((one) => odd.has(one)));
  if (side === null || plain) return { windowDays: first, expected, fires: side, second: undefined };
  const clean = (last: UtcDay, days: number) =>
    daysTo(last, days).filter((one) => counts.has(one) && !odd.has(one));
  const shares = sharesOf(counts, clean(addDays(day, -first), 91), dispersion.phi);
  for (let window = first; window <= longest; window++) {
    const lambda = cohortMean(counts, day, window);
    if (!(Math.exp(-lambda) < alpha)) continue;
    const { mean, factor } = expect(counts, day, window, lambda, dispersion.phi, shares, clean);
    const [nothing = 1] = masses(0, mean, factor);
    if (mean === 0 || nothing / 2 >= alpha) continue;
    const count = sumOf(counts, daysTo(day, window));
    const tail = tails(count, mean, factor, 0.5)[side];
    const stands = tails(count, lambda, 1, 1)[side] < alpha && tail < alpha;
    return {
      windowDays: first,
      expected,
      fires: stands ? side : null,
      second: { windowDays: window, mean, factor, tail },
    };
  }
  return { windowDays: first, expected, fires: null, second: undefined };
}

interface Shares {
  readonly of: (day: UtcDay) => number;
  readonly kept: number;
  readonly noise: number;
}

function sharesOf(counts: Counts, days: readonly UtcDay[], phi: number): Shares | undefined {
  const mean = sumOf(counts, days) / days.length;
  if (!(mean > 0)) return undefined;
  const ratios = new Map<number, number>();
  const noises: number[] = [];
  for (let one = 0; one < 7; one++) {
    const own = days.filter((day) => weekday(day) === one);
    if (own.length === 0) continue;
    ratios.set(one, sumOf(counts, own) / own.length / mean);
    noises.push(phi / (own.length * mean));
  }
  const noise = total(noises) / noises.length;
  const squares = total([...ratios.values()].map((ratio) => (ratio - 1) ** 2));
  const variance = Math.max(0, squares / (ratios.size - 1) - noise);
  const kept = variance / (variance + noise);
  const drawn = [...ratios].map(([one, ratio]) => [one, 1 + kept * (ratio - 1)] as const);
  const scale = drawn.length / total(drawn.map(([, share]) => share));
  const shares = new Map(drawn.map(([one, share]) => [one, share * scale]));
  return { of: (day) => shares.get(weekday(day)) ?? 1, kept, noise };
}

function expect(
  counts: Counts,
  day: UtcDay,
  window: number,
  lambda: number,
  phi: number,
  shares: Shares | undefined,
  clean: (last: UtcDay, days: number) => UtcDay[],
): { readonly mean: number; readonly factor: number } {
  const before = clean(addDays(day, -window), 28);
  if (shares === undefined || before.length < 14) return { mean: lambda, factor: 1.25 * phi };
  const known = total(before.map(shares.of));
  const level = sumOf(counts, before) / known;
  const days = daysTo(day, window);
  const own = total(days.map(shares.of));
  const squares = total(
    [0, 1, 2, 3, 4, 5, 6].map((one) => days.filter((each) => weekday(each) === one).length ** 2),
  );
  const mean = level * own;
  const unknown =
    (phi * level * own ** 2) / known +
    shares.kept * shares.noise * level ** 2 * squares +
    wander(counts, addDays(day, -window), phi, shares) * mean ** 2;
  return { mean, factor: mean === 0 ? phi : phi + unknown / mean };
}

/** The variance of a week's logarithm over the four weeks before it, or of its changes where these are smaller, beyond chance. */
function wander(counts: Counts, last: UtcDay, phi: number, shares: Shares): number {
  const all = (end: UtcDay, days: number) => daysTo(end, days).filter((one) => counts.has(one));
  const weeks = [12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0].flatMap((back) => {
    const week = all(addDays(last, -7 * back), 7);
    const earlier = all(addDays(last, -7 * back - 7), 28);
    const [own, other] = [sumOf(counts, week), sumOf(counts, earlier)];
    if (week.length < 4 || earlier.length < 14 || own === 0 || other === 0) return [];
    const distance = Math.log(own / total(week.map(shares.of)) / (other / total(earlier.map(shares.of))));
    return [{ distance, noise: phi / own + phi / other }];
  });
  if (weeks.length < 6) return 0;
  const mean = total(weeks.map(({ distance }) => distance)) / weeks.length;
  const squares = total(weeks.map(({ distance }) => (distance - mean) ** 2));
  const changes = total(
    weeks.slice(1).map(({ distance }, at) => (distance - (weeks[at]?.distance ?? 0)) ** 2),
  );
  const byChance = (1.4 * total(weeks.map(({ noise }) => noise))) / weeks.length;
  return Math.max(0, Math.min(squares, changes) / (weeks.length - 1) - byChance);
}
