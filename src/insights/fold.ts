import { shortText } from "../lib/short_text.ts";
import type { ReportFamily, ReportRow } from "../provider/report/contract.ts";
import { ISSUE_TYPES, issueTypesOf } from "../rules/mod.ts";
import {
  type InsightBody,
  type InsightFold,
  MOST_KEPT_DAYS,
  MOST_KEPT_ROWS,
  MOST_KEPT_URLS,
} from "./contract.ts";
import { First, largestFirst, newestFirst } from "./coverage.ts";
import { keptOf } from "./kept.ts";

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
