/** What is kept of a report's rows: the first few in one total order, sums, and URLs by type of issue; and the rows of an earlier report beside them. */

import { createWriteStream } from "node:fs";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import { SpoolFault } from "../base/files.ts";
import { shortText } from "../base/text.ts";
import type { Provider, ReportNote } from "../providers/adapter.ts";
import type { Fault } from "../providers/faults.ts";
import { readReport } from "../providers/providers.ts";
import {
  familiesOf,
  type RawPage,
  type RawReport,
  type ReadReport,
  type ReportFamily,
  type ReportRow,
} from "../providers/report_families.ts";
import { ISSUE_TYPES, issueTypesOf } from "../sites/rule_catalogue.ts";
import type { StoredObject } from "../store/objects.ts";
import { type InsightBody, MOST_KEPT_DAYS, MOST_KEPT_ROWS, MOST_KEPT_URLS } from "./insights.ts";

// What is kept of each family's rows, as data.

/** How the first rows are chosen. */
interface Kept {
  /**
   * `top`: the first by the leading figures, over all rows; `week`: the same, of the newest week alone; `days`: the newest days;
   * `issues`: as `top`, and the URLs of each type of issue beside them.
   */
  readonly how: "top" | "week" | "days" | "issues";
  /** The figures that rows are ordered by, the leading one first; the largest come first. */
  readonly by: readonly string[];
  /** Figures that can be added up over rows: counts of events, never of people or of what stands at a day. */
  readonly sums: readonly string[];
}

const SEARCHED: Kept = { how: "top", by: ["clicks", "impressions"], sums: ["clicks", "impressions"] };
const VISITED = ["sessions", "engaged_sessions"];
const CRAWLED = [
  "crawled_pages",
  "crawl_errors",
  "code_2xx",
  "code_301",
  "code_302",
  "code_4xx",
  "code_5xx",
  "all_other_codes",
  "blocked_by_robots_txt",
  "connection_timeout",
  "contains_malware",
  "dns_failures",
];
const counted = (sums: readonly string[], then: string): Kept => ({
  how: "top",
  by: [sums[0] ?? then, then],
  sums,
});

const OF_SEARCH = Object.fromEntries(familiesOf("search-console").map(({ name }) => [name, SEARCHED]));

const KEPT: Readonly<Record<Provider, Readonly<Record<string, Kept>>>> = {
  "search-console": OF_SEARCH,
  analytics: {
    "pages-screens": counted(["page_views", "event_count", "key_events"], "active_users"),
    "landing-pages": counted([...VISITED, "key_events"], "active_users"),
    "traffic-acquisition": counted([...VISITED, "event_count", "key_events"], "active_users"),
    "traffic-sources": counted(VISITED, "active_users"),
    events: counted(["event_count"], "total_users"),
    "page-events": counted(["event_count"], "total_users"),
    "js-errors": counted(["event_count"], "total_users"),
    "landing-page-acquisition": counted([...VISITED, "key_events"], "active_users"),
    "events-28d": counted(["event_count"], "total_users"),
  },
  "webmaster-tools": {
    "rank-traffic": { ...SEARCHED, how: "days" },
    "crawl-stats": { how: "days", by: ["crawled_pages"], sums: CRAWLED },
    "crawl-issues": { how: "issues", by: ["in_links"], sums: [] },
    feeds: { how: "top", by: ["url_count"], sums: ["url_count"] },
    queries: { ...SEARCHED, how: "week" },
    pages: { ...SEARCHED, how: "week" },
  },
};

/** What is kept of a family. Throws for one that is none of ours. */
export function keptOf({ provider, name }: { readonly provider: Provider; readonly name: string }): Kept {
  const kept = KEPT[provider][name];
  if (kept === undefined) throw new Error(`nothing says what is kept of ${provider} ${name}`);
  return kept;
}

// The rows of a report beside those of an earlier one. Pure.

/** What an earlier report says of a row. */
export type Earlier =
  /** Its figures there, in the order of the family's. */
  | { readonly told: "values"; readonly values: readonly (number | null)[] }
  /** All rows of that report are kept, and this is none of them: it is new. */
  | { readonly told: "no_row" }
  /** Only the first rows of that report are kept, and this is none of them: whether it was there is not known. */
  | { readonly told: "not_kept" }
  /** Several rows are told by the same words, cut or not: which is which is not known. */
  | { readonly told: "unclear" };

/** How many rows the first ones are of. */
const rowsOf = ({ rows, among }: InsightBody): number => among ?? rows;

/** What an earlier report says of each row of `shown`, in their order. A week's rows are the same by all but their date. */
export function earlierRows(
  { dimensions }: Pick<ReportFamily, "dimensions">,
  shown: InsightBody,
  before: InsightBody,
): Earlier[] {
  const named = dimensions.flatMap((dimension, place) =>
    dimension === "date" && dimensions.length > 1 ? [] : [place],
  );
  const [place = 0] = named;
  // With their lengths, several keys make one name that no others make.
  const nameOf = ({ keys }: InsightBody["top"][number]) =>
    named.length === 1
      ? (keys[place] ?? "")
      : named.reduce((name, at) => `${name}${keys[at]?.length ?? 0}:${keys[at] ?? ""}`, "");
  const [now, then] = [Map.groupBy(shown.top, nameOf), Map.groupBy(before.top, nameOf)];
  const isWhole = rowsOf(before) <= before.top.length;
  return shown.top.map((row): Earlier => {
    const name = nameOf(row);
    const [held, ...others] = then.get(name) ?? [];
    if (others.length > 0 || (now.get(name)?.length ?? 0) > 1) return { told: "unclear" };
    if (held !== undefined) return { told: "values", values: held.values };
    return { told: isWhole ? "no_row" : "not_kept" };
  });
}

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

// Longest text that is kept of what a row is told by, in characters; what lies beyond is cut off, which a last "…" shows.

export const LONGEST_KEY = 512;

/** Digits that are kept of a figure that is no whole number: more than anything shows. */
const DIGITS = 6;

/**
 * Makes an insight of a report's rows as they come, in whatever order. Holds at most the rows that are kept. Texts are kept as they
 * are but for their length: what stands in them is judged by who shows them.
 */
export function insightFold(family: ReportFamily) {
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
    add(row: ReportRow): void {
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
    body(notes: readonly ReportNote[]): InsightBody {
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

// A report as it came, read: what its rows say, what is kept of them, and its bytes as they are stored. On a worker, since it works long.

/** What is to be read. */
export interface ReadQuestion {
  readonly raw: RawReport;
  /** Where its bytes go as they are stored: a file that is not there yet. */
  readonly into: string;
  /** What the report of its date said that is stored already (`ReadReport.content`): where this one says the same, nothing is written. */
  readonly known: string | undefined;
}

/** What reading came to. */
export type ReadAnswer =
  | {
      readonly ok: true;
      readonly read: ReadReport;
      /** Undefined where it says what is stored already. */
      readonly packed: StoredObject | undefined;
      /** Of a whole report. */
      readonly insight: InsightBody | undefined;
    }
  | { readonly ok: false; readonly fault: Fault };

/** The level at which everything is packed: the same bytes always make the same object. */
const LEVEL = 6;

/** Reads a report. Throws `SpoolFault`. */
export async function readRaw({ raw, into, known }: ReadQuestion): Promise<ReadAnswer> {
  const isWhole = raw.cut === undefined;
  const fold = insightFold(raw.asked.family);
  const read = await readReport(raw, (row) => {
    if (isWhole) fold.add(row);
  });
  if (!read.ok) return read;
  const { value } = read;
  return {
    ok: true,
    read: value,
    packed: value.content === known ? undefined : await packed(raw.pages, into),
    insight: isWhole ? fold.body(value.notes) : undefined,
  };
}

const NEWLINE = new Uint8Array([10]);

async function* bytesOf(pages: readonly RawPage[], seen: (piece: Uint8Array) => void) {
  for (const [place, { path }] of pages.entries()) {
    const pieces: AsyncIterable<Uint8Array> = Bun.file(path).stream();
    if (place > 0) {
      seen(NEWLINE);
      yield NEWLINE;
    }
    for await (const piece of pieces) {
      seen(piece);
      yield piece;
    }
  }
}

/** The bytes of all pages, packed into a file. */
async function packed(pages: readonly RawPage[], into: string): Promise<StoredObject> {
  const [plain, stored] = [new Bun.CryptoHasher("sha256"), new Bun.CryptoHasher("sha256")];
  let [bytes, storedBytes] = [0, 0];
  const source = bytesOf(pages, (piece) => {
    bytes += piece.byteLength;
    plain.update(piece);
  });
  async function* told(pieces: AsyncIterable<Uint8Array>) {
    for await (const piece of pieces) {
      storedBytes += piece.byteLength;
      stored.update(piece);
      yield piece;
    }
  }
  try {
    await pipeline(source, createGzip({ level: LEVEL }), told, createWriteStream(into, { mode: 0o600 }));
  } catch (error) {
    throw new SpoolFault(error);
  }
  return { sha256: plain.digest("hex"), bytes, storedBytes, storedSha256: stored.digest("hex") };
}
