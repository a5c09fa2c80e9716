/** Which day of search console is the newest one whose figures are final: no field says so. */
import * as v from "valibot";
import { zoneDay } from "../../lib/zone_day.ts";
import type { ProviderClient } from "../client.ts";
import type { Outcome } from "../contract.ts";
import { refused } from "../fault.ts";
import { isNamed } from "../property_name.ts";
import { type Asked, askGoogle } from "../question.ts";
import { read } from "../read_answer.ts";
import { objectOf, shaped } from "../read_json.ts";
import { dayIn } from "../report_days.ts";
import { SEARCH_CONSOLE_SCOPE, SEARCH_CONSOLE_ZONE } from "../search_console/request.ts";
import { searchQuestion } from "./search_console_question.ts";

/** So far back it is looked for. */
const DAYS = 10;
const MAX_BYTES = 65_536;

const Answer = objectOf({
  rows: v.optional(v.array(objectOf({ keys: v.array(v.string()) }))),
  responseAggregationType: v.optional(v.string()),
  metadata: v.optional(
    objectOf({
      firstIncompleteDate: v.optional(v.string()),
      first_incomplete_date: v.optional(v.string()),
    }),
  ),
});
type Answer = v.InferOutput<typeof Answer>;

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
  const final = read(await askDays(client, property, now, "final"), lastDayIn);
  if (!final.outcome.ok || final.outcome.value !== undefined) return final;
  const all = read(await askDays(client, property, now, "all"), dayBeforeIncomplete);
  return { ...all, requests: final.requests + all.requests };
}

async function askDays(
  client: ProviderClient,
  property: string,
  now: number,
  dataState: "final" | "all",
): Promise<Asked<Answer>> {
  const to = zoneDay(now, SEARCH_CONSOLE_ZONE);
  const search = { property, from: to - DAYS + 1, to, dimensions: ["date"], type: "web", dataState } as const;
  const question = searchQuestion(
    client.addresses,
    { ...search, appearance: undefined },
    { startRow: 0, rowLimit: 1_000 },
  );
  const asked = await askGoogle(client, SEARCH_CONSOLE_SCOPE, { ...question, maxBytes: MAX_BYTES });
  return read(asked, ({ json }) => {
    const answer = shaped(json, Answer);
    if (!answer.ok) return answer;
    const { rows, responseAggregationType } = answer.value;
    return rows === undefined && responseAggregationType === undefined
      ? refused("unexpected_report")
      : answer;
  });
}

function lastDayIn({ rows = [] }: Answer): Outcome<number | undefined> {
  const days = rows.map(({ keys: [date = ""] }) => dayIn(date) ?? Number.NaN);
  if (days.some(Number.isNaN)) return refused("other_days");
  return { ok: true, value: days.length === 0 ? undefined : Math.max(...days) };
}

function dayBeforeIncomplete({ metadata }: Answer): Outcome<number | undefined> {
  const told = metadata?.firstIncompleteDate ?? metadata?.first_incomplete_date;
  if (told === undefined) return { ok: true, value: undefined };
  const day = dayIn(told);
  return day === undefined ? refused("impossible_value") : { ok: true, value: day - 1 };
}
