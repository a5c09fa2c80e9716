/** Lists of the Admin API (v1beta): the properties that an account may see, and the parameters of events that a property has registered. */

import * as v from "valibot";
import { mapConcurrent } from "../base/concurrency.ts";
import type { Config } from "../base/config.ts";
import { dayOfNumber, isTimeZone } from "../base/time.ts";
import type { DiscoveredProperty, ReportNote } from "./adapter.ts";
import {
  headFault,
  notesOf,
  type ReportHead,
  ReportHeadShape,
  type ReportKind,
  reportErrors,
} from "./analytics.ts";
import { type Body, type ErrorTable, objectOf, shaped } from "./answers.ts";
import { type Asked, askGoogle, type ProviderClient, type Question, read } from "./client.ts";
import { type FaultCode, type Outcome, refused } from "./faults.ts";
import { googleErrors } from "./google_errors.ts";
import type { RawReport, ReportAsked } from "./report_families.ts";
import {
  type PageFiles,
  type PageReader,
  type PagesRead,
  ReportPages,
  type RowRead,
} from "./report_pages.ts";

export const ANALYTICS_SCOPE = "https://www.googleapis.com/auth/analytics.readonly";

/** A property's id in the API; it stands in addresses as it is. */
export const isProperty = (property: string): boolean => /^\d{1,20}$/.test(property);

/** Errors of the list of properties, which is asked of no property. */
export const adminErrors: ErrorTable = googleErrors("access_refused");

type Ask = (question: Question) => Promise<Asked<Body>>;

const adminQuestion = (url: string, errors: ErrorTable): Question => ({
  url,
  timeoutMs: 20_000,
  maxBytes: 1_048_576,
  errors,
});

/** 200 entries a page. */
const pageAddress = (url: string, pageToken: string | undefined) =>
  `${url}?pageSize=200${pageToken === undefined ? "" : `&pageToken=${encodeURIComponent(pageToken)}`}`;

interface Page<Item> {
  readonly items: readonly Item[];
  /** Undefined on the last page. */
  readonly nextPageToken: string | undefined;
}

/** One page of a list. An empty list is left out, and then nothing else stands there: anything else without a list is no page. */
function pageOf<Item>(
  json: unknown,
  list: string,
  item: v.GenericSchema<unknown, Item>,
): Outcome<Page<Item>> {
  const page = shaped(json, objectOf({ nextPageToken: v.optional(v.string()) }));
  if (!page.ok) return page;
  const told = json as Readonly<Record<string, unknown>>;
  const items = shaped(told[list], v.optional(v.array(item)));
  if (!items.ok) return items;
  if (items.value === undefined && Object.keys(told).some((key) => key !== "nextPageToken")) {
    return refused("unexpected_report");
  }
  return {
    ok: true,
    value: { items: items.value ?? [], nextPageToken: page.value.nextPageToken || undefined },
  };
}

/** Every page of a list. One that leads back to a page that was read would be read for ever. */
async function listAll<Item>(
  ask: (pageToken: string | undefined) => Promise<Asked<Body>>,
  parse: (json: unknown) => Outcome<Page<Item>>,
  mostPages: number,
): Promise<Asked<readonly Item[]>> {
  const items: Item[] = [];
  const seen = new Set<string | undefined>();
  let requests = 0;
  let pageToken: string | undefined;
  do {
    if (seen.has(pageToken) || seen.size === mostPages)
      return { outcome: refused("list_without_end"), requests };
    seen.add(pageToken);
    const asked = read(await ask(pageToken), ({ json }) => parse(json));
    requests += asked.requests;
    if (!asked.outcome.ok) return { outcome: asked.outcome, requests };
    items.push(...asked.outcome.value.items);
    pageToken = asked.outcome.value.nextPageToken;
  } while (pageToken !== undefined);
  return { outcome: { ok: true, value: items }, requests };
}

const Summary = objectOf({
  property: v.pipe(v.string(), v.regex(/^properties\/\d{1,20}$/)),
  displayName: v.optional(v.string()),
});
/** An account without properties has no list of them; that it is an account, something of it has to say. */
const Account = v.pipe(
  objectOf({
    name: v.optional(v.string()),
    account: v.optional(v.string()),
    propertySummaries: v.optional(v.array(Summary)),
  }),
  v.check((account) => Object.values(account).some((part) => part !== undefined)),
);

/** One page of the properties that an account may see. Who has no access at all gets `{}`. */
export function parseProperties(json: unknown): Outcome<Page<DiscoveredProperty>> {
  const page = pageOf(json, "accountSummaries", Account);
  if (!page.ok) return page;
  const items = page.value.items
    .flatMap(({ propertySummaries = [] }) => propertySummaries)
    .map(({ property, displayName }): DiscoveredProperty => {
      const id = property.slice("properties/".length);
      return {
        provider: "analytics",
        property: id,
        name: displayName || id,
        timeZone: undefined,
        usable: true,
      };
    });
  return { ok: true, value: { ...page.value, items } };
}

export const propertiesQuestion = (addresses: Config["providers"], pageToken?: string): Question =>
  adminQuestion(pageAddress(`${addresses.analyticsAdmin}/v1beta/accountSummaries`, pageToken), adminErrors);

/** A property's own settings: its time zone among them, which the list does not have. */
export const propertyQuestion = (addresses: Config["providers"], property: string): Question =>
  adminQuestion(`${addresses.analyticsAdmin}/v1beta/properties/${property}`, adminErrors);

/** 200 properties a page: more than any account may have. */
const MOST_PAGES = 100;
/** Beyond it the list goes without time zones, each of which is a question: every report tells its own. */
const MOST_ZONES = 100;
const ZONES_AT_ONCE = 4;

/** Every property of an account, with its time zone as far as that is told: a list without them is a list all the same. */
export async function listProperties(
  { addresses }: ProviderClient,
  ask: Ask,
): Promise<Asked<readonly DiscoveredProperty[]>> {
  const listed = await listAll(
    (pageToken) => ask(propertiesQuestion(addresses, pageToken)),
    parseProperties,
    MOST_PAGES,
  );
  if (!listed.outcome.ok) return listed;
  let { requests } = listed;
  const found = new Map(listed.outcome.value.map((one) => [one.property, one]));
  let isRefused = found.size > MOST_ZONES;
  await mapConcurrent([...found.values()], ZONES_AT_ONCE, async (one) => {
    if (isRefused) return;
    const { outcome, requests: sent } = await ask(propertyQuestion(addresses, one.property));
    requests += sent;
    if (outcome.ok) {
      found.set(one.property, { ...one, timeZone: parseTimeZone(outcome.value.json, one.property) });
    } else isRefused = true;
  });
  return { outcome: { ok: true, value: [...found.values()] }, requests };
}

const Settings = objectOf({ name: v.string(), timeZone: v.string() });

/** A property's time zone in its settings; undefined where they do not tell one that this machine knows. */
export function parseTimeZone(json: unknown, property: string): string | undefined {
  const settings = v.safeParse(Settings, json);
  if (!settings.success || settings.output.name !== `properties/${property}`) return undefined;
  return isTimeZone(settings.output.timeZone) ? settings.output.timeZone : undefined;
}

const CustomDimension = objectOf({ parameterName: v.string(), scope: v.optional(v.string()) });
const registeredErrors = googleErrors("property_denied");
/** More than any property may register. */
const MOST_REGISTERED_PAGES = 20;
/** The list is an API of its own, enabled and refused apart: what is wrong with that says nothing of the account's reports. */
const OF_LIST: ReadonlySet<FaultCode> = new Set([
  "api_disabled",
  "scope_missing",
  "wrong_address",
  "redirected",
]);

/**
 * The parameters of events that a property has registered, without `customEvent:`: only those can be asked for. Those of users and items
 * are left out.
 */
export async function askRegistered(
  client: ProviderClient,
  property: string,
): Promise<Asked<readonly string[]>> {
  if (!isProperty(property)) return { outcome: refused("property_malformed"), requests: 0 };
  const url = `${client.addresses.analyticsAdmin}/v1beta/properties/${property}/customDimensions`;
  const ask = async (pageToken: string | undefined): Promise<Asked<Body>> => {
    const question = adminQuestion(pageAddress(url, pageToken), registeredErrors);
    const { outcome, requests } = await askGoogle(client, ANALYTICS_SCOPE, question);
    if (outcome.ok || !OF_LIST.has(outcome.fault.code)) return { outcome, requests };
    return { outcome: { ok: false, fault: { ...outcome.fault, scope: "property" } }, requests };
  };
  const listed = await listAll(
    ask,
    (json) => pageOf(json, "customDimensions", CustomDimension),
    MOST_REGISTERED_PAGES,
  );
  return read(listed, (dimensions) => {
    const ofEvents = dimensions.filter(({ scope }) => scope === "EVENT");
    return { ok: true, value: [...new Set(ofEvents.map(({ parameterName }) => parameterName))] };
  });
}

// Archive reports of analytics: asked page after page, until there are as many rows as it says, and read row by row.

/** Rows of a page; the API gives no more. */
const PAGE_ROWS = 250_000;
/** Should the API give fewer rows than it is asked for, it is not followed for ever: reading says that rows are missing. */
const MOST_REPORT_PAGES = 100;

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
  for (let [page, offset] = [0, 0]; page < MOST_REPORT_PAGES; page++) {
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
