/** Lays the days of blocks out without gaps, from one day to another, both included. */

import { type BlockBytes, DayReader } from "./block.ts";
import type { Stretch } from "./series_contract.ts";

export function stretchOf(
  blocks: readonly { readonly block: number; readonly days: BlockBytes }[],
  from: number,
  to: number,
): Stretch {
  const values = new Float64Array(Math.max(0, to - from + 1));
  const states = new Uint8Array(values.length);
  const totals = new Float64Array(values.length).fill(Number.NaN);
  let lastDay = from - 1;
  for (const { block, days } of blocks) {
    for (const reader = new DayReader(days, block); reader.next(); ) {
      const { day } = reader;
      if (day < from || day > to) continue;
      const place = day - from;
      values[place] = reader.value;
      states[place] = reader.state;
      totals[place] = reader.total;
      lastDay = day;
    }
  }
  return { firstDay: from, values, states, totals, lastDay };
}
