/**
 * How much of a day the rows of a report are: the sum over all of its rows, held against the total that the provider tells of the day
 * itself. Never the other way round: a total is no sum of rows. Pure.
 */

import { countText, percentText, shortText } from "../base/text.ts";
import type { Provider } from "../providers/adapter.ts";
import type { ReportFamily, ReportRow } from "../providers/report_families.ts";
import type { SeriesState } from "../reports/series_contract.ts";
import { ISSUE_TYPES, issueTypesOf } from "../sites/issue_types.ts";
import {
  type InsightBody,
  type InsightFold,
  MOST_KEPT_DAYS,
  MOST_KEPT_ROWS,
  MOST_KEPT_URLS,
} from "./insights_contract.ts";
import { keptOf } from "./kept.ts";

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

/** The first rows of a report by an order, in memory that does not grow with it. */

/** Below 0 where the first comes first; 0 only of rows that say the same. */
type RowOrder = (a: ReportRow, b: ReportRow) => number;

/** Whole numbers compare as numbers, texts by their code units, so that the order is the same on every machine. */
const byText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
/** The largest first; what is not told comes last. */
const byFigure = (a: number | null | undefined, b: number | null | undefined): number => {
  if (a === b) return 0;
  if (a === null || a === undefined) return 1;
  if (b === null || b === undefined) return -1;
  return b - a;
};

/**
 * The largest first by the figures at these places, one after another; ties by what the rows are told by, then by all they say, so that
 * the same rows make the same list whatever order they come in.
 */
function largestFirst(places: readonly number[]): RowOrder {
  return (a, b) => firstThat(places, (place) => byFigure(a.values[place], b.values[place])) || bySaying(a, b);
}

/** The newest day first, which is the first key. */
const newestFirst: RowOrder = (a, b) => byText(b.keys[0] ?? "", a.keys[0] ?? "") || bySaying(a, b);

function bySaying(a: ReportRow, b: ReportRow): number {
  return (
    firstThat(a.keys.keys(), (place) => byText(a.keys[place] ?? "", b.keys[place] ?? "")) ||
    firstThat(a.values.keys(), (place) => byFigure(a.values[place], b.values[place]))
  );
}

function firstThat(places: Iterable<number>, compare: (place: number) => number): number {
  for (const place of places) {
    const way = compare(place);
    if (way !== 0) return way;
  }
  return 0;
}

/** Keeps the first `most` things of those that are added, in their order. A thing that comes after all that are kept costs one look. */
class First<T> {
  readonly #order: (a: T, b: T) => number;
  readonly #most: number;
  #kept: T[] = [];

  constructor(order: (a: T, b: T) => number, most: number) {
    this.#order = order;
    this.#most = most;
  }

  /** `unlessThere` leaves out what is kept already. */
  add(one: T, how: { readonly unlessThere?: boolean } = {}): void {
    const kept = this.#kept;
    const last = kept[this.#most - 1];
    if (last !== undefined && this.#order(one, last) >= 0) return;
    let [from, to] = [0, kept.length];
    while (from < to) {
      const middle = (from + to) >> 1;
      const there = kept[middle] as T;
      if (this.#order(one, there) < 0) to = middle;
      else from = middle + 1;
    }
    const before = kept[from - 1];
    if (how.unlessThere === true && before !== undefined && this.#order(before, one) === 0) return;
    kept.splice(from, 0, one);
    if (kept.length > this.#most) kept.pop();
  }

  clear(): void {
    this.#kept = [];
  }

  all(): readonly T[] {
    return this.#kept;
  }
}

/** Longest text that is kept of what a row is told by, in characters; what lies beyond is cut off, which a last "…" shows. */

export const LONGEST_KEY = 512;

/** Digits that are kept of a figure that is no whole number: more than anything shows. */
const DIGITS = 6;

/**
 * Makes an insight of a report's rows as they come, in whatever order. Holds at most the rows that are kept. Texts are kept as they
 * are but for their length: what stands in them is judged by who shows them.
 */
export function insightFold(family: ReportFamily): InsightFold {
  const { how, by, sums } = keptOf(family);
  const placeOf = (metric: string) => family.metrics.indexOf(metric);
  const summed = sums.map((metric) => ({ metric, place: placeOf(metric), sum: 0 }));
  const week = how === "week" ? family.dimensions.indexOf("date") : -1;
  const first =
    how === "days"
      ? new First(newestFirst, MOST_KEPT_DAYS)
      : new First(largestFirst(by.map(placeOf)), MOST_KEPT_ROWS);
  const issues = how === "issues" ? new IssueUrls(placeOf("issues")) : undefined;
  let [rows, among, newest] = [0, 0, ""];

  return {
    add(row) {
      rows++;
      if (week >= 0) {
        const date = row.keys[week] ?? "";
        if (date < newest) return;
        if (date > newest) {
          [newest, among] = [date, 0];
          first.clear();
          for (const one of summed) one.sum = 0;
        }
      }
      among++;
      for (const one of summed) one.sum += row.values[one.place] ?? 0;
      first.add(row);
      issues?.add(row);
    },
    body(notes) {
      const body: InsightBody = {
        rows,
        sums: Object.fromEntries(summed.map(({ metric, sum }) => [metric, sum])),
        top: first.all().map(keptRow),
        notes: [...notes],
      };
      if (issues !== undefined) return { ...body, issues: issues.all() };
      return week >= 0 ? { ...body, among } : body;
    },
  };
}

/** URLs by the type of their issue. */
class IssueUrls {
  readonly #place: number;
  readonly #types = new Map<string, { readonly urls: First<string>; of: number }>();

  constructor(place: number) {
    this.#place = place;
  }

  add({ keys: [url = ""], values }: ReportRow): void {
    for (const type of issueTypesOf(values[this.#place] ?? null)) {
      let known = this.#types.get(type);
      if (known === undefined) {
        known = { urls: new First<string>((a, b) => (a < b ? -1 : a > b ? 1 : 0), MOST_KEPT_URLS), of: 0 };
        this.#types.set(type, known);
      }
      known.of++;
      known.urls.add(url, { unlessThere: true });
    }
  }

  all(): NonNullable<InsightBody["issues"]> {
    return ISSUE_TYPES.flatMap(({ id }) => {
      const known = this.#types.get(id);
      return known === undefined ? [] : [{ type: id, urls: known.urls.all().map(keptText), of: known.of }];
    });
  }
}

const keptText = (text: string): string => shortText(text, LONGEST_KEY);

function keptRow({ keys, values }: ReportRow): ReportRow {
  return {
    keys: keys.map(keptText),
    values: values.map((value) =>
      value === null || Number.isInteger(value) ? value : Number(value.toPrecision(DIGITS)),
    ),
  };
}
