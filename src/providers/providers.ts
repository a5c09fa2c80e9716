/** Questions to providers, one door for all three: what is sent, what is sent again, and what the answers come to. */

import {
  type DailyQuestion,
  type DailyReport,
  type DiscoveredProperty,
  type HourlyReport,
  isNamed,
  type Outcome,
  type Provider,
  type RawDaily,
  type Realtime,
  refused,
} from "./adapter.ts";
import * as analytics from "./analytics.ts";
import type { Asked, ProviderClient } from "./client.ts";
import * as analyticsParse from "./parse.ts";
import * as searchConsole from "./search_console.ts";
import * as webmasterTools from "./webmaster_tools.ts";

export type { Asked, DailyQuestion, RawDaily };

const PROVIDERS = {
  analytics,
  "search-console": searchConsole,
  "webmaster-tools": webmasterTools,
} as const;

/** The daily figures of a property: of the last 97 days, or all that webmaster tools keep. Never throws for what the other side does. */
export async function askDaily(
  client: ProviderClient,
  provider: Provider,
  property: string,
  question: DailyQuestion,
): Promise<Asked<RawDaily>> {
  if (!isNamed(property)) return { outcome: refused("property_malformed"), requests: 0 };
  return PROVIDERS[provider].askDays(client, property, question);
}

/** The report in what was answered: pure, and may run anywhere. */
export function parseDaily({ provider, asked, askedAt, bodies }: RawDaily): Outcome<DailyReport> {
  if (provider === "analytics") return analyticsParse.parseDays(bodies, asked);
  const [body = ""] = bodies;
  return provider === "search-console"
    ? searchConsole.parseDays(body, asked)
    : webmasterTools.parseDays(body, askedAt);
}

/** Every property that the credential gives access to, those that cannot be used among them. */
export async function discover(
  client: ProviderClient,
  provider: Provider,
): Promise<Asked<readonly DiscoveredProperty[]>> {
  return PROVIDERS[provider].discover(client);
}

/** Whether the provider answers with this credential. It may all the same give access to no property. */
export async function testConnection(client: ProviderClient, provider: Provider): Promise<Asked<void>> {
  return PROVIDERS[provider].test(client);
}

/** What goes on at an analytics property now. */
export async function askRealtime(client: ProviderClient, property: string): Promise<Asked<Realtime>> {
  return analytics.askRealtime(client, property);
}

/** The hours of an analytics property's yesterday and today. */
export async function askHourly(
  client: ProviderClient,
  property: string,
  question: DailyQuestion,
): Promise<Asked<HourlyReport>> {
  return analytics.askHours(client, property, question);
}
