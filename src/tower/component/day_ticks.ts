/** The days named under a chart: as many as fit beside each other, and never one that the chart does not show. Pure. */
import { addDays, daysBetween, startOfDay, type UtcDay, utcDayOf } from "../../lib/utc_day.ts";
import { formatDay } from "../format.ts";
import { type ChartDays, placeOf } from "./chart_scale.ts";
import { anchor } from "./plot.tsx";

/** Width of the narrowest plot, on a phone, in pixels; words that are not minor have room on it. */
export const NARROW_PX = 288;
/** Width from which a plot shows its minor words too. */
export const WIDE_PX = 500;
/** About the width of a character on a chart. */
export const CHARACTER_PX = 6.3;
const GAP_PX = 8;
/** Words may stand out of the plot by so much: the page has more room than that beside it. */
const OVER_PX = 12;

const DAY_STEPS = [1, 2, 7, 14];
const MONTH_STEPS = [1, 2, 3, 6, 12, 60, 600];

/** A day under a chart. */
export interface DayTick {
  readonly day: UtcDay;
  /** The middle of the day, in percent of the width. */
  readonly x: number;
  readonly words: string;
  /** Left out on a narrow plot. */
  readonly minor: boolean;
  readonly anchor: ReturnType<typeof anchor>;
}

/** Days to name: counted back from the last one while they are days and weeks, the first of months beyond. */
export function dayTicks(days: ChartDays, now: number): DayTick[] {
  const place = placeOf(days);
  const ticksOf = (named: readonly UtcDay[]) =>
    named.map((day): DayTick => {
      const [x, words] = [place(day), formatDay(day, now)];
      const edge = (Math.max(0, (words.length * CHARACTER_PX) / 2 - OVER_PX) / NARROW_PX) * 100;
      return { day, x, words, minor: false, anchor: anchor(x, edge) };
    });
  const ways = [
    ...DAY_STEPS.map((step) => () => ticksOf(countedBack(days, step))),
    ...MONTH_STEPS.map((step) => () => ticksOf(firstsOfMonths(days, step))),
  ];
  for (const way of ways) {
    const ticks = way();
    if (!haveRoom(ticks, WIDE_PX)) continue;
    const every = ticks.findIndex((_, index) => haveRoom(eachOf(ticks, index + 1), NARROW_PX)) + 1;
    const named = new Set(eachOf(ticks, every));
    return ticks.map((tick) => ({ ...tick, minor: !named.has(tick) }));
  }
  return [];
}

/** Every so many-th, the last among them. */
function eachOf(ticks: readonly DayTick[], every: number): readonly DayTick[] {
  return ticks.filter((_, index) => (ticks.length - 1 - index) % every === 0);
}

/** Whether no two words lie on each other on a plot of this width. */
function haveRoom(ticks: readonly DayTick[], width: number): boolean {
  let end = Number.NEGATIVE_INFINITY;
  for (const tick of ticks) {
    const [from, to] = spanOf(tick, width);
    if (from - end < GAP_PX) return false;
    end = to;
  }
  return true;
}

/** Where the words of a tick lie on a plot of this width, in pixels. */
export function spanOf(
  { x, words, anchor: at }: Pick<DayTick, "x" | "words" | "anchor">,
  width: number,
): readonly [from: number, to: number] {
  const length = words.length * CHARACTER_PX;
  const from = (x / 100) * width - (at === "end" ? length : at === "mid" ? length / 2 : 0);
  return [from, from + length];
}

/** The last day and every so many-th before it. */
function countedBack({ from, to }: ChartDays, step: number): UtcDay[] {
  const count = Math.floor(daysBetween(from, to) / step) + 1;
  // More than a wide plot ever names: not worth a list.
  if (count > WIDE_PX) return [to, to];
  return Array.from({ length: count }, (_, back) => addDays(to, -step * back)).reverse();
}

/** The first days of every so many-th month. */
function firstsOfMonths({ from, to }: ChartDays, step: number): UtcDay[] {
  const begin = new Date(startOfDay(from));
  const firsts: UtcDay[] = [];
  for (let month = begin.getUTCFullYear() * 12 + begin.getUTCMonth(); ; month++) {
    const first = utcDayOf(Date.UTC(Math.floor(month / 12), month % 12));
    if (first > to) return firsts;
    if (month % step === 0 && first >= from) firsts.push(first);
  }
}
