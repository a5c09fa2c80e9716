/** Days of a series, small, on a scale of their own: a bar a day, drawn as what is known of it. */
import { EXCLUDED, FINAL, PROVISIONAL, type Stretch } from "../../series/mod.ts";
import { countOf, formatNarrow } from "../format.ts";

const STEP = 4;
const HEIGHT = 19;
/** Least height of a bar: one visitor beside a thousand is no zero. */
const LOWEST = 1;

/**
 * Settled days are solid, unsettled ones open, days that are left out of rules pale under a dark cap; 0 is a short tick, and a day
 * without a value is a gap. Nothing is drawn where no day has a value.
 */
export function DayBars({ days }: { readonly days: Stretch }) {
  const { states, values } = days;
  const valued = [...values.keys()].filter((place) => hasValue(days, place));
  if (valued.length === 0) return null;
  const told = valued.map((place) => values[place] ?? 0);
  const highest = Math.max(...told);
  // The feet of the bars lie at 0, so that they need not be said.
  const heightOf = (value: number) =>
    value <= 0 ? 0 : Math.max(LOWEST, Math.round((value / highest) * HEIGHT));
  const [settled, open, out, caps, zeros] = [
    new Strokes(),
    new Strokes(),
    new Strokes(),
    new Strokes(),
    new Strokes(),
  ];
  for (const place of valued) {
    const x = 2 + place * STEP;
    const height = heightOf(values[place] ?? 0);
    const state = states[place];
    if (state === EXCLUDED) caps.at(x, -HEIGHT - 1, "v2");
    if (height === 0) zeros.at(x - 1, 0, "h2");
    else if (state === PROVISIONAL) open.at(x - 1, 0, `v-${height}h2v${height}`);
    else (state === EXCLUDED ? out : settled).at(x, 0, `v-${height}`);
  }
  return (
    <svg
      class="spark"
      viewBox={`0 ${-HEIGHT - 2} ${values.length * STEP} ${HEIGHT + 3}`}
      role="img"
      aria-label={labelOf(days, { valued: valued.length, lowest: Math.min(...told), highest })}
    >
      {settled.drawn("b")}
      {open.drawn("p")}
      {out.drawn("x")}
      {caps.drawn("c")}
      {zeros.drawn("z")}
    </svg>
  );
}

/** The newest settled day with a value, as its place among the days; -1 where there is none. */
export function newestSettled(days: Stretch): number {
  let place = days.values.length - 1;
  while (place >= 0 && !(days.states[place] === FINAL && hasValue(days, place))) place--;
  return place;
}

function hasValue({ states, values }: Stretch, place: number): boolean {
  return states[place] !== 0 && !Number.isNaN(values[place] ?? Number.NaN);
}

/** "3 to 41 a day on 26 days, 2 of them not settled". */
function labelOf(
  { states }: Stretch,
  { valued, lowest, highest }: { readonly valued: number; readonly lowest: number; readonly highest: number },
): string {
  const open = states.filter((state) => state === PROVISIONAL).length;
  const out = states.filter((state) => state === EXCLUDED).length;
  return [
    `${formatNarrow(lowest)} to ${formatNarrow(highest)} a day on ${countOf(valued, "day")}`,
    ...(open === 0 ? [] : [`${open} not settled`]),
    ...(out === 0 ? [] : [`${out} left out of rules`]),
  ].join(", ");
}

/** Strokes of one path, each moved to from where the last one began. */
class Strokes {
  #path = "";

  at(x: number, y: number, stroke: string): void {
    this.#path += `M${x} ${y}${stroke}`;
  }

  drawn(name: string) {
    return this.#path === "" ? null : <path class={name} d={this.#path} />;
  }
}
