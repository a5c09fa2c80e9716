/** Which days stand on one page of the log, and where the next one goes on. Pure. */
import type { UtcDay } from "../../lib/utc_day.ts";

/** What a page is made of: entries by moment, newest first and one more than a page takes where there are more, and days with flags. */
export interface LogParts<Entry> {
  readonly entries: readonly Entry[];
  /** Lines that the flags of a day take, by day; days without any are not named. */
  readonly flagLines: ReadonlyMap<UtcDay, number>;
}

/** A day on the page. */
export interface PagedDay<Entry> {
  readonly day: UtcDay;
  readonly entries: readonly Entry[];
}

export interface LogPage<Entry> {
  readonly days: readonly PagedDay<Entry>[];
  /** The next page goes on before this entry, or before this day; null where there is none. */
  readonly next: { readonly entry: Entry } | { readonly day: UtcDay } | null;
}

/**
 * Whole days, newest first, until `size` lines are full. A day with more entries than fit is cut within them: its flags stand where it
 * begins, and the next page goes on after its last entry.
 */
export function pageOfLog<Entry>(
  { entries, flagLines }: LogParts<Entry>,
  size: number,
  dayOf: (entry: Entry) => UtcDay,
): LogPage<Entry> {
  const fitting = entries.slice(0, size);
  const cutAt = entries.length > size ? dayOf(entries[size] as Entry) : null;
  const byDay = Map.groupBy(fitting, dayOf);
  const known = new Set([...byDay.keys(), ...flagLines.keys(), ...(cutAt === null ? [] : [cutAt])]);
  const days: PagedDay<Entry>[] = [];
  let lines = 0;
  for (const day of [...known].sort().reverse()) {
    const above = days.at(-1);
    if (lines >= size && above !== undefined) return { days, next: { day: above.day } };
    const own = byDay.get(day) ?? [];
    const last = own.at(-1);
    // The first entry that was not read is of this day: nothing is known of the days before it.
    if (day === cutAt && last !== undefined)
      return { days: [...days, { day, entries: own }], next: { entry: last } };
    days.push({ day, entries: own });
    lines += own.length + (flagLines.get(day) ?? 0);
  }
  return { days, next: null };
}
