/** Archive reports of analytics: asked page after page, until there are as many rows as it says, and read row by row. */

import type { Config } from "../base/config.ts";
import { dayOfNumber } from "../base/time.ts";
import type { ReportNote } from "./adapter.ts";
import {
  headFault,
  notesOf,
  type ReportHead,
  ReportHeadShape,
  type ReportKind,
  reportErrors,
} from "./analytics.ts";
import { ANALYTICS_SCOPE, isProperty } from "./analytics_properties.ts";
import { shaped } from "./answers.ts";
import { type Asked, askGoogle, type ProviderClient, type Question } from "./client.ts";
import { type FaultCode, refused } from "./faults.ts";
import type { RawReport, ReportAsked } from "./report_families.ts";
import {
  type PageFiles,
  type PageReader,
  type PagesRead,
  ReportPages,
  type RowRead,
} from "./report_pages.ts";

/** Rows of a page; the API gives no more. */
const PAGE_ROWS = 250_000;
/** Should the API give fewer rows than it is asked for, it is not followed for ever: reading says that rows are missing. */
const MOST_PAGES = 100;

export async function askAnalyticsReport(
  client: ProviderClient,
  asked: ReportAsked,
  files: PageFiles,
): Promise<Asked<RawReport>> {
  if (!isProperty(asked.property)) return { outcome: refused("property_malformed"), requests: 0 };
  const pages = new ReportPages(client, asked, files, {
    list: "rows",
    ask: (question) => askGoogle(client, ANALYTICS_SCOPE, question),
  });
  const most = asked.bounds.rows;
  for (let [page, offset] = [0, 0]; page < MOST_PAGES; page++) {
    const limit = Math.min(PAGE_ROWS, most - offset);
    const question = reportQuestion(client.addresses, asked, { offset, limit });
    const seen = await pages.ask(question, { step: "rows", value: undefined, offset });
    const rows = seen?.items ?? 0;
    offset += rows;
    if (rows === 0 || offset >= rowCountOf(seen?.rest)) break;
    if (offset >= most) {
      pages.endAtRows();
      break;
    }
  }
  return pages.report();
}

/** How many rows a page says there are in all; none where it does not say so, which reading it judges. */
function rowCountOf(rest: unknown): number {
  const { rowCount } = (rest ?? {}) as { readonly rowCount?: unknown };
  return typeof rowCount === "number" ? rowCount : 0;
}

const DIMENSIONS: Readonly<Record<string, string>> = {
  page: "pagePath",
  title: "pageTitle",
  landing_page: "landingPage",
  channel: "sessionDefaultChannelGroup",
  source: "sessionSource",
  medium: "sessionMedium",
  campaign: "sessionCampaignName",
  event: "eventName",
};

const METRICS: Readonly<Record<string, string>> = {
  page_views: "screenPageViews",
  active_users: "activeUsers",
  event_count: "eventCount",
  engagement_seconds: "userEngagementDuration",
  key_events: "keyEvents",
  sessions: "sessions",
  new_users: "newUsers",
  engaged_sessions: "engagedSessions",
  total_users: "totalUsers",
  events_per_user: "eventCountPerUser",
};

/** The columns of a report, by the names that the API knows. */
function columnsOf({ family, errorEvents }: ReportAsked): Pick<ReportKind, "dimensions" | "metrics"> {
  const { name, dimensions, metrics } = family;
  const errors: Readonly<Record<string, string>> = {
    message: `customEvent:${errorEvents.message}`,
    source: `customEvent:${errorEvents.source}`,
  };
  const own = name === "js-errors" ? { ...DIMENSIONS, ...errors } : DIMENSIONS;
  return {
    dimensions: dimensions.map((one) => own[one] ?? one),
    metrics: metrics.map((one) => METRICS[one] ?? one),
  };
}

/** Rows `offset` and on, at most `limit` of them. */
function reportQuestion(
  addresses: Config["providers"],
  asked: ReportAsked,
  { offset, limit }: { readonly offset: number; readonly limit: number },
): Omit<Question, "maxBytes" | "into"> {
  const { dimensions, metrics } = columnsOf(asked);
  return {
    url: `${addresses.analyticsData}/v1beta/properties/${asked.property}:runReport`,
    body: {
      dateRanges: [{ startDate: dayOfNumber(asked.from), endDate: dayOfNumber(asked.to) }],
      dimensions: dimensions.map((name) => ({ name })),
      metrics: metrics.map((name) => ({ name })),
      ...filterOf(asked),
      // Over all of them, so that no tie moves from one page to another or from one day's answer to the next.
      orderBys: dimensions.map((dimensionName) => ({ dimension: { dimensionName } })),
      limit: String(limit),
      offset: String(offset),
      keepEmptyRows: false,
    },
    timeoutMs: 180_000,
    errors: reportErrors(dimensions.filter((name) => name.startsWith("customEvent:"))),
  };
}

function filterOf({ family, errorEvents }: ReportAsked): object {
  if (family.name !== "js-errors") return {};
  const inListFilter = { values: [...errorEvents.events], caseSensitive: true };
  return { dimensionFilter: { filter: { fieldName: "eventName", inListFilter } } };
}

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
    const fault = headFault(head, this.#kind);
    if (fault !== undefined) return fault;
    const { rowCount } = head;
    const timeZone = head.metadata?.timeZone;
    // It is left out only together with the rows: rows without it are no report.
    if (items === undefined ? head.rows !== undefined : rowCount === undefined) return "unexpected_report";
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
    if (this.#rows > rowCount) return "unexpected_report";
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
