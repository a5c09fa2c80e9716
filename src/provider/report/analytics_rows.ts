/** The rows of analytics' reports: pure. */
import { isTimeZone } from "../../lib/zone_day.ts";
import {
  isOfKind,
  isRestricted,
  notesOf,
  type ReportHead,
  ReportHeadShape,
  type ReportKind,
} from "../analytics/report_head.ts";
import type { ReportNote } from "../contract.ts";
import type { FaultCode } from "../fault_codes.ts";
import { shaped } from "../read_json.ts";
import { columnsOf } from "./analytics_question.ts";
import type { ReportAsked } from "./contract.ts";
import type { PageReader, PagesRead, RowRead } from "./page_reader.ts";

/** Figures that may be no whole numbers: what an event is worth is divided among what led to it. */
const DECIMAL: ReadonlySet<string> = new Set(["keyEvents", "userEngagementDuration", "eventCountPerUser"]);
const WHOLE_NUMBER = /^\d{1,16}$/;
const DECIMAL_NUMBER = /^\d{1,16}(?:\.\d{1,32})?(?:[eE][-+]?\d{1,2})?$/;

export class AnalyticsReader implements PageReader {
  readonly list = "rows";
  readonly isKeyed = true;
  readonly dayKey = undefined;
  readonly #kind: ReportKind;
  readonly #numbers: readonly RegExp[];
  readonly #notes = new Set<ReportNote>();
  #first: Pick<ReportHead, "rowCount"> & { readonly timeZone: string | undefined } = {
    rowCount: undefined,
    timeZone: undefined,
  };
  #pages = 0;
  #rows = 0;

  constructor(asked: ReportAsked) {
    this.#kind = { kind: "analyticsData#runReport", ...columnsOf(asked) };
    this.#numbers = this.#kind.metrics.map((name) => (DECIMAL.has(name) ? DECIMAL_NUMBER : WHOLE_NUMBER));
  }

  row(item: unknown): RowRead {
    const { dimensionValues, metricValues } = (item ?? {}) as {
      readonly dimensionValues?: unknown;
      readonly metricValues?: unknown;
    };
    const keys = textsOf(dimensionValues);
    const figures = textsOf(metricValues);
    if (keys === undefined || figures === undefined) return "unexpected_report";
    const { dimensions } = this.#kind;
    if (keys.length !== dimensions.length || figures.length !== this.#numbers.length) return "other_columns";
    const values = figures.map((text, place) =>
      this.#numbers[place]?.test(text) === true ? Number(text) : Number.NaN,
    );
    const isPossible = values.every((value) => Number.isFinite(value) && value <= Number.MAX_SAFE_INTEGER);
    return isPossible ? { keys, values } : "impossible_value";
  }

  pageEnds(rest: unknown, items: number | undefined): FaultCode | undefined {
    const read = shaped(rest, ReportHeadShape);
    if (!read.ok) return read.fault.code;
    const head = read.value;
    const { metadata, rowCount } = head;
    if (isRestricted(head, this.#kind)) return "metric_restricted";
    if (!isOfKind(head, this.#kind)) return "other_columns";
    // It is left out only together with the rows: rows without it are no report.
    if (items === undefined ? head.rows !== undefined : rowCount === undefined) return "unexpected_report";
    if ((metadata?.dataTruncationReasons?.length ?? 0) > 0) return "report_truncated";
    const timeZone = metadata?.timeZone;
    if (timeZone !== undefined && !isTimeZone(timeZone)) return "unknown_time_zone";
    if (this.#pages++ === 0) this.#first = { rowCount, timeZone };
    else if (rowCount !== this.#first.rowCount || timeZone !== this.#first.timeZone) {
      return "unexpected_report";
    }
    this.#rows += items ?? 0;
    for (const note of notesOf(head)) this.#notes.add(note);
    return undefined;
  }

  ends(isWhole: boolean): FaultCode | PagesRead {
    const { rowCount = 0, timeZone } = this.#first;
    if (isWhole && this.#rows > rowCount) return "unexpected_report";
    if (isWhole && this.#rows < rowCount) return "rows_missing";
    return { timeZone, notes: [...this.#notes] };
  }
}

/** The texts of `[{"value": "…"}]`. A row with no dimension of a name has no list of them at all. */
function textsOf(values: unknown): readonly string[] | undefined {
  if (!Array.isArray(values)) return undefined;
  const texts: string[] = [];
  for (const one of values) {
    const { value } = (one ?? {}) as { readonly value?: unknown };
    if (typeof value !== "string") return undefined;
    texts.push(value);
  }
  return texts;
}
