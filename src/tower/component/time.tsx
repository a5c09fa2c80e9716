import { formatInstant } from "../../lib/instant.ts";
import type { UtcDay } from "../../lib/utc_day.ts";
import { formatAge, formatClock, formatDate, formatDay, formatFullClock, formatMoment } from "../format.ts";

/** The second of an instant: "2026-11-18 06:12:04 UTC". */
export const exact = (ms: number): string => `${formatInstant(ms).slice(0, 19).replace("T", " ")} UTC`;

/** A moment in UTC: "18 Nov 06:12". The exact second is in the title. */
export function Moment({ at, now }: { readonly at: number; readonly now: number }) {
  return (
    <time datetime={formatInstant(at)} title={exact(at)}>
      {formatMoment(at, now)}
    </time>
  );
}

/** How long ago: "9 h ago". The exact second is in the title. */
export function Age({ at, now }: { readonly at: number; readonly now: number }) {
  return (
    <time datetime={formatInstant(at)} title={exact(at)}>
      {formatAge(at, now)}
    </time>
  );
}

/** A time of day, with seconds when `seconds` is set. */
export function Clock({ at, seconds = false }: { readonly at: number; readonly seconds?: boolean }) {
  return <time datetime={formatInstant(at)}>{seconds ? formatFullClock(at) : formatClock(at)}</time>;
}

/** The day of an instant: "14 Aug". */
export function DateOf({ at, now }: { readonly at: number; readonly now: number }) {
  return (
    <time datetime={formatInstant(at)} title={exact(at)}>
      {formatDate(at, now)}
    </time>
  );
}

/** A calendar day: "18 Nov". */
export function Day({ day, now }: { readonly day: UtcDay; readonly now: number }) {
  return <time datetime={day}>{formatDay(day, now)}</time>;
}
