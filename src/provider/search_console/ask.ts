/** Asking Search Console. */
import type { ProviderClient } from "../client.ts";
import type { DiscoveredProperty } from "../contract.ts";
import { type Asked, askGoogle } from "../question.ts";
import type { DailyQuestion, RawDaily } from "../raw_daily.ts";
import { read } from "../read_answer.ts";
import { windowOf } from "../window.ts";
import { parseSites } from "./parse.ts";
import { dailyQuestion, SEARCH_CONSOLE_SCOPE, SEARCH_CONSOLE_ZONE, sitesQuestion } from "./request.ts";

/** Daily figures of the 97 Pacific days up to today there. */
export async function askDays(
  client: ProviderClient,
  property: string,
  { now }: DailyQuestion,
): Promise<Asked<RawDaily>> {
  const range = windowOf(now, SEARCH_CONSOLE_ZONE);
  const asked = await askGoogle(
    client,
    SEARCH_CONSOLE_SCOPE,
    dailyQuestion(client.addresses, property, range),
  );
  return read(asked, ({ text }) => ({
    ok: true,
    value: {
      provider: "search-console",
      property,
      asked: { ...range, timeZone: SEARCH_CONSOLE_ZONE },
      askedAt: now,
      bodies: [text],
    },
  }));
}

export async function discover(client: ProviderClient): Promise<Asked<readonly DiscoveredProperty[]>> {
  const asked = await askGoogle(client, SEARCH_CONSOLE_SCOPE, sitesQuestion(client.addresses));
  return read(asked, ({ json }) => parseSites(json));
}

export async function test(client: ProviderClient): Promise<Asked<void>> {
  return read(await discover(client), () => ({ ok: true, value: undefined }));
}
