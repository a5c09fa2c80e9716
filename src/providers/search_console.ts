/** Asking Search Console. */

import * as v from "valibot";
import type { Config } from "../base/config.ts";
import { dayOfNumber, zoneDay } from "../base/time.ts";
import {
  type AskedDays,
  type DailyQuestion,
  type DailyReport,
  type DayRange,
  type DiscoveredProperty,
  dayIn,
  isCount,
  isNamed,
  orderedDays,
  SIGNAL_METRICS,
  windowOf,
} from "./adapter.ts";
import { type ErrorTable, objectOf, shaped } from "./answers.ts";
import { type Asked, askGoogle, type ProviderClient, type Question, read } from "./client.ts";
import { type FaultCode, type Outcome, refused } from "./faults.ts";
import { googleErrors, type OwnErrors } from "./google.ts";
import type { RawPage, RawReport, ReportAsked, ReportFamily } from "./report_families.ts";
import {
  type PageFiles,
  type PagePlace,
  type PageReader,
  type PagesRead,
  ReportPages,
  type RowRead,
  rowsIn,
} from "./report_pages.ts";

/** Daily figures of the 97 Pacific days up to today there. */
export async function askDays(
  client: ProviderClient,
  property: string,
  { now }: DailyQuestion,
): Promise<Asked<AskedDays>> {
  const range = windowOf(now, SEARCH_CONSOLE_ZONE);
  const question = dailyQuestion(client.addresses, property, range);
  const days = await askGoogle(client, SEARCH_CONSOLE_SCOPE, question);
  const asked = { ...range, timeZone: SEARCH_CONSOLE_ZONE };
  return read(days, ({ text }) => ({ ok: true, value: { asked, body: text } }));
}

export async function discover(client: ProviderClient): Promise<Asked<readonly DiscoveredProperty[]>> {
  const asked = await askGoogle(client, SEARCH_CONSOLE_SCOPE, sitesQuestion(client.addresses));
  return read(asked, ({ json }) => parseSites(json));
}

/** Questions to Search Console. Dates are days of Pacific time, whatever the site's own is. */

const SEARCH_CONSOLE_SCOPE = "https://www.googleapis.com/auth/webmasters.readonly";
export const SEARCH_CONSOLE_ZONE = "America/Los_Angeles";

type Addresses = Config["providers"];

/** What of a property's searches is asked for. Days are Pacific ones. */
interface SearchAsked extends DayRange {
  readonly property: string;
  readonly dimensions: readonly string[];
  readonly type: "web" | "image" | "discover";
  /** `all` tells the days that are not final, too, and says from which on they are not. */
  readonly dataState: "final" | "all";
  /** Of these results alone; of all where it is absent. */
  readonly appearance?: string;
}

/** Rows `startRow` and on, at most `rowLimit` of them; how much of the answer is read, and for how long, is for who asks to say. */
function searchQuestion(
  addresses: Addresses,
  { property, from, to, dimensions, type, dataState, appearance }: SearchAsked,
  { startRow, rowLimit }: { readonly startRow: number; readonly rowLimit: number },
): Pick<Question, "url" | "body" | "errors"> {
  const filters = [{ dimension: "searchAppearance", operator: "equals", expression: appearance }];
  return {
    url: `${addresses.searchConsole}/webmasters/v3/sites/${encodeURIComponent(property)}/searchAnalytics/query`,
    body: {
      startDate: dayOfNumber(from),
      endDate: dayOfNumber(to),
      dimensions,
      type,
      dataState,
      rowLimit,
      startRow,
      ...(appearance === undefined ? {} : { dimensionFilterGroups: [{ groupType: "and", filters }] }),
    },
    errors: queryErrors,
  };
}

/** Daily figures of a site. */
export function dailyQuestion(
  addresses: Addresses,
  property: string,
  range: DayRange,
  dataState: SearchAsked["dataState"] = "all",
): Question {
  const asked = { ...range, property, dimensions: ["date"], type: "web", dataState } as const;
  return {
    ...searchQuestion(addresses, asked, { startRow: 0, rowLimit: 1_000 }),
    timeoutMs: 20_000,
    maxBytes: 1_048_576,
  };
}

/** Every site that the account was added to; there are no pages of it. */
export function sitesQuestion(addresses: Addresses): Question {
  return {
    url: `${addresses.searchConsole}/webmasters/v3/sites`,
    timeoutMs: 20_000,
    maxBytes: 2_097_152,
    errors: listErrors,
  };
}

/** Described with underscores, sent without: either is taken. */
const Unfinished = objectOf({
  metadata: v.optional(
    objectOf({
      firstIncompleteDate: v.optional(v.string()),
      first_incomplete_date: v.optional(v.string()),
    }),
  ),
});

const DAILY = { dimensions: ["date"], metrics: SIGNAL_METRICS["search-console"] };

/** The daily figures of an answer. */
export function parseDays(text: string, asked: DayRange): Outcome<DailyReport> {
  const read = rowsIn(text, new SearchConsoleReader(DAILY));
  if (!read.ok) return read;
  const unfinished = shaped(read.value.rest, Unfinished);
  if (!unfinished.ok) return unfinished;
  const { metadata } = unfinished.value;
  const told = metadata?.firstIncompleteDate ?? metadata?.first_incomplete_date;
  const firstIncomplete = told === undefined ? undefined : dayIn(told);
  if (told !== undefined && firstIncomplete === undefined) return refused("impossible_value");
  const ordered = orderedDays(read.value.rows, asked);
  if (!ordered.ok) return ordered;
  const { from, to } = asked;
  const of = { provider: "search-console", timeZone: SEARCH_CONSOLE_ZONE, from, to } as const;
  return { ok: true, value: { ...of, days: ordered.value, firstIncomplete, notes: [] } };
}

const Sites = objectOf({
  siteEntry: v.optional(
    v.array(objectOf({ siteUrl: v.pipe(v.string(), v.minLength(1)), permissionLevel: v.string() })),
  ),
});

/** Levels that may read figures. Whoever is not verified is listed, and refused at every question. */
const READERS = new Set(["siteOwner", "siteFullUser", "siteRestrictedUser"]);

/** The sites of an account. Who was added to none gets `{}`: anything else without a list is none. */
export function parseSites(json: unknown): Outcome<readonly DiscoveredProperty[]> {
  const sites = shaped(json, Sites);
  if (!sites.ok) return sites;
  const { siteEntry } = sites.value;
  if (siteEntry === undefined && Object.keys(json as object).length > 0) return refused("unexpected_report");
  const properties = (siteEntry ?? []).map(
    ({ siteUrl, permissionLevel }): DiscoveredProperty => ({
      provider: "search-console",
      property: siteUrl,
      name: siteUrl,
      timeZone: SEARCH_CONSOLE_ZONE,
      usable: READERS.has(permissionLevel),
    }),
  );
  return { ok: true, value: properties };
}

/** What Search Console says in its own way: quotas come as refusals, told apart by reason and message. */

/**
 * `quotaExceeded` is said of two quotas: that of questions a second, which is over soon, and that of load, which is not. The first is the
 * account's as much as the property's, and asking on about other properties keeps it closed.
 */
const own: OwnErrors = ({ reasons, message }) => {
  if (!reasons.includes("quotaExceeded")) return undefined;
  return message.includes("QPS") ? "rate_limited" : "load_quota";
};

/** Errors of figures. A site that is unknown, unverified or misspelt is refused in the same words. */
export const queryErrors: ErrorTable = googleErrors("property_denied", own);

/** Errors of the list of sites. */
export const listErrors: ErrorTable = googleErrors("access_refused", own);

// Asking search console for a report: pages of one question, or of one for each appearance that a first question names.

/** Rows of a page; the API gives no more. */
const PAGE_ROWS = 25_000;
const TIMEOUT_MS = 120_000;
/** More kinds of appearance there are not: each is a question of its own. */
const MOST_APPEARANCES = 200;

export async function askSearchConsoleReport(
  client: ProviderClient,
  asked: ReportAsked,
  files: PageFiles,
): Promise<Asked<RawReport>> {
  const pages = new ReportPages(client, asked, files, {
    list: "rows",
    ask: (question) => askGoogle(client, SEARCH_CONSOLE_SCOPE, question),
  });
  const { family, property, from, to, bounds } = asked;
  const search: SearchAsked = {
    property,
    from,
    to,
    dimensions: family.dimensions,
    type: TYPES[family.name] ?? "web",
    dataState: "final",
  };
  let taken = 0;

  /** Rows until there are no more, which is known by a page with fewer than were asked for. */
  async function askRows(of: SearchAsked, value: string | undefined): Promise<void> {
    for (let startRow = 0; startRow < MOST_SEARCH_ROWS && !pages.isOver; ) {
      // One more than is taken: a report of exactly that many rows is whole.
      const most = Math.min(MOST_SEARCH_ROWS - startRow, bounds.rows - taken + 1);
      const rowLimit = Math.min(PAGE_ROWS, most);
      const question = searchQuestion(client.addresses, of, { startRow, rowLimit });
      const seen = await pages.ask({ ...question, timeoutMs: TIMEOUT_MS }, { step: "rows", value });
      const rows = seen?.items ?? 0;
      startRow += rows;
      taken += rows;
      if (taken > bounds.rows) pages.endAtRows();
      if (rows < rowLimit) return;
    }
  }

  if (family.name !== "search-appearance-pages") {
    await askRows(search, undefined);
    return pages.report();
  }
  const appearances = new Set<string>();
  const first = searchQuestion(
    client.addresses,
    { ...search, dimensions: ["searchAppearance"] },
    { startRow: 0, rowLimit: PAGE_ROWS },
  );
  const place: PagePlace = { step: "values", value: undefined };
  const seen = await pages.ask({ ...first, timeoutMs: TIMEOUT_MS }, place, MOST_APPEARANCES + 1);
  for (const row of seen?.first ?? []) {
    const name = appearanceIn(row);
    if (name !== undefined) appearances.add(name);
  }
  for (const appearance of [...appearances].slice(0, MOST_APPEARANCES)) {
    if (pages.isOver) break;
    await askRows({ ...search, dimensions: ["page"], appearance }, appearance);
  }
  if (appearances.size > MOST_APPEARANCES) pages.endAtRows();
  return pages.report();
}

/** Which results a family is of, where they are not those of the web. */
const TYPES: Readonly<Record<string, SearchAsked["type"]>> = {
  "image-page-query": "image",
  "discover-page": "discover",
};

/** The API tells no more rows of a day and a type, whatever is asked. */
const MOST_SEARCH_ROWS = 50_000;

interface SearchRow {
  readonly keys?: unknown;
  readonly clicks?: unknown;
  readonly impressions?: unknown;
  readonly ctr?: unknown;
  readonly position?: unknown;
}

const Rest = objectOf({
  rows: v.optional(v.array(v.unknown())),
  responseAggregationType: v.optional(v.string()),
});

/** The appearance that a row of the first step names; undefined where it names none. */
function appearanceIn(item: unknown): string | undefined {
  const [name, ...more] = keysOf(item) ?? [];
  return more.length === 0 && name !== "" ? name : undefined;
}

export class SearchConsoleReader implements PageReader {
  readonly list = "rows";
  readonly isKeyed = true;
  readonly dayKey = undefined;
  readonly #of: Pick<ReportFamily, "dimensions" | "metrics">;
  /** Rows by the question that they answer. */
  readonly #rows = new Map<string | undefined, number>();

  constructor(of: Pick<ReportFamily, "dimensions" | "metrics">) {
    this.#of = of;
  }

  row(item: unknown, { step, value }: RawPage): RowRead {
    const keys = keysOf(item);
    if (keys === undefined) return "unexpected_report";
    const { dimensions, metrics } = this.#of;
    const told = value === undefined ? keys : [value, ...keys];
    if (told.length !== (step === "values" ? 1 : dimensions.length)) return "other_columns";
    const { clicks, impressions, ctr, position } = item as SearchRow;
    if (typeof clicks !== "number" || typeof impressions !== "number" || typeof ctr !== "number") {
      return "unexpected_report";
    }
    if (!isCount(clicks) || !isCount(impressions) || !(ctr >= 0 && ctr <= 1)) return "impossible_value";
    const counts = [clicks, impressions, ctr];
    if (!metrics.includes("position")) return { keys: told, values: counts };
    // Of a day it is always told.
    const place = typeof position !== "number" && dimensions[0] === "date" ? undefined : placeOf(position);
    return place === undefined ? "impossible_value" : { keys: told, values: [...counts, place] };
  }

  pageEnds(rest: unknown, items: number | undefined, { step, value }: RawPage): FaultCode | undefined {
    const read = v.safeParse(Rest, rest);
    if (!read.success) return "unexpected_report";
    const { rows, responseAggregationType } = read.output;
    // Where nothing happened it has no rows at all, and says only how it would have added them up.
    if (items === undefined && (rows !== undefined || responseAggregationType === undefined)) {
      return "unexpected_report";
    }
    if (step === "rows") this.#rows.set(value, (this.#rows.get(value) ?? 0) + (items ?? 0));
    return undefined;
  }

  ends(): PagesRead {
    const isTop = [...this.#rows.values()].some((rows) => rows >= MOST_SEARCH_ROWS);
    return { timeZone: SEARCH_CONSOLE_ZONE, notes: isTop ? ["top_rows"] : [] };
  }
}

function keysOf(item: unknown): readonly string[] | undefined {
  const keys = typeof item === "object" && item !== null ? (item as SearchRow).keys : undefined;
  return Array.isArray(keys) && keys.every((key) => typeof key === "string") ? keys : undefined;
}

/** A position counts from 1; where nothing was seen there is none, which is left out or told as 0. Undefined for what can be none. */
function placeOf(position: unknown): number | null | undefined {
  if (position === undefined || position === null || position === 0) return null;
  return typeof position === "number" && position >= 1 && Number.isFinite(position) ? position : undefined;
}

/** Which day of search console is the newest one whose figures are final: no field says so. */

/** So far back it is looked for. */
const DAYS = 10;

/**
 * The newest final day as a day number of the Pacific calendar: the last one that final figures are told of; where none are, the one
 * before the first that is said not to be. Undefined where neither is told, as of a site that nobody saw for long.
 */
export async function askLastFinal(
  client: ProviderClient,
  property: string,
  now: number,
): Promise<Asked<number | undefined>> {
  if (!isNamed(property)) return { outcome: refused("property_malformed"), requests: 0 };
  const final = read(await askTotals(client, property, now, "final"), ({ days }) => ({
    ok: true,
    value: days.at(-1)?.day,
  }));
  if (!final.outcome.ok || final.outcome.value !== undefined) return final;
  const all = read(await askTotals(client, property, now, "all"), ({ firstIncomplete }) => ({
    ok: true,
    value: firstIncomplete === undefined ? undefined : firstIncomplete - 1,
  }));
  return { ...all, requests: final.requests + all.requests };
}

async function askTotals(client: ProviderClient, property: string, now: number, dataState: "final" | "all") {
  const to = zoneDay(now, SEARCH_CONSOLE_ZONE);
  const range = { from: to - DAYS + 1, to };
  const question = dailyQuestion(client.addresses, property, range, dataState);
  return read(await askGoogle(client, SEARCH_CONSOLE_SCOPE, question), ({ text }) => parseDays(text, range));
}
