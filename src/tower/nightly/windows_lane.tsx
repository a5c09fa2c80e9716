import type { WindowTest } from "../../flow/mod.ts";
import { daysBetween } from "../../lib/utc_day.ts";
import { type ChartDays, stackSpans } from "../component/chart_scale.ts";

import { NARROW_PX, spanOf } from "../component/day_ticks.ts";
import { Box, Lane, Plot, Words } from "../component/plot.tsx";
import { formatDay, formatNarrow } from "../format.ts";

const HEIGHT = 22;
/** Height of a further row of counts: neighbouring windows lie closer than large counts are wide. */
const ROW = 12;

/** A test window and the four earlier windows it is held against, under the bars they count. */
export function WindowsLane(props: {
  readonly heading: string;
  readonly test: WindowTest;
  readonly days: ChartDays;
  readonly now: number;
}) {
  const { heading, test, days, now } = props;
  const count = daysBetween(days.from, days.to) + 1;
  const windows = [
    { ...test.observed, kind: "seen" as const, words: "Test window" },
    ...test.cohort.map((window) => ({
      ...window,
      kind: "pmf" as const,
      words: window.standsOut ? "Earlier window, stood out itself" : "Earlier window",
    })),
  ].filter(({ from, to }) => to >= days.from && from <= days.to);
  if (windows.length === 0) return null;
  const placed = windows
    .map((window) => {
      const start = Math.max(0, daysBetween(days.from, window.from));
      const end = Math.min(count, daysBetween(days.from, window.to) + 1);
      const [left, right] = [(start * 100) / count, (end * 100) / count];
      const at = left > 90 ? ("end" as const) : undefined;
      return { ...window, left, right, at, x: at === "end" ? right : left, seen: formatNarrow(window.count) };
    })
    .toSorted((one, other) => one.left - other.left);
  const rows = stackSpans(
    placed.map(({ x, at, seen }) => spanOf({ x, anchor: at, words: seen }, NARROW_PX)),
    4,
    placed.length,
  );
  const height = HEIGHT + ROW * Math.max(0, ...rows.map((row) => row ?? 0));
  return (
    <Lane narrow aside={<h3>{heading}</h3>}>
      <Plot class="windows" height={height} label={`${windows.length} of the five windows lie in these days`}>
        {placed.map(({ from, to, kind, words, left, right, at, x, seen }, index) => {
          const row = rows[index];
          const title = `${words}, ${from === to ? "" : `${formatDay(from, now)} to `}${formatDay(to, now)}: ${seen}`;
          return (
            <>
              <Box class={kind} x={left} width={right - left} y={3} height={5} title={title} />
              {row === undefined ? null : (
                <Words class={at} x={x} y={20 + ROW * row}>
                  {seen}
                </Words>
              )}
            </>
          );
        })}
      </Plot>
    </Lane>
  );
}
