/**
 * How much of a day the rows of a report are: the sum over all of its rows, held against the total that the provider tells of the day
 * itself. Never the other way round: a total is no sum of rows. Pure.
 */

import { countText, percentText } from "../base/text.ts";
import type { Provider } from "../providers/adapter.ts";
import type { ReportFamily } from "../providers/report_families.ts";
import type { SeriesState } from "../reports/series_days.ts";
import type { InsightBody } from "./insights.ts";

/** The daily figure that the rows of a family are a part of, by provider. What is of another search type has no total of its own. */
const PART_OF: Readonly<Record<Provider, Readonly<Record<string, string>>>> = {
  "search-console": ofAll(
    ["page", "query", "page-query", "country", "device", "page-country", "page-device"],
    "clicks",
  ),
  analytics: {
    ...ofAll(
      ["landing-pages", "traffic-acquisition", "traffic-sources", "landing-page-acquisition"],
      "sessions",
    ),
    ...ofAll(["pages-screens"], "page_views"),
    ...ofAll(["events", "page-events"], "event_count"),
  },
  // Its snapshots are of no single day.
  "webmaster-tools": {},
};

function ofAll(families: readonly string[], metric: string) {
  return Object.fromEntries(families.map((family) => [family, metric]));
}

/** The daily figure that the rows of a family are held against; undefined where there is none. */
export const totalOf = ({ provider, name }: { readonly provider: Provider; readonly name: string }) =>
  PART_OF[provider][name];

export interface Coverage {
  /** The figure that all of these are of. */
  readonly metric: string;
  /** The sum over all rows of the report, and over those that are kept. */
  readonly rows: number;
  readonly kept: number;
  /** What the provider tells of the day. More than 0. */
  readonly total: number;
  /** Whether that may still change. */
  readonly isTotalProvisional: boolean;
  /** Its rows are pages of searches: one search may have led to several. */
  readonly isOfSearchPages: boolean;
}

/**
 * What the rows of a report cover. Undefined where the day has no total, where one that is distorted stands in its place, and where it
 * is 0: nothing is a part of nothing.
 */
export function coverageOf(
  family: Pick<ReportFamily, "provider" | "name" | "metrics" | "dimensions">,
  { sums, top }: Pick<InsightBody, "sums" | "top">,
  total: { readonly value: number | null; readonly state: SeriesState } | undefined,
): Coverage | undefined {
  const metric = totalOf(family);
  const rows = metric === undefined ? undefined : sums[metric];
  if (metric === undefined || rows === undefined || total === undefined || total.value === null)
    return undefined;
  if (total.value <= 0 || total.state === "missing" || total.state === "excluded") return undefined;
  const place = family.metrics.indexOf(metric);
  const kept = top.reduce((sum, { values }) => sum + (values[place] ?? 0), 0);
  return {
    metric,
    rows,
    kept,
    total: total.value,
    isTotalProvisional: total.state === "provisional",
    isOfSearchPages: family.provider === "search-console" && family.dimensions.includes("page"),
  };
}

/** Shares beyond these are said in words: what is not all never reads as all, and what is not nothing never as nothing. */
const [LEAST, MOST] = [0.1, 99.9];

/**
 * "These rows cover 38% of the clicks (12 of 32)." `words` is what is counted, "clicks". Two pages of one search may count a click each, so
 * that rows hold more than there were: that is all of them, and said. Of any other figure, or one that is provisional, no cause is
 * claimed: rows and total were read at two moments.
 */
export function coverageWords(coverage: Coverage, words: string): string {
  const { rows, total, isTotalProvisional } = coverage;
  const cover = `These rows cover ${shareWords(rows, total)} the ${words}`;
  const told =
    rows > total ? `${cover}${moreWords(coverage)}` : `${cover} (${countText(rows)} of ${countText(total)}).`;
  return isTotalProvisional ? `${told} How many there were is provisional.` : told;
}

function moreWords({ rows, total, isTotalProvisional, isOfSearchPages }: Coverage): string {
  const sum = `they add up to ${countText(rows)}, and`;
  return isOfSearchPages && !isTotalProvisional
    ? `, some in more than one row: ${sum} there were ${countText(total)}.`
    : `: ${sum} the day's own figure is ${countText(total)}.`;
}

function shareWords(rows: number, total: number): string {
  if (rows >= total) return "all of";
  if (rows <= 0) return "none of";
  const percent = (rows / total) * 100;
  if (percent > MOST) return "almost all of";
  return percent < LEAST ? `less than ${LEAST}% of` : `${percentText(percent)}% of`;
}
