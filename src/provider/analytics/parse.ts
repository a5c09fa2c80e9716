/** Reports of Google Analytics as ours: pure. */

import { isTimeZone } from "../../lib/zone_day.ts";
import type {
  DailyReport,
  HourlyReport,
  HourOfReport,
  Outcome,
  Realtime,
  RealtimeCounts,
} from "../contract.ts";
import { refused } from "../fault.ts";
import { dayIn, orderedDays } from "../report_days.ts";
import type { DayRange } from "../window.ts";
import { type ReadReport, readReport } from "./report.ts";
import type { ReportKind } from "./report_head.ts";
import { DAILY_METRICS, REALTIME_METRICS, REALTIME_RANGES } from "./request.ts";

/** What was asked, and the time zone that its days are of where that is known. */
export interface RangeAsked extends DayRange {
  readonly timeZone: string | undefined;
}

const DAILY: ReportKind = { kind: "analyticsData#runReport", dimensions: ["date"], metrics: DAILY_METRICS };
const HOURLY: ReportKind = {
  kind: "analyticsData#runReport",
  dimensions: ["dateHour"],
  metrics: DAILY_METRICS,
};
const REALTIME: ReportKind = {
  kind: "analyticsData#runRealtimeReport",
  dimensions: ["dateRange"],
  metrics: REALTIME_METRICS,
};

/** Where a report that is not all of it goes on: how many rows are here of how many. */
export interface Extent {
  readonly rows: number;
  readonly of: number;
  readonly timeZone: string | undefined;
}

/** How far a page of days or hours reaches; undefined where it is no such page, which reading it will say. */
export function extentOf(text: string, kind: "daily" | "hourly"): Extent | undefined {
  const page = readReport(text, kind === "daily" ? DAILY : HOURLY);
  if (!page.ok) return undefined;
  const { rows, rowCount = 0, timeZone } = page.value;
  return { rows: rows.length, of: rowCount, timeZone };
}

/** The daily figures in the pages of a report. */
export function parseDays(pages: readonly string[], asked: RangeAsked): Outcome<DailyReport> {
  const whole = wholeReport(pages, DAILY, asked);
  if (!whole.ok) return whole;
  const { rows, timeZone, notes } = whole.value;
  const days = rows.map(({ key, counts }) => ({ day: dayOf(key) ?? Number.NaN, values: counts }));
  const ordered = orderedDays(days, asked);
  if (!ordered.ok) return ordered;
  const { from, to } = asked;
  return {
    ok: true,
    value: {
      provider: "analytics",
      timeZone,
      from,
      to,
      days: ordered.value,
      firstIncomplete: undefined,
      notes,
    },
  };
}

/** The hourly figures in the pages of a report. */
export function parseHours(pages: readonly string[], asked: RangeAsked): Outcome<HourlyReport> {
  const whole = wholeReport(pages, HOURLY, asked);
  if (!whole.ok) return whole;
  const { rows, timeZone, notes } = whole.value;
  const { from, to } = asked;
  const hours: HourOfReport[] = [];
  for (const { key, counts } of rows) {
    const day = dayOf(key.slice(0, 8));
    const hour = /^\d{8}([01]\d|2[0-3])$/.exec(key)?.[1];
    if (day === undefined || hour === undefined || day < from || day > to) return refused("other_days");
    const [activeUsers = 0, sessions = 0, pageViews = 0, eventCount = 0] = counts;
    hours.push({ day, hour: Number(hour), activeUsers, sessions, pageViews, eventCount });
  }
  hours.sort((a, b) => a.day - b.day || a.hour - b.hour);
  const isTwice = hours.some(({ day, hour }, place) => {
    const before = hours[place - 1];
    return before?.day === day && before.hour === hour;
  });
  return isTwice ? refused("other_days") : { ok: true, value: { timeZone, from, to, hours, notes } };
}

/** Counts of now. With nobody there the answer holds no rows and hardly more than its kind: a zero all the same. */
export function parseRealtime(text: string): Outcome<Realtime> {
  const read = readReport(text, REALTIME);
  if (!read.ok) return read;
  const { rows, rowCount } = read.value;
  if ((rowCount ?? 0) > rows.length) return refused("rows_missing");
  const told = new Map(rows.map(({ key, counts }) => [key, counts]));
  const isAsked = (key: string) => REALTIME_RANGES.some((range) => range === key);
  const fits = told.size === rows.length && rows.length <= (rowCount ?? rows.length);
  if (!fits || !rows.every(({ key }) => isAsked(key))) return refused("unexpected_report");
  const [last30, last5] = REALTIME_RANGES;
  return { ok: true, value: { last30: countsOf(told.get(last30)), last5: countsOf(told.get(last5)) } };
}

function countsOf([activeUsers = 0, pageViews = 0, eventCount = 0]: readonly number[] = []): RealtimeCounts {
  return { activeUsers, pageViews, eventCount };
}

/** The day number of `YYYYMMDD`; undefined for anything else, such as `(other)`. */
function dayOf(text: string): number | undefined {
  const [, year, month, day] = /^(\d{4})(\d{2})(\d{2})$/.exec(text) ?? [];
  return dayIn(`${year}-${month}-${day}`);
}

type Whole = Pick<ReadReport, "rows" | "notes"> & { readonly timeZone: string };

/**
 * The rows of all pages, where they are as many as each page says there are. `rowCount` is left out only together with the rows: rows
 * without it are no report.
 */
function wholeReport(pages: readonly string[], of: ReportKind, asked: RangeAsked): Outcome<Whole> {
  const read: ReadReport[] = [];
  for (const text of pages) {
    const page = readReport(text, of);
    if (!page.ok) return page;
    read.push(page.value);
  }
  const [first] = read;
  if (first === undefined) return refused("unexpected_report");
  const rows = read.flatMap((page) => page.rows);
  const { rowCount = 0 } = first;
  const isOne = read.every((page) => page.rowCount === first.rowCount && page.timeZone === first.timeZone);
  if (!isOne || rows.length > rowCount) return refused("unexpected_report");
  if (rows.length < rowCount) return refused("rows_missing");
  const timeZone = first.timeZone ?? asked.timeZone;
  if (timeZone === undefined || !isTimeZone(timeZone)) return refused("unknown_time_zone");
  return { ok: true, value: { rows, timeZone, notes: [...new Set(read.flatMap((page) => page.notes))] } };
}
