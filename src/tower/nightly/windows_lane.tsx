import type { WindowTest } from "../../flow/mod.ts";
import { daysBetween } from "../../lib/utc_day.ts";
import type { NightlyDays } from "../../pulse/mod.ts";
import { formatDay, formatNarrow } from "../format.ts";

const HEIGHT = 22;
const percent = (value: number): string => `${Number(value.toFixed(2))}%`;

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
    <div class="track axis">
      <div>
        <h3>{heading}</h3>
      </div>
      <svg
        class="plot windows"
        height={HEIGHT}
        role="img"
        aria-label={`${windows.length} of the five windows lie in these days`}
      >
        {windows.map(({ from, to, count: seen, kind, words }) => {
          const start = Math.max(0, daysBetween(days.from, from));
          const end = Math.min(count, daysBetween(days.from, to) + 1);
          const left = (start * 100) / count;
          return (
            <>
              <rect
                class={kind}
                x={percent(left)}
                width={percent(((end - start) * 100) / count)}
                y="3"
                height="5"
              >
                <title>{`${words}, ${from === to ? "" : `${formatDay(from, now)} to `}${formatDay(to, now)}: ${formatNarrow(seen)}`}</title>
              </rect>
              <text
                class={left > 90 ? "end" : undefined}
                x={percent(left > 90 ? (end * 100) / count : left)}
                y="20"
              >
                {formatNarrow(seen)}
              </text>
            </>
          );
        })}
      </svg>
    </div>
  );
}
