/** Asking webmaster tools for a report: one answer, which is all there is. */

import * as v from "valibot";
import { dayOfNumber } from "../base/time.ts";
import { isCount } from "./adapter.ts";
import { objectOf } from "./answers.ts";
import { type Asked, ask, type ProviderClient } from "./client.ts";
import type { FaultCode } from "./faults.ts";
import { refused } from "./faults.ts";
import type { RawReport, ReportAsked } from "./report_families.ts";
import {
  type PageFiles,
  type PageReader,
  type PagesRead,
  ReportPages,
  type RowRead,
} from "./report_pages.ts";
import { dayOfMoment, methodQuestion, momentIn } from "./webmaster_tools.ts";

export async function askWebmasterToolsReport(
  client: ProviderClient,
  asked: ReportAsked,
  files: PageFiles,
): Promise<Asked<RawReport>> {
  const { secret, addresses } = client;
  const method = METHODS[asked.family.name] ?? asked.family.name;
  if (secret.kind !== "webmaster-tools-key") {
    return { outcome: refused("credential_of_another_kind"), requests: 0 };
  }
  const pages = new ReportPages(client, asked, files, {
    list: "d",
    ask: (question) => ask(client, question),
  });
  const question = methodQuestion(addresses, method, { apikey: secret.key, siteUrl: asked.property });
  const seen = await pages.ask(question, { step: "rows", value: undefined, offset: 0 });
  if ((seen?.items ?? 0) > asked.bounds.rows) pages.endAtRows();
  return pages.report();
}

const METHODS: Readonly<Record<string, string>> = {
  "rank-traffic": "GetRankAndTrafficStats",
  "crawl-stats": "GetCrawlStats",
  "crawl-issues": "GetCrawlIssues",
  feeds: "GetFeeds",
  queries: "GetQueryStats",
  pages: "GetPageStats",
};

const Rest = objectOf({ d: v.nullable(v.array(v.unknown())) });

const DAY_MS = 86_400_000;
const MOST_STATUS = 999;

type Item = Readonly<Record<string, unknown>>;
/** A value that is told; undefined where it cannot be. */
type Told = number | null | undefined;

interface Columns {
  /** Undefined where what is told can be no key. */
  readonly keys: readonly ((item: Item, latest: number) => string | undefined)[];
  readonly values: readonly ((item: Item) => Told)[];
  readonly isKeyed: boolean;
  readonly dayKey?: number;
}

const text = (name: string) => (item: Item) => {
  const value = item[name];
  return typeof value === "string" ? value : undefined;
};
/** The UTC day of a moment, up to the latest that can be. */
const day = (name: string) => (item: Item, latest: number) => {
  const value = item[name];
  const told = typeof value === "string" ? dayOfMoment(value) : undefined;
  return told === undefined || told > latest ? undefined : dayOfNumber(told);
};
const whole =
  (name: string, most = Number.MAX_SAFE_INTEGER) =>
  (item: Item): Told => {
    const value = item[name];
    return typeof value === "number" && isCount(value) && value <= most ? value : undefined;
  };
/** A position as it is told, its scale left as it is; -1 says that there is none. */
const position =
  (name: string) =>
  (item: Item): Told => {
    const value = item[name];
    if (value === -1) return null;
    return typeof value === "number" && value >= 0 && Number.isFinite(value) ? value : undefined;
  };
/** Milliseconds since the epoch; null for never. */
const moment =
  (name: string) =>
  (item: Item): Told => {
    const value = item[name];
    return typeof value === "string" ? momentIn(value) : undefined;
  };

const weekly: Columns = {
  keys: [text("Query"), day("Date")],
  values: [
    whole("Clicks"),
    whole("Impressions"),
    position("AvgClickPosition"),
    position("AvgImpressionPosition"),
  ],
  isKeyed: true,
  dayKey: 1,
};

/** In the order of the family's dimensions and metrics. */
const COLUMNS: Readonly<Record<string, Columns>> = {
  "rank-traffic": {
    keys: [day("Date")],
    values: [whole("Clicks"), whole("Impressions")],
    isKeyed: true,
    dayKey: 0,
  },
  "crawl-stats": {
    keys: [day("Date")],
    values: [
      "CrawledPages",
      "CrawlErrors",
      "InIndex",
      "InLinks",
      "Code2xx",
      "Code301",
      "Code302",
      "Code4xx",
      "Code5xx",
      "AllOtherCodes",
      "BlockedByRobotsTxt",
      "ConnectionTimeout",
      "ContainsMalware",
      "DnsFailures",
    ].map((name) => whole(name)),
    isKeyed: true,
    dayKey: 0,
  },
  // A page may be listed with one issue after another, and with a kind that the provider documents nowhere.
  "crawl-issues": {
    keys: [text("Url")],
    values: [whole("Issues"), whole("HttpCode", MOST_STATUS), whole("InLinks")],
    isKeyed: false,
  },
  feeds: {
    keys: [text("Url"), text("Type"), text("Status")],
    values: [whole("UrlCount"), whole("FileSize"), moment("LastCrawled"), moment("Submitted")],
    isKeyed: false,
  },
  queries: weekly,
  // The page stands where a query does, under the same name.
  pages: weekly,
};

const NONE: Columns = { keys: [], values: [], isKeyed: false };

export class WebmasterToolsReader implements PageReader {
  readonly list = "d";
  readonly isKeyed: boolean;
  readonly dayKey: number | undefined;
  readonly #columns: Columns;
  readonly #latest: number;

  constructor({ family }: ReportAsked, askedAt: number) {
    this.#columns = COLUMNS[family.name] ?? NONE;
    this.isKeyed = this.#columns.isKeyed;
    this.dayKey = this.#columns.dayKey;
    // No calendar is more than a day ahead of UTC.
    this.#latest = Math.floor(askedAt / DAY_MS) + 1;
  }

  row(item: unknown): RowRead {
    if (typeof item !== "object" || item === null || Array.isArray(item)) return "unexpected_report";
    const keys: string[] = [];
    for (const [place, keyIn] of this.#columns.keys.entries()) {
      const key = keyIn(item as Item, this.#latest);
      if (key === undefined) return place === this.dayKey ? "other_days" : "unexpected_report";
      keys.push(key);
    }
    const values: (number | null)[] = [];
    for (const valueIn of this.#columns.values) {
      const value = valueIn(item as Item);
      if (value === undefined) return "impossible_value";
      values.push(value);
    }
    return { keys, values };
  }

  /** A list and null both may be nothing; an answer without `d` is none. */
  pageEnds(rest: unknown, items: number | undefined): FaultCode | undefined {
    const read = v.safeParse(Rest, rest);
    if (!read.success) return "unexpected_report";
    return items === undefined && read.output.d !== null ? "unexpected_report" : undefined;
  }

  ends(): PagesRead {
    return { timeZone: undefined, notes: [] };
  }
}
