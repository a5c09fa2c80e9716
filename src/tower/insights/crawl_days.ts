/** The days of crawl statistics as the chart draws them. Pure. */
import type { StoredInsight } from "../../insights/mod.ts";
import { addDays, eachDay, parseUtcDay, type UtcDay } from "../../lib/utc_day.ts";
import { type FigureDay, figureDays } from "../site_days/figures.ts";
import type { PanelReport } from "./panel_report.ts";

/** Days that are drawn. */
export const CRAWL_DAYS = 28;

export interface CrawlDays {
  readonly from: UtcDay;
  readonly to: UtcDay;
  /** Every one of the days, oldest first, by metric. */
  readonly of: (metric: string) => FigureDay[];
}

/**
 * The days up to the newest that was told, which is provisional: nothing promises that it is complete. Undefined where no day was told.
 */
export function crawlDays({ family, shown }: PanelReport): CrawlDays | undefined {
  const told = new Map(daysOf(shown?.insight));
  const days = [...told.keys()].toSorted();
  const [to, first] = [days.at(-1), days[0]];
  if (to === undefined) return undefined;
  const from = addDays(to, 1 - CRAWL_DAYS);
  return {
    from,
    to,
    of: (metric) => {
      const place = family.metrics.indexOf(metric);
      const values = new Map(
        [...told].flatMap(([day, row]) => {
          const value = row[place] ?? null;
          const state = day === to ? ("provisional" as const) : ("final" as const);
          return value === null ? [] : [[day, { state, basis: "reported" as const, value }] as const];
        }),
      );
      return figureDays(eachDay({ from, to }), values, { first, last: to });
    },
  };
}

function daysOf(snapshot: StoredInsight | undefined): (readonly [UtcDay, readonly (number | null)[]])[] {
  return (snapshot?.top ?? []).flatMap(({ keys, values }) => {
    const day = parseUtcDay(keys[0] ?? "");
    return day === undefined ? [] : [[day, values] as const];
  });
}
