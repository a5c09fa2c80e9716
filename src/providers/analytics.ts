/** Asking Google Analytics. */

import * as v from "valibot";
import { isTimeZone, zoneDay } from "../base/time.ts";
import {
  type Body,
  type DailyQuestion,
  type DayRange,
  type DiscoveredProperty,
  type HourlyReport,
  type Outcome,
  objectOf,
  type RawDaily,
  type Realtime,
  refused,
  shaped,
  windowOf,
} from "./adapter.ts";
import { type Asked, askGoogle, type ProviderClient, type Question, read } from "./client.ts";
import { extentOf, parseHours, parseRealtime, type RangeAsked } from "./parse.ts";
import {
  ANALYTICS_SCOPE,
  dailyQuestion,
  hourlyQuestion,
  isProperty,
  propertiesQuestion,
  propertyQuestion,
  realtimeQuestion,
  smallestQuestion,
} from "./request.ts";

/** Finding every property of an account: the pages of the list, then the time zones that the list does not have. */

/** 200 properties a page: more than any account may have. */
const MOST_PAGES = 100;
/** Beyond it the list goes without time zones, each of which is a question: every report tells its own. */
const MOST_ZONES = 100;
const AT_ONCE = 4;

type Ask = (question: Question) => Promise<Asked<Body>>;

export async function listProperties(
  { addresses }: ProviderClient,
  ask: Ask,
): Promise<Asked<readonly DiscoveredProperty[]>> {
  const found = new Map<string, DiscoveredProperty>();
  const seen = new Set<string | undefined>();
  let requests = 0;
  let pageToken: string | undefined;
  do {
    // A page that leads back to one that was read would be read for ever.
    if (seen.has(pageToken) || seen.size === MOST_PAGES)
      return { outcome: refused("list_without_end"), requests };
    seen.add(pageToken);
    const asked = await ask(propertiesQuestion(addresses, pageToken));
    requests += asked.requests;
    if (!asked.outcome.ok) return { outcome: asked.outcome, requests };
    const page = parseProperties(asked.outcome.value.json);
    if (!page.ok) return { outcome: page, requests };
    for (const property of page.value.properties) found.set(property.property, property);
    pageToken = page.value.nextPageToken;
  } while (pageToken !== undefined);
  const zones = await timeZonesOf([...found.keys()], (property) =>
    ask(propertyQuestion(addresses, property)),
  );
  const properties = [...found.values()].map((one) => ({ ...one, timeZone: zones.known.get(one.property) }));
  return { outcome: { ok: true, value: properties }, requests: requests + zones.requests };
}

/** Time zones as far as they are told: a list without them is a list all the same. The first refusal ends the asking. */
async function timeZonesOf(
  properties: readonly string[],
  ask: (property: string) => Promise<Asked<Body>>,
): Promise<{ readonly known: ReadonlyMap<string, string>; readonly requests: number }> {
  const known = new Map<string, string>();
  let requests = 0;
  const left = properties.length > MOST_ZONES ? [] : [...properties];
  const askInTurn = async () => {
    for (let property = left.shift(); property !== undefined; property = left.shift()) {
      const { outcome, requests: sent } = await ask(property);
      requests += sent;
      if (!outcome.ok) {
        left.length = 0;
        return;
      }
      const timeZone = parseTimeZone(outcome.value.json, property);
      if (timeZone !== undefined) known.set(property, timeZone);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, askInTurn));
  return { known, requests };
}

/** The properties that an account may see, as the Admin API lists them: pure. */

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
const Page = objectOf({
  accountSummaries: v.optional(v.array(Account)),
  nextPageToken: v.optional(v.string()),
});

interface PropertiesPage {
  readonly properties: readonly DiscoveredProperty[];
  /** Undefined on the last page. */
  readonly nextPageToken: string | undefined;
}

/** One page. Who has no access at all gets `{}`: anything else without a list is no page. */
export function parseProperties(json: unknown): Outcome<PropertiesPage> {
  const page = shaped(json, Page);
  if (!page.ok) return page;
  const { accountSummaries, nextPageToken } = page.value;
  if (accountSummaries === undefined && Object.keys(json as object).some((key) => key !== "nextPageToken")) {
    return refused("unexpected_report");
  }
  const summaries = (accountSummaries ?? []).flatMap(({ propertySummaries = [] }) => propertySummaries);
  const properties = summaries.map(({ property, displayName }): DiscoveredProperty => {
    const id = property.slice("properties/".length);
    return {
      provider: "analytics",
      property: id,
      name: displayName || id,
      timeZone: undefined,
      usable: true,
    };
  });
  return { ok: true, value: { properties, nextPageToken: nextPageToken || undefined } };
}

const Settings = objectOf({ name: v.string(), timeZone: v.string() });

/** A property's time zone in its settings; undefined where they do not tell one that this machine knows. */
export function parseTimeZone(json: unknown, property: string): string | undefined {
  const settings = v.safeParse(Settings, json);
  if (!settings.success || settings.output.name !== `properties/${property}`) return undefined;
  return isTimeZone(settings.output.timeZone) ? settings.output.timeZone : undefined;
}

/** A report is one page; one that says it has more rows is followed that far. */
const ASK_MOST_PAGES = 10;

/** Daily figures of the 97 days up to the property's today. */
export async function askDays(
  client: ProviderClient,
  property: string,
  question: DailyQuestion,
): Promise<Asked<RawDaily>> {
  const asked = await askInOwnZone(client, property, question, DAYS);
  return read(asked, ({ bodies, ...range }) => ({
    ok: true,
    value: { provider: "analytics", property, asked: range, askedAt: question.now, bodies },
  }));
}

/** Hourly figures of the property's yesterday and today. */
export async function askHours(
  client: ProviderClient,
  property: string,
  question: DailyQuestion,
): Promise<Asked<HourlyReport>> {
  const asked = await askInOwnZone(client, property, question, HOURS);
  return read(asked, ({ bodies, ...range }) => parseHours(bodies, range));
}

export async function askRealtime(client: ProviderClient, property: string): Promise<Asked<Realtime>> {
  if (!isProperty(property)) return { outcome: refused("property_malformed"), requests: 0 };
  const asked = await askAnalytics(client, realtimeQuestion(client.addresses, property));
  return read(asked, ({ text }) => parseRealtime(text));
}

export function discover(client: ProviderClient): Promise<Asked<readonly DiscoveredProperty[]>> {
  return listProperties(client, (question) => askAnalytics(client, question));
}

/**
 * Reports are an API of their own, enabled apart from the list of properties: with a property in the list, the smallest report of it is
 * asked for, too. That this one property is refused says nothing of the others.
 */
export async function test(client: ProviderClient): Promise<Asked<void>> {
  const listed = read(
    await askAnalytics(client, propertiesQuestion(client.addresses, undefined)),
    ({ json }) => parseProperties(json),
  );
  const first = listed.outcome.ok ? listed.outcome.value.properties[0] : undefined;
  if (first === undefined) return read(listed, () => ({ ok: true, value: undefined }));
  const yesterday = zoneDay(client.now(), "UTC") - 1;
  const tried = await askAnalytics(client, smallestQuestion(client.addresses, first.property, yesterday));
  const requests = listed.requests + tried.requests;
  const isOfPropertyAlone = !tried.outcome.ok && tried.outcome.fault.code === "property_denied";
  return tried.outcome.ok || isOfPropertyAlone
    ? { outcome: { ok: true, value: undefined }, requests }
    : { outcome: tried.outcome, requests };
}

function askAnalytics(client: ProviderClient, question: Question): Promise<Asked<Body>> {
  return askGoogle(client, ANALYTICS_SCOPE, question);
}

interface Pages extends RangeAsked {
  readonly bodies: readonly string[];
}

/** A report over days up to the property's today. */
interface Kind {
  readonly name: "daily" | "hourly";
  range(now: number, timeZone: string): DayRange;
  question(
    addresses: ProviderClient["addresses"],
    property: string,
    range: DayRange,
    offset: number,
  ): Question;
}

const DAYS: Kind = { name: "daily", range: windowOf, question: dailyQuestion };
const HOURS: Kind = {
  name: "hourly",
  range: (now, timeZone) => {
    const to = zoneDay(now, timeZone);
    return { from: to - 1, to };
  },
  question: hourlyQuestion,
};

/** Where a day begins last: its today lies ahead of nobody's. */
const LAST_ZONE = "Etc/GMT+12";

/**
 * Days are those of the property's calendar, which every report tells. Where it is not known yet, or has changed, today may be another
 * day there: then the days are asked for again, once.
 */
async function askInOwnZone(
  client: ProviderClient,
  property: string,
  { now, timeZone }: DailyQuestion,
  kind: Kind,
): Promise<Asked<Pages>> {
  if (!isProperty(property)) return { outcome: refused("property_malformed"), requests: 0 };
  const known = timeZone !== undefined && isTimeZone(timeZone) ? timeZone : undefined;
  const range = kind.range(now, known ?? LAST_ZONE);
  const first = await askPages(client, property, range, kind);
  if (!first.outcome.ok) return { ...first, outcome: first.outcome };
  const zone = await zoneOf(client, property, first.outcome.value.timeZone ?? known);
  const own = zone.timeZone === undefined ? range : kind.range(now, zone.timeZone);
  const answered = (asked: Asked<Told>, sent: number, days: DayRange): Asked<Pages> =>
    read({ ...asked, requests: sent }, ({ bodies, timeZone: told = zone.timeZone }) => ({
      ok: true,
      value: { bodies, ...days, timeZone: told },
    }));
  const requests = first.requests + zone.requests;
  if (own.to === range.to) return answered(first, requests, range);
  const again = await askPages(client, property, own, kind);
  return answered(again, requests + again.requests, own);
}

/** The time zone that is told or known, else the one of the property's settings, where they tell it. */
async function zoneOf(client: ProviderClient, property: string, timeZone: string | undefined) {
  if (timeZone !== undefined) return { timeZone, requests: 0 };
  const { outcome, requests } = await askAnalytics(client, propertyQuestion(client.addresses, property));
  return { timeZone: outcome.ok ? parseTimeZone(outcome.value.json, property) : undefined, requests };
}

interface Told {
  readonly bodies: readonly string[];
  readonly timeZone: string | undefined;
}

/** Every page of a report. What is no such page is the last one: reading it says why. */
async function askPages(
  client: ProviderClient,
  property: string,
  range: DayRange,
  kind: Kind,
): Promise<Asked<Told>> {
  const bodies: string[] = [];
  let timeZone: string | undefined;
  let requests = 0;
  for (let rows = 0; bodies.length < ASK_MOST_PAGES; ) {
    const asked = await askAnalytics(client, kind.question(client.addresses, property, range, rows));
    requests += asked.requests;
    const { outcome } = asked;
    if (!outcome.ok) return { outcome, requests };
    bodies.push(outcome.value.text);
    const extent = extentOf(outcome.value.text, kind.name);
    timeZone ??= extent?.timeZone;
    rows += extent?.rows ?? 0;
    if (extent === undefined || extent.rows === 0 || rows >= extent.of) break;
  }
  return { outcome: { ok: true, value: { bodies, timeZone } }, requests };
}
