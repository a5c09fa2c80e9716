/** What an observation says, and the bytes in which it is stored. */

import { signed, unsigned, VarintReader, VarintWriter } from "../base/varint.ts";
import type { DayValue } from "../reports/series_days.ts";

// The bytes of an observation: the days of a source whose value, state or basis an answer changed, all of its figures together, as numbers
// of `base/varint.ts`. First the property's first day with data (its day plus one, 0 for none); so the newest observation of a property says
// it without reading the others. Then, of each day in their order:
// - the days since the one before: for the first since the property's first day with data, or since 1970; for the others less one,
// - which figures follow, a bit each by their place in `SIGNAL_METRICS`,
// - of each figure its state (two bits), basis (two) and form (two), then its value: one whole number; the part that it is of the whole
//   number before it of the same day, as clicks are of impressions; or the two halves of any other.

/** What an answer made a figure of a day. `missing` without a value takes away what was there. */
export type DayFigure = Omit<DayValue, "total">;

/** One figure of one day that changed. */
export interface ObservedFigure {
  readonly day: number;
  /** Place in `SIGNAL_METRICS` of the source. */
  readonly place: number;
  readonly to: DayFigure;
}

/** What an observation says. */
export interface Observed {
  /** The first day that the property ever had data for, as far as was known then; undefined for none. */
  readonly firstData: number | undefined;
  /** Ascending by day, then by place; each figure of a day once. */
  readonly figures: readonly ObservedFigure[];
}

const STATES: readonly DayFigure["state"][] = ["missing", "final", "provisional", "excluded"];
const BASES: readonly DayFigure["basis"][] = [null, "reported", "omitted"];
const FORMS = ["whole", "fraction", "none", "part"] as const;
/** A day needs so many figures at most: a bit each. */
const MOST_FIGURES = 8;

/** Writes an observation. Throws a RangeError where figures stand out of order or a value is not finite. */
export function encodeObserved({ firstData, figures }: Observed): Buffer {
  const out = new VarintWriter();
  out.put((firstData ?? -1) + 1);
  let last: number | undefined;
  for (const [day, ofDay] of Map.groupBy(figures, (figure) => figure.day)) {
    out.put(last === undefined ? unsigned(day - (firstData ?? 0)) : day - last - 1);
    last = day;
    const which = ofDay.reduce((bits, { place }) => {
      if (1 << place <= bits || place >= MOST_FIGURES) throw new RangeError("figures stand in their order");
      return bits | (1 << place);
    }, 0);
    out.put(which);
    let whole = 0;
    for (const { to } of ofDay) whole = putFigure(out, to, whole);
  }
  return Buffer.from(out.bytes());
}

/** Writes a figure that comes after a whole number of its day, 0 for none. Answers the one that the next comes after. */
function putFigure(out: VarintWriter, { state, basis, value }: DayFigure, whole: number): number {
  if (value !== null && !Number.isFinite(value)) throw new RangeError(`no day can have the value ${value}`);
  const part = Math.round((value ?? 0) * whole);
  const isPart = part >= 0 && Number.isSafeInteger(part) && part / whole === value;
  const isWhole = value !== null && Number.isSafeInteger(value) && value >= 0;
  const form = value === null ? "none" : isWhole ? "whole" : isPart ? "part" : "fraction";
  out.put(STATES.indexOf(state) | (BASES.indexOf(basis) << 2) | (FORMS.indexOf(form) << 4));
  if (value === null) return whole;
  if (isWhole) out.put(value);
  else if (isPart) out.put(part);
  else for (const half of new Uint32Array(Float64Array.of(value).buffer)) out.put(half);
  return isWhole ? value : whole;
}

/** Reads an observation. Throws a RangeError where the bytes are none. */
export function decodeObserved(bytes: Uint8Array): Observed {
  const from = new VarintReader(bytes);
  const firstData = firstDataIn(from);
  const figures: ObservedFigure[] = [];
  for (let day: number | undefined; !from.isAtEnd; ) {
    const step = from.take();
    day = day === undefined ? (firstData ?? 0) + signed(step) : day + step + 1;
    const which = from.take();
    if (which < 1 || which >= 1 << MOST_FIGURES)
      throw new RangeError("a day has figures that there are none of");
    let whole = 0;
    for (let place = 0; place < MOST_FIGURES; place++) {
      if ((which & (1 << place)) === 0) continue;
      const { form, ...to } = figureIn(from, whole);
      figures.push({ day, place, to });
      if (form === "whole") whole = to.value ?? 0;
    }
  }
  return { firstData, figures };
}

function figureIn(from: VarintReader, whole: number): DayFigure & { readonly form: (typeof FORMS)[number] } {
  const head = from.take();
  const [state, basis, form] = [STATES[head & 3], BASES[(head >> 2) & 3], FORMS[head >> 4]];
  if (state === undefined || basis === undefined || form === undefined) {
    throw new RangeError("a figure has no such state, basis or form");
  }
  if (form === "none") return { state, basis, value: null, form };
  if (form === "whole") return { state, basis, value: from.take(), form };
  if (form === "part") return { state, basis, value: from.take() / whole, form };
  const [value = 0] = new Float64Array(Uint32Array.of(from.take(), from.take()).buffer);
  return { state, basis, value, form };
}

function firstDataIn(from: VarintReader): number | undefined {
  const first = from.take();
  return first === 0 ? undefined : first - 1;
}

/** The property's first day with data, by the head of an observation alone. */
export const firstDataOf = (bytes: Uint8Array): number | undefined => firstDataIn(new VarintReader(bytes));

/** The first day that an observation says something of; undefined where it says nothing. */
export function firstDayOf(bytes: Uint8Array): number | undefined {
  const from = new VarintReader(bytes);
  const firstData = firstDataIn(from) ?? 0;
  return from.isAtEnd ? undefined : firstData + signed(from.take());
}
