/**
 * The day that a nightly count is shown on. A report made at night counts mostly the day before its date, and providers draw the same
 * events on that day. Its date stays what it is told, tested and kept by; only what is shown is moved. Pure.
 */
import type { UtcDay } from "../lib/utc_day.ts";

/** Reports whose hours decide. */
export const DECIDING_REPORTS = 28;

const DAY_MS = 86_400_000;

/** By how many days a site's counts are shown away from the dates of its reports: one for all of them, so that days never merge. */
export type DayOffset = 0 | -1;

/** When a report was made, with its date. */
export interface ReportTime {
  readonly date: UtcDay;
  /** Milliseconds since the epoch. */
  readonly generatedAt: number;
}

/** -1 where the median hour of these reports lies before noon (UTC); of a tie, and where there is none, 0. */
export function dayOffset(reports: readonly Pick<ReportTime, "generatedAt">[]): DayOffset {
  const early = reports.filter(({ generatedAt }) => generatedAt % DAY_MS < DAY_MS / 2).length;
  return early * 2 > reports.length ? -1 : 0;
}

/** The dates from which on reports are made at another time of the day, so that another offset held. Oldest report first. */
export function offsetChanges(reports: readonly ReportTime[]): ReadonlySet<UtcDay> {
  const changes = new Set<UtcDay>();
  let before: DayOffset | undefined;
  for (let end = DECIDING_REPORTS; end <= reports.length; end++) {
    const held = dayOffset(reports.slice(end - DECIDING_REPORTS, end));
    const date = reports[end - 1]?.date;
    if (before !== undefined && held !== before && date !== undefined) changes.add(date);
    before = held;
  }
  return changes;
}
