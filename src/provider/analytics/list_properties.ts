/** Finding every property of an account: the pages of the list, then the time zones that the list does not have. */
import * as v from "valibot";
import { isTimeZone } from "../../lib/zone_day.ts";
import type { Body } from "../answer.ts";
import type { Asked, ProviderClient, Question } from "../client.ts";
import type { DiscoveredProperty, Outcome } from "../contract.ts";
import { refused } from "../fault.ts";
import { objectOf, shaped } from "../report_days.ts";
import { propertiesQuestion, propertyQuestion } from "./request.ts";

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
