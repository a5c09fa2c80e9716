/** Which reports of a property a run asks for, and in which order. Pure. */
import { calendarDay } from "../lib/zone_day.ts";
import type { Provider } from "../provider/contract.ts";
import type { ReportFamily } from "../provider/report/contract.ts";
import { familiesOf } from "../provider/report/families.ts";
import { SEARCH_CONSOLE_ZONE } from "../provider/search_console/ask.ts";

/** Completed dates of the provider's calendar that every run asks for (spec, Scheduled work). */
export const DATES = 4;
/** Days that `events-28d` is over. */
const RANGE_DAYS = 28;
/** Most dates of a family that are asked for anew, since nothing came of them. */
export const MOST_UNRESOLVED = 10;

const HOUR_MS = 3_600_000;
/** A weekly report is due this long after the last one: an hour less, so that a run that begins a little earlier is not a day later. */
const WEEK_MS = 7 * 24 * HOUR_MS - HOUR_MS;

/** What is known of a family of a property before a run. Dates are day numbers, times milliseconds since the epoch. */
export interface KnownFamily {
  /** Dates of which nothing came so far, newest first. */
  readonly unresolved: readonly number[];
  /** When the last usable snapshot was asked for. */
  readonly lastUsableAt: number | undefined;
  /** Dates that the run before got, where that one did not come to its end. */
  readonly got: ReadonlySet<number>;
}

/** A report to ask for: its first and its last day, the same of a report of one day. */
export interface PlannedReport {
  readonly family: ReportFamily;
  readonly from: number;
  readonly to: number;
}

export interface PropertyPlan {
  /** In the order in which they are asked for. */
  readonly reports: readonly PlannedReport[];
  /** Reports that the run before got. */
  readonly resumed: number;
}

/** When a run plans. */
export interface PlanTime {
  readonly now: number;
  /** When the run began: its UTC day is that of the snapshots. */
  readonly startedAt: number;
  /** The property's time zone as far as it is known. */
  readonly timeZone: string | undefined;
}

/** The day of a provider's own calendar: of the property's for analytics, Pacific for search console, UTC for webmaster tools. */
export function providerDay(provider: Provider, ms: number, timeZone: string | undefined): number {
  if (provider === "analytics") return calendarDay(ms, timeZone);
  return calendarDay(ms, provider === "search-console" ? SEARCH_CONSOLE_ZONE : "UTC");
}

/**
 * The reports of a property: the newest date of every family first, so that a run that breaks off has what is looked at most; then the
 * dates before it, and last those that were never got.
 */
export function planProperty(
  provider: Provider,
  { now, startedAt, timeZone }: PlanTime,
  known: (family: ReportFamily) => KnownFamily,
): PropertyPlan {
  const newest = providerDay(provider, now, timeZone) - 1;
  const families = familiesOf(provider).map((family) => ({ family, known: known(family) }));
  const daily = families.filter(({ family }) => family.of === "day");
  const planned: (PlannedReport & { readonly isGot: boolean })[] = [];
  const first = families.flatMap(({ family, known: { got, lastUsableAt } }) => {
    if (family.of === "snapshot") {
      if (got.size === 0 && !isDue(family, lastUsableAt, now)) return [];
      const date = providerDay(provider, startedAt, undefined);
      return [{ family, from: date, to: date, isGot: got.size > 0 }];
    }
    const from = family.of === "day" ? newest : newest - RANGE_DAYS + 1;
    return [{ family, from, to: newest, isGot: got.has(newest) }];
  });
  planned.push(...first);
  for (let date = newest - 1; date > newest - DATES; date--) {
    planned.push(
      ...daily.map(({ family, known: { got } }) => ({ family, from: date, to: date, isGot: got.has(date) })),
    );
  }
  for (const { family, known: of } of daily) {
    const dates = of.unresolved.filter((date) => date <= newest - DATES).slice(0, MOST_UNRESOLVED);
    planned.push(...dates.map((date) => ({ family, from: date, to: date, isGot: of.got.has(date) })));
  }
  return {
    reports: planned.filter(({ isGot }) => !isGot).map(({ family, from, to }) => ({ family, from, to })),
    resumed: planned.filter(({ isGot }) => isGot).length,
  };
}

/** Whether a snapshot comes up. What lies ahead of the clock is of a clock that was, and puts nothing off. */
function isDue({ everyDays }: ReportFamily, lastUsableAt: number | undefined, now: number): boolean {
  if (everyDays === 1 || lastUsableAt === undefined) return true;
  const since = now - lastUsableAt;
  return since < -HOUR_MS || since >= WEEK_MS;
}
