import type { UtcDay } from "./utc_day.ts";

const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"] as const;

/** `18 Nov`, in stored text: English, no locale of a machine. A flag carries its year in its own time of raising. */
export function dayText(day: UtcDay): string {
  return `${Number(day.slice(8))} ${MONTHS[Number(day.slice(5, 7)) - 1] ?? ""}`;
}
