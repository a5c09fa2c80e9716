/** Asking webmaster tools. */
import { zoneDay } from "../../lib/zone_day.ts";
import type { ProviderClient } from "../client.ts";
import type { DiscoveredProperty } from "../contract.ts";
import { refused } from "../fault.ts";
import { type Asked, ask } from "../question.ts";
import type { DailyQuestion, RawDaily } from "../raw_daily.ts";
import { read } from "../read_answer.ts";
import { parseSites } from "./parse.ts";
import { dailyQuestion, sitesQuestion } from "./request.ts";

/** Daily figures, as many days as are kept. */
export async function askDays(
  client: ProviderClient,
  property: string,
  { now }: DailyQuestion,
): Promise<Asked<RawDaily>> {
  const { secret, addresses } = client;
  if (secret.kind !== "webmaster-tools-key") return OF_ANOTHER_KIND;
  const asked = await ask(client, dailyQuestion(addresses, secret.key, property));
  return read(asked, ({ text }) => ({
    ok: true,
    value: {
      provider: "webmaster-tools",
      property,
      asked: { from: 0, to: zoneDay(now, "UTC"), timeZone: undefined },
      askedAt: now,
      bodies: [text],
    },
  }));
}

export async function discover(client: ProviderClient): Promise<Asked<readonly DiscoveredProperty[]>> {
  const { secret, addresses } = client;
  if (secret.kind !== "webmaster-tools-key") return OF_ANOTHER_KIND;
  return read(await ask(client, sitesQuestion(addresses, secret.key)), ({ json }) => parseSites(json));
}

export async function test(client: ProviderClient): Promise<Asked<void>> {
  return read(await discover(client), () => ({ ok: true, value: undefined }));
}

const OF_ANOTHER_KIND = { outcome: refused("credential_of_another_kind"), requests: 0 };
