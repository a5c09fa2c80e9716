import type { WindowTest } from "../../flow/mod.ts";
import { daysBetween } from "../../lib/utc_day.ts";
import type { NightlyDays } from "../../pulse/mod.ts";
import { Box, Lane, Plot, Words } from "../component/plot.tsx";
import { formatDay, formatNarrow } from "../format.ts";

const HEIGHT = 22;

/** A test window and the four earlier windows it is held against, under the bars they count. */
export function WindowsLane(props: {
  readonly heading: string;
  readonly test: WindowTest;
  readonly days: NightlyDays;
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
  return (
    <Lane narrow aside={<h3>{heading}</h3>}>
      <Plot class="windows" height={HEIGHT} label={`${windows.length} of the five windows lie in these days`}>
        {windows.map(({ from, to, count: seen, kind, words }) => {
          const start = Math.max(0, daysBetween(days.from, from));
          const end = Math.min(count, daysBetween(days.from, to) + 1);
          const left = (start * 100) / count;
          const title = `${words}, ${from === to ? "" : `${formatDay(from, now)} to `}${formatDay(to, now)}: ${formatNarrow(seen)}`;
          const isAtEnd = left > 90;
          return (
            <>
              <Box
                class={kind}
                x={left}
                width={((end - start) * 100) / count}
                y={3}
                height={5}
                title={title}
              />
              <Words class={isAtEnd ? "end" : undefined} x={isAtEnd ? (end * 100) / count : left} y={20}>
                {formatNarrow(seen)}
              </Words>
            </>
          );
        })}
      </Plot>
    </Lane>
  );
}
