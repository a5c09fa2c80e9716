/** How sources and their figures are called, and how their values are written. */

import type { SeriesSource } from "../../flags/mod.ts";
import { isProvider, NO_COUNTS, SIGNAL_METRICS } from "../../provider/contract.ts";
import { SENT } from "../../rules/mod.ts";
import { PROVIDER_WORDS } from "../component/provider_words.ts";
import { formatDecimal, formatNarrow, formatPercent, formatRatio } from "../format.ts";

/** Where a chart's figure comes from: a source of daily series, or the codebase reports. */
export const CODE = "codebase";
export type Half = SeriesSource | typeof CODE;

/** `share` is a part of 1, `percent` of 100; a position is better the lower it is. */
export type FigureUnit = "count" | "share" | "position" | "percent" | "ratio";

export const HALF_WORDS: Readonly<Record<Half, string>> = {
  pulse: "Sent by the site",
  ...PROVIDER_WORDS,
  codebase: "Code",
};

const SIGNAL_WORDS: Readonly<Record<string, string>> = {
  active_users: "Active users",
  sessions: "Sessions",
  page_views: "Page views",
  event_count: "Events",
  clicks: "Clicks",
  impressions: "Impressions",
  ctr: "Click-through rate",
  position: "Average position",
};

/** What a figure is called: a provider's in words, a sent one as the site calls it. */
export function labelOf(source: SeriesSource, metric: string): string {
  return source === SENT ? metric : (SIGNAL_WORDS[metric] ?? metric);
}

export function unitOf(source: SeriesSource, metric: string): FigureUnit {
  if (source === SENT || !NO_COUNTS.includes(metric)) return "count";
  return metric === "ctr" ? "share" : "position";
}

/** Whether the days of a figure add up to one of all of them. */
export const addsUp = (half: Half, unit: FigureUnit): boolean => half !== CODE && unit === "count";

/** Where a figure stands among those of its source: a provider's in the order in which they are asked for. */
export function placeIn(half: Half, metric: string): number {
  const asked: readonly string[] = isProvider(half) ? SIGNAL_METRICS[half] : [];
  return asked.indexOf(metric);
}

/** A value in the way of its unit, narrow enough for a table: "1,204", "2.3%", "11.5", "0.002", "9.01T". */
export function figureText(unit: FigureUnit, value: number): string {
  switch (unit) {
    case "count":
      // Most are such; the formatter costs a hundred times as much.
      if (Number.isInteger(value) && value >= 0 && value < 1_000) return String(value);
      return small(value) ?? formatNarrow(value);
    case "share":
      return `${small(value * 100) ?? formatDecimal(value * 100)}%`;
    case "position":
      return small(value) ?? formatDecimal(value);
    case "percent":
      return formatPercent(value);
    case "ratio":
      return formatRatio(value);
  }
}

/** A value in the way of its unit with so many digits: "5.512%". */
export function closeText(unit: FigureUnit, value: number, digits: number): string {
  const text = (of: number) => of.toLocaleString("en-GB", { maximumSignificantDigits: digits });
  if (unit === "share") return `${text(value * 100)}%`;
  return unit === "percent" ? `${text(value)}%` : text(value);
}

/** Two digits that say something of what lies between 0 and 1; undefined for what does not. */
function small(value: number): string | undefined {
  const size = Math.abs(value);
  if (size === 0 || size >= 1) return undefined;
  return size < 1e-6 ? value.toExponential(1) : String(Number(value.toPrecision(2)));
}
