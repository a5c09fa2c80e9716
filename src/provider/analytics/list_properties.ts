/** Finding every property of an account: the pages of the list, then the time zones that the list does not have. */
import type { Body } from "../answer.ts";
import type { ProviderClient } from "../client.ts";
import type { DiscoveredProperty } from "../contract.ts";
import { refused } from "../fault.ts";
import type { Asked, Question } from "../question.ts";
import { parseProperties, parseTimeZone } from "./properties.ts";
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
