/** Which day of search console is the newest one whose figures are final: no field says so. */
import { zoneDay } from "../../lib/zone_day.ts";
import type { ProviderClient } from "../client.ts";
import type { DailyReport } from "../contract.ts";
import { refused } from "../fault.ts";
import { isNamed } from "../property_name.ts";
import { type Asked, askGoogle } from "../question.ts";
import { read } from "../read_answer.ts";
import { parseDays } from "../search_console/parse.ts";
import { dailyQuestion, SEARCH_CONSOLE_SCOPE, SEARCH_CONSOLE_ZONE } from "../search_console/request.ts";

/** So far back it is looked for. */
const DAYS = 10;

/**
 * The newest final day as a day number of the Pacific calendar: the last one that final figures are told of; where none are, the one
 * before the first that is said not to be. Undefined where neither is told, as of a site that nobody saw for long.
 */
export async function askLastFinal(
  client: ProviderClient,
  property: string,
  now: number,
): Promise<Asked<number | undefined>> {
  if (!isNamed(property)) return { outcome: refused("property_malformed"), requests: 0 };
  const final = read(await askDays(client, property, now, "final"), ({ days }) => ({
    ok: true,
    value: days.at(-1)?.day,
  }));
  if (!final.outcome.ok || final.outcome.value !== undefined) return final;
  const all = read(await askDays(client, property, now, "all"), ({ firstIncomplete }) => ({
    ok: true,
    value: firstIncomplete === undefined ? undefined : firstIncomplete - 1,
  }));
  return { ...all, requests: final.requests + all.requests };
}

async function askDays(
  client: ProviderClient,
  property: string,
  now: number,
  dataState: "final" | "all",
): Promise<Asked<DailyReport>> {
  const to = zoneDay(now, SEARCH_CONSOLE_ZONE);
  const range = { from: to - DAYS + 1, to };
  const question = dailyQuestion(client.addresses, property, range, dataState);
  return read(await askGoogle(client, SEARCH_CONSOLE_SCOPE, question), ({ text }) => parseDays(text, range));
}
