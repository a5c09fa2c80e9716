import { type BlockBytes, eachDay } from "./block.ts";
import { MISSING, type Stretch } from "./contract.ts";

const NOTHING: Stretch = { firstDay: 0, values: new Float64Array(0), states: new Uint8Array(0) };

/** Lays the days of blocks from one day to another out without gaps; what says nothing at either end is left off. */
export function stretchOf(
  blocks: readonly { readonly block: number; readonly days: BlockBytes }[],
  from: number,
  to: number,
): Stretch {
  const values = new Float64Array(Math.max(0, to - from + 1));
  const states = new Uint8Array(values.length);
  let [first, last] = [values.length, -1];
  for (const { block, days } of blocks) {
    eachDay(days, block, (day, state, value) => {
      if (day < from || day > to || state === MISSING) return;
      const place = day - from;
      values[place] = value;
      states[place] = state;
      if (place < first) first = place;
      last = place;
    });
  }
  if (last < 0) return NOTHING;
  return {
    firstDay: from + first,
    values: values.subarray(first, last + 1),
    states: states.subarray(first, last + 1),
  };
}
