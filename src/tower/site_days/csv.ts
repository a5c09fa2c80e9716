/** The numbers of the charts as a file (RFC 4180): a line for each day of each figure, with its state and basis. Pure. */
import { addDays } from "../../lib/utc_day.ts";
import type { DayOffset } from "../../pulse/mod.ts";
import { SENT } from "../../rules/mod.ts";
import { type Lane, lanesOf, type SiteDays } from "./lane.ts";

const HEADINGS = ["date", "source", "metric", "value", "state", "basis", "report_date"] as const;

/**
 * The lines, each ended by CRLF, the headings first; oldest day first, the charts in the order of the page. A value that is absent is
 * an empty cell and never 0; a day of which nothing is due has no line. `date` is the day that the chart shows; what the site sent also
 * has the date of its report, by which the API and the flags know it.
 */
export function csvOf(site: SiteDays): string {
  const lanes = lanesOf(site);
  const count = lanes[0]?.days.length ?? 0;
  const lines: string[] = [lineOf(HEADINGS)];
  for (let place = 0; place < count; place++) {
    for (const lane of lanes) lines.push(...linesOf(lane, place, site.offset));
  }
  return lines.join("");
}

function linesOf({ half, metric, days }: Lane, place: number, offset: DayOffset): string[] {
  const figure = days[place];
  if (figure === undefined || figure.state === "none") return [];
  const { day, value, state, basis } = figure;
  const reported = half === SENT ? addDays(day, -offset) : "";
  return [lineOf([day, half, metric, value === null ? "" : String(value), state, basis ?? "", reported])];
}

/** One line of a file. */
export function lineOf(cells: readonly string[]): string {
  return `${cells.map(cellOf).join(",")}\r\n`;
}

/** Numbers as the file writes them; everything else is text. */
const NUMBER = /^-?\d+(?:\.\d+)?(?:e[+-]\d+)?$/;
/** What a spreadsheet takes for a formula, full-width forms too: an apostrophe before it makes it text. */
const FORMULA = /^[=+\-@\t\r\n＝＋－＠]/;

/** One cell: quoted where it must be, and never a formula. */
export function cellOf(text: string): string {
  const safe = FORMULA.test(text) && !NUMBER.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
