/** Asking webmaster tools. */

import * as v from "valibot";
import type { Config } from "../base/config.ts";
import { DAY_MS, dayOfNumber, zoneDay } from "../base/time.ts";
import {
  type AskedDays,
  type DailyQuestion,
  type DailyReport,
  type DiscoveredProperty,
  isCount,
  orderedDays,
  WINDOW_DAYS,
} from "./adapter.ts";
import { type AnswerSeen, objectOf, shaped, unwrapped } from "./answers.ts";
import { type Asked, ask, OF_ANOTHER_KIND, type ProviderClient, type Question, read } from "./client.ts";
import { type Fault, type FaultCode, faultOf, type Outcome } from "./faults.ts";
import type { RawReport, ReportAsked } from "./report_families.ts";
import {
  type PageFiles,
  type PageReader,
  type PagesRead,
  ReportPages,
  type RowRead,
  rowsIn,
} from "./report_pages.ts";

/** Daily figures, as many days as are kept. */
export async function askDays(
  client: ProviderClient,
  property: string,
  { now }: DailyQuestion,
): Promise<Asked<AskedDays>> {
  const { secret, addresses } = client;
  if (secret.kind !== "webmaster-tools-key") return OF_ANOTHER_KIND;
  const days = await ask(client, dailyQuestion(addresses, secret.key, property));
  const asked = { from: 0, to: zoneDay(now, "UTC"), timeZone: undefined };
  return read(days, ({ text }) => ({ ok: true, value: { asked, body: text } }));
}

export async function discover(client: ProviderClient): Promise<Asked<readonly DiscoveredProperty[]>> {
  const { secret, addresses } = client;
  if (secret.kind !== "webmaster-tools-key") return OF_ANOTHER_KIND;
  return read(await ask(client, sitesQuestion(addresses, secret.key)), ({ json }) => parseSites(json));
}

/** Questions to webmaster tools. The key stands in the address, so no address of these may be logged, kept or followed elsewhere. */

type Addresses = Config["providers"];

/** Clicks and impressions of a site by the day: its whole history, as far back as it is kept. `site` is the exact address of the list. */
export function dailyQuestion(addresses: Addresses, key: string, site: string): Question {
  return {
    ...methodQuestion(addresses, "GetRankAndTrafficStats", { apikey: key, siteUrl: site }),
    maxBytes: MAX_BYTES,
  };
}

/** Every site of the key's user. */
export function sitesQuestion(addresses: Addresses, key: string): Question {
  return { ...methodQuestion(addresses, "GetUserSites", { apikey: key }), maxBytes: MAX_BYTES };
}

/** A method with its parameters; how much of its answer is read is for who asks to say. */
function methodQuestion(
  addresses: Addresses,
  method: string,
  params: Readonly<Record<string, string>>,
): Omit<Question, "maxBytes"> {
  return {
    url: `${addresses.webmasterTools}/webmaster/api.svc/json/${method}?${queryOf(params)}`,
    timeoutMs: 30_000,
    errors: webmasterToolsErrors,
  };
}

const MAX_BYTES = 2_097_152;

function queryOf(params: Readonly<Record<string, string>>): string {
  return Object.entries(params)
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
    .join("&");
}

/**
 * The figures of the last 97 dates that were returned, in any order. What the day before today's is not there: the newest date that was
 * returned is the last one known, and nobody promises that it is complete. The calendar of the days is not documented.
 */
export function parseDays(text: string, now: number): Outcome<DailyReport> {
  const read = rowsIn(text, new WebmasterToolsReader("rank-traffic", now));
  if (!read.ok) return read;
  const latest = latestDay(now);
  const ordered = orderedDays(read.value.rows, { from: 0, to: latest });
  if (!ordered.ok) return ordered;
  const kept = ordered.value.slice(-WINDOW_DAYS);
  const from = kept[0]?.day ?? latest;
  const to = kept.at(-1)?.day ?? latest - 1;
  const of = { provider: "webmaster-tools", timeZone: undefined, from, to, days: kept } as const;
  return { ok: true, value: { ...of, firstIncomplete: undefined, notes: [] } };
}

/** No calendar is more than a day ahead of UTC. */
const latestDay = (now: number): number => Math.floor(now / DAY_MS) + 1;

/** Sites carry two codes that prove who owns them: they are left where they are. */
const Sites = objectOf({
  d: v.nullable(v.array(objectOf({ Url: v.pipe(v.string(), v.minLength(1)), IsVerified: v.boolean() }))),
});

/** The sites of a key's user. */
export function parseSites(json: unknown): Outcome<readonly DiscoveredProperty[]> {
  const sites = shaped(unwrapped(json), Sites);
  if (!sites.ok) return sites;
  const properties = (sites.value.d ?? []).map(
    ({ Url, IsVerified }): DiscoveredProperty => ({
      provider: "webmaster-tools",
      property: Url,
      name: Url,
      timeZone: undefined,
      usable: IsVerified,
    }),
  );
  return { ok: true, value: properties };
}

/** What webmaster tools wrap every answer in: figures in `d`, errors in `ErrorCode`, with status 400 or 200. */

/** The error in an answer; undefined where there is none. `ErrorCode` is looked for before `d`, as a number or as its text. */
export function webmasterToolsErrors({ json, retryAfterMs }: AnswerSeen): Fault | undefined {
  const body = unwrapped(json);
  if (typeof body !== "object" || body === null || !Object.hasOwn(body, "ErrorCode")) return undefined;
  const told = (body as { readonly ErrorCode: unknown }).ErrorCode;
  const code = typeof told === "string" && /^\d{1,9}$/.test(told) ? Number(told) : told;
  if (code === 0) return undefined;
  return faultOf((typeof code === "number" && CODES[code]) || "provider_failed", { retryAfterMs });
}

/** By `ErrorCode`. A throttle (4, 5) is the whole key's, and every further question keeps it closed. */
const CODES: Readonly<Record<number, FaultCode>> = {
  1: "provider_failed",
  2: "provider_failed",
  3: "key_refused",
  4: "rate_limited",
  5: "rate_limited",
  6: "account_blocked",
  7: "not_a_site",
  8: "request_refused",
  9: "too_many_sites",
  10: "account_gone",
  11: "request_refused",
  12: "unexpected_report",
  13: "property_denied",
  14: "property_denied",
  15: "provider_failed",
  16: "request_refused",
  18: "key_refused",
};

/** Moments as webmaster tools write them: `/Date(1728975600000-0700)/`. */

const MOMENT = /^\/Date\((-?\d{1,17})(?:[+-]\d{4})?\)\/$/;

/** Milliseconds since the epoch; null for never, which years 1 and 1601 stand for; undefined for what is no moment. */
function momentIn(text: string): number | null | undefined {
  const ms = MOMENT.exec(text)?.[1];
  if (ms === undefined) return undefined;
  return Number(ms) < 0 ? null : Number(ms);
}

/** The UTC day as a day number. The offset is left aside: UTC midnights come with that of the Pacific, too. Undefined where there is none. */
function dayOfMoment(text: string): number | undefined {
  const ms = momentIn(text);
  return typeof ms === "number" ? Math.floor(ms / DAY_MS) : undefined;
}

// Asking webmaster tools for a report: one answer, which is all there is.

export async function askWebmasterToolsReport(
  client: ProviderClient,
  asked: ReportAsked,
  files: PageFiles,
): Promise<Asked<RawReport>> {
  const { secret, addresses } = client;
  const method = METHODS[asked.family.name] ?? asked.family.name;
  if (secret.kind !== "webmaster-tools-key") return OF_ANOTHER_KIND;
  const pages = new ReportPages(client, asked, files, {
    list: "d",
    ask: (question) => ask(client, question),
  });
  const question = methodQuestion(addresses, method, { apikey: secret.key, siteUrl: asked.property });
  const seen = await pages.ask(question, { step: "rows", value: undefined });
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

  /** Of a family by its name. */
  constructor(family: string, askedAt: number) {
    this.#columns = COLUMNS[family] ?? NONE;
    this.isKeyed = this.#columns.isKeyed;
    this.dayKey = this.#columns.dayKey;
    this.#latest = latestDay(askedAt);
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
