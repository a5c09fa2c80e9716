/** What is said of a report in words. Pure. */
import { type Coverage, coverageWords, type InsightBody } from "../../insights/mod.ts";
import type { UtcDay } from "../../lib/utc_day.ts";
import type { ReportFamily } from "../../provider/report/contract.ts";
import { countOf, formatDay, formatPercent } from "../format.ts";
import { changeOf } from "../site_days/compare.ts";
import { familyWords, figureWords } from "./family_words.ts";
import type { PanelReport } from "./panel_report.ts";

/** Which days a report is of, and whether they are final: "18 Nov, final". */
export function dateWords(
  { family, isProvisional }: Pick<PanelReport, "family" | "isProvisional">,
  date: UtcDay,
  now: number,
): string {
  const day = formatDay(date, now);
  if (family.of === "snapshot") return `as told on ${day}`;
  const state = isProvisional ? "provisional" : "final";
  return family.of === "days28" ? `28 days to ${day}, ${state}` : `${day}, ${state}`;
}

/** How many rows a report has: "1,204 queries". */
export function rowsWords(family: ReportFamily, rows: number): string {
  const { row, rows: many } = familyWords(family.name);
  return countOf(rows, row, many ?? (row.includes(" of ") ? undefined : `${row}s`));
}

/** How much of the day's total the rows of a report cover, as a sentence. */
export function coverWords(coverage: Coverage | undefined): string | undefined {
  return coverage && coverageWords(coverage, figureWords(coverage.metric).words.toLowerCase());
}

/** The change to a figure from seven days before: "+8%"; undefined where the earlier count is too small for one. */
export function changeWords(now: number, before: number): string | undefined {
  const change = changeOf({ now, before });
  if (change === undefined) return undefined;
  const words = formatPercent(Math.abs(change));
  if (words === "0%") return "±0%";
  return `${change > 0 ? "+" : "−"}${words}`;
}

/** The one week that all rows of a weekly report are of; undefined where there are several, or it is no such report. */
export function weekOf(family: ReportFamily, insight: InsightBody): string | undefined {
  const place = family.dimensions.indexOf("date");
  if (place === -1) return undefined;
  const [week, ...others] = new Set(insight.top.map(({ keys }) => keys[place]));
  return others.length === 0 ? week : undefined;
}
