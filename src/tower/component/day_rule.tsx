import { startOfDay, utcDayOf } from "../../lib/utc_day.ts";
import type { DayMark, DayRuleData } from "../shell.ts";

const DAY_MS = 86_400_000;
const HOURS = Array.from({ length: 25 }, (_, hour) => hour);

/** A place on a day's rule in percent, kept inside it. */
function place(ms: number, midnight: number): string {
  const share = Math.min(1, Math.max(0, (ms - midnight) / DAY_MS));
  return `${Number((share * 100).toFixed(2))}%`;
}

function MarkOnRule({ mark, midnight }: { readonly mark: DayMark; readonly midnight: number }) {
  const x = place(mark.at, midnight);
  if (mark.kind === "received") {
    return (
      <rect class="got" x={x} y="14" width="2" height="5">
        <title>{mark.title}</title>
      </rect>
    );
  }
  return (
    <svg x={x} y={mark.kind === "job" ? 19 : 10} overflow="visible">
      {mark.kind === "job" ? (
        <circle class="job" r="3" />
      ) : (
        <rect class="miss" x="-1.5" width="3" height="9" />
      )}
      <title>{mark.title}</title>
    </svg>
  );
}

/** Today in UTC on one line: what arrived, what ran, what is missing, and now. */
export function DayRule({ data, now }: { readonly data: DayRuleData; readonly now: number }) {
  const midnight = startOfDay(utcDayOf(now));
  const here = place(now, midnight);
  return (
    <div class="dayrule" id="dayrule">
      <svg role="img" aria-label={data.words}>
        <line class="tick" x1="0" x2="100%" y1="19" y2="19" />
        <line class="past" x1="0" x2={here} y1="19" y2="19" />
        {HOURS.map((hour) => {
          const x = place(midnight + hour * 3_600_000, midnight);
          const labelled = hour % 3 === 0 && hour < 24;
          return (
            <>
              <line class="tick" x1={x} x2={x} y1={hour % 3 === 0 ? 4 : 16} y2="19" />
              {labelled ? (
                <text class={hour % 6 === 0 ? undefined : "minor"} x={x} dx="4" y="12">
                  {String(hour).padStart(2, "0")}
                </text>
              ) : null}
            </>
          );
        })}
        {data.marks.map((mark) => (
          <MarkOnRule mark={mark} midnight={midnight} />
        ))}
        <line class="now" x1={here} x2={here} y1="2" y2="21" />
      </svg>
    </div>
  );
}
