/** Asking search console for a report: pages of one question, or of one for each appearance that a first question names. */

import * as v from "valibot";
import { zoneDay } from "../base/time.ts";
import { type DailyReport, isCount, isNamed } from "./adapter.ts";
import { objectOf } from "./answers.ts";
import { type Asked, askGoogle, type ProviderClient, read } from "./client.ts";
import type { FaultCode } from "./faults.ts";
import { refused } from "./faults.ts";
import type { RawPage, RawReport, ReportAsked } from "./report_families.ts";
import {
  type PageFiles,
  type PagePlace,
  type PageReader,
  type PagesRead,
  ReportPages,
  type RowRead,
} from "./report_pages.ts";
import {
  dailyQuestion,
  parseDays,
  SEARCH_CONSOLE_SCOPE,
  SEARCH_CONSOLE_ZONE,
  type SearchAsked,
  searchQuestion,
} from "./search_console.ts";

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
      const seen = await pages.ask(
        { ...question, timeoutMs: TIMEOUT_MS },
        { step: "rows", value, offset: startRow },
      );
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
  const place: PagePlace = { step: "values", value: undefined, offset: 0 };
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
  readonly #asked: ReportAsked;
  /** Rows by the question that they answer. */
  readonly #rows = new Map<string | undefined, number>();

  constructor(asked: ReportAsked) {
    this.#asked = asked;
  }

  row(item: unknown, { step, value }: RawPage): RowRead {
    const keys = keysOf(item);
    if (keys === undefined) return "unexpected_report";
    const { dimensions, metrics } = this.#asked.family;
    const told = value === undefined ? keys : [value, ...keys];
    if (told.length !== (step === "values" ? 1 : dimensions.length)) return "other_columns";
    const { clicks, impressions, ctr, position } = item as SearchRow;
    if (typeof clicks !== "number" || typeof impressions !== "number" || typeof ctr !== "number") {
      return "unexpected_report";
    }
    if (!isCount(clicks) || !isCount(impressions) || !(ctr >= 0 && ctr <= 1)) return "impossible_value";
    const counts = [clicks, impressions, ctr];
    if (!metrics.includes("position")) return { keys: told, values: counts };
    const place = placeOf(position);
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
  const final = read(await askDays(client, property, now, "final"), ({ days }) => ({
    ok: true,
    value: days.at(-1)?.day,
  }));
  if (!final.outcome.ok || final.outcome.value !== undefined) return final;
  const all = read(await askDays(client, property, now, "all"), ({ firstIncomplete }) => ({
    ok: true,
    value: firstIncomplete === undefined ? undefined : firstIncomplete - 1,
  }));
  return { ...all, requests: final.requests + all.requests };
}

async function askDays(
  client: ProviderClient,
  property: string,
  now: number,
  dataState: "final" | "all",
): Promise<Asked<DailyReport>> {
  const to = zoneDay(now, SEARCH_CONSOLE_ZONE);
  const range = { from: to - DAYS + 1, to };
  const question = dailyQuestion(client.addresses, property, range, dataState);
  return read(await askGoogle(client, SEARCH_CONSOLE_SCOPE, question), ({ text }) => parseDays(text, range));
}
