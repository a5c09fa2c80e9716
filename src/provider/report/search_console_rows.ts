/** The rows of search console's reports: pure. */
import * as v from "valibot";
import type { FaultCode } from "../fault_codes.ts";
import { objectOf } from "../read_json.ts";
import { isCount } from "../report_days.ts";
import { SEARCH_CONSOLE_ZONE } from "../search_console/request.ts";
import type { RawPage, ReportAsked } from "./contract.ts";
import type { PageReader, PagesRead, RowRead } from "./page_reader.ts";

/** The API tells no more rows of a day and a type, whatever is asked. */
export const MOST_SEARCH_ROWS = 50_000;

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
export function appearanceIn(item: unknown): string | undefined {
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
