import { startOfDay, utcDayOf } from "../../lib/utc_day.ts";
import type { DayMark, DayRuleData } from "../shell.ts";
import { Level, Pin, percent, Upright } from "./plot.tsx";

const DAY_MS = 86_400_000;
/** Now is drawn to five minutes, so that a page on which nothing happened stays the same. */
const STEP_MS = 5 * 60_000;
const HOURS = Array.from({ length: 25 }, (_, hour) => hour);

/** A place on a day's rule, kept inside it. */
function place(ms: number, midnight: number): number {
  return Math.min(1, Math.max(0, (ms - midnight) / DAY_MS)) * 100;
}

function MarkOnRule({ mark, midnight }: { readonly mark: DayMark; readonly midnight: number }) {
  const x = place(mark.at, midnight);
  if (mark.kind === "received") {
    return (
      <rect class="got" x={percent(x)} y="14" width="2" height="5">
        <title>{mark.title}</title>
      </rect>
    );
  }
  return (
    <Pin x={x} y={mark.kind === "job" ? 19 : 10}>
      {mark.kind === "job" ? (
        <circle class="job" r="3" />
      ) : (
        <rect class="miss" x="-1.5" width="3" height="9" />
      )}
      <title>{mark.title}</title>
    </Pin>
  );
}

/** Today in UTC on one line: what arrived, what ran, what is missing, and now. */
export function DayRule({ data, now }: { readonly data: DayRuleData; readonly now: number }) {
  const midnight = startOfDay(utcDayOf(now));
  const here = place(now - (now % STEP_MS), midnight);
  return (
    <svg role="img" aria-label={data.words}>
      <Level class="tick" y={19} />
      <line class="past" x1="0" x2={percent(here)} y1="19" y2="19" />
      {HOURS.map((hour) => {
        const x = place(midnight + hour * 3_600_000, midnight);
        const labelled = hour % 3 === 0 && hour < 24;
        return (
          <>
            <Upright class="tick" x={x} from={hour % 3 === 0 ? 4 : 16} to={19} />
            {labelled ? (
              <text class={hour % 6 === 0 ? undefined : "minor"} x={percent(x)} dx="4" y="12">
                {String(hour).padStart(2, "0")}
              </text>
            ) : null}
          </>
        );
      })}
      {data.marks.map((mark) => (
        <MarkOnRule mark={mark} midnight={midnight} />
      ))}
      <Upright class="now" x={here} from={2} to={21} />
    </svg>
  );
}
