/** Lists of the Admin API (v1beta): the properties that an account may see, and the parameters of events that a property has registered. */

import * as v from "valibot";
import { mapConcurrent } from "../base/concurrency.ts";
import type { Config } from "../base/config.ts";
import { isTimeZone } from "../base/time.ts";
import type { DiscoveredProperty } from "./adapter.ts";
import { type Body, type ErrorTable, objectOf, shaped } from "./answers.ts";
import { type Asked, askGoogle, type ProviderClient, type Question, read } from "./client.ts";
import { type FaultCode, type Outcome, refused } from "./faults.ts";
import { googleErrors } from "./google.ts";

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
