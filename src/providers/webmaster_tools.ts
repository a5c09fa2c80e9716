/** Asking webmaster tools. */

import * as v from "valibot";
import type { Config } from "../base/config.ts";
import { zoneDay } from "../base/time.ts";
import {
  type AskedDays,
  type DailyQuestion,
  type DailyReport,
  type DiscoveredProperty,
  isCount,
  orderedDays,
  WINDOW_DAYS,
} from "./adapter.ts";
import { type AnswerSeen, objectOf, shaped } from "./answers.ts";
import { type Asked, ask, type ProviderClient, type Question, read } from "./client.ts";
import type { FaultCode } from "./faults.ts";
import { type Fault, faultOf, type Outcome, refused } from "./faults.ts";

/** Daily figures, as many days as are kept. */
export async function askDays(
  client: ProviderClient,
  property: string,
  { now }: DailyQuestion,
): Promise<Asked<AskedDays>> {
  const { secret, addresses } = client;
  if (secret.kind !== "webmaster-tools-key") return OF_ANOTHER_KIND;
  const days = await ask(client, dailyQuestion(addresses, secret.key, property));
  const asked = { from: 0, to: zoneDay(now, "UTC"), timeZone: undefined };
  return read(days, ({ text }) => ({ ok: true, value: { asked, bodies: [text] } }));
}

export async function discover(client: ProviderClient): Promise<Asked<readonly DiscoveredProperty[]>> {
  const { secret, addresses } = client;
  if (secret.kind !== "webmaster-tools-key") return OF_ANOTHER_KIND;
  return read(await ask(client, sitesQuestion(addresses, secret.key)), ({ json }) => parseSites(json));
}

const OF_ANOTHER_KIND = { outcome: refused("credential_of_another_kind"), requests: 0 };

/** Questions to webmaster tools. The key stands in the address, so no address of these may be logged, kept or followed elsewhere. */

type Addresses = Config["providers"];

/** Clicks and impressions of a site by the day: its whole history, as far back as it is kept. `site` is the exact address of the list. */
export function dailyQuestion(addresses: Addresses, key: string, site: string): Question {
  return {
    ...methodQuestion(addresses, "GetRankAndTrafficStats", { apikey: key, siteUrl: site }),
    maxBytes: MAX_BYTES,
  };
}

/** Every site of the key's user. */
export function sitesQuestion(addresses: Addresses, key: string): Question {
  return { ...methodQuestion(addresses, "GetUserSites", { apikey: key }), maxBytes: MAX_BYTES };
}

/** A method with its parameters; how much of its answer is read is for who asks to say. */
export function methodQuestion(
  addresses: Addresses,
  method: string,
  params: Readonly<Record<string, string>>,
): Omit<Question, "maxBytes"> {
  return {
    url: `${addresses.webmasterTools}/webmaster/api.svc/json/${method}?${queryOf(params)}`,
    timeoutMs: 30_000,
    errors: webmasterToolsErrors,
  };
}

const MAX_BYTES = 2_097_152;

function queryOf(params: Readonly<Record<string, string>>): string {
  return Object.entries(params)
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
    .join("&");
}

const DAY_MS = 86_400_000;

const Stat = objectOf({ Date: v.string(), Clicks: v.number(), Impressions: v.number() });
/** A list and null both may be nothing; an answer without `d` is none. */
const Stats = objectOf({ d: v.nullable(v.array(Stat)) });

/**
 * The figures of the last 97 dates that were returned, in any order. What the day before today's is not there: the newest date that was
 * returned is the last one known, and nobody promises that it is complete. The calendar of the days is not documented.
 */
export function parseDays(text: string, now: number): Outcome<DailyReport> {
  const read = shaped(parsed(text), Stats);
  if (!read.ok) return read;
  const days = [];
  for (const { Date: date, Clicks, Impressions } of read.value.d ?? []) {
    const day = dayOfMoment(date);
    if (day === undefined) return refused("other_days");
    if (!isCount(Clicks) || !isCount(Impressions)) return refused("impossible_value");
    days.push({ day, values: [Clicks, Impressions] });
  }
  // No calendar is more than a day ahead of UTC.
  const latest = Math.floor(now / DAY_MS) + 1;
  const ordered = orderedDays(days, { from: 0, to: latest });
  if (!ordered.ok) return ordered;
  const kept = ordered.value.slice(-WINDOW_DAYS);
  const from = kept[0]?.day ?? latest;
  const to = kept.at(-1)?.day ?? latest - 1;
  const of = { provider: "webmaster-tools", timeZone: undefined, from, to, days: kept } as const;
  return { ok: true, value: { ...of, firstIncomplete: undefined, notes: [] } };
}

/** Sites carry two codes that prove who owns them: they are left where they are. */
const Sites = objectOf({
  d: v.nullable(v.array(objectOf({ Url: v.pipe(v.string(), v.minLength(1)), IsVerified: v.boolean() }))),
});

/** The sites of a key's user. */
export function parseSites(json: unknown): Outcome<readonly DiscoveredProperty[]> {
  const sites = shaped(unwrapped(json), Sites);
  if (!sites.ok) return sites;
  const properties = (sites.value.d ?? []).map(
    ({ Url, IsVerified }): DiscoveredProperty => ({
      provider: "webmaster-tools",
      property: Url,
      name: Url,
      timeZone: undefined,
      usable: IsVerified,
    }),
  );
  return { ok: true, value: properties };
}

function parsed(text: string): unknown {
  try {
    return unwrapped(JSON.parse(text));
  } catch {
    return undefined;
  }
}

/** What webmaster tools wrap every answer in: figures in `d`, errors in `ErrorCode`, with status 400 or 200. */

/** An answer may come as JSON in a string of JSON. */
export function unwrapped(json: unknown): unknown {
  if (typeof json !== "string" || !/^\s*[{[]/.test(json)) return json;
  try {
    return JSON.parse(json);
  } catch {
    return json;
  }
}

/** The error in an answer; undefined where there is none. `ErrorCode` is looked for before `d`, as a number or as its text. */
export function webmasterToolsErrors({ json, retryAfterMs }: AnswerSeen): Fault | undefined {
  const body = unwrapped(json);
  if (typeof body !== "object" || body === null || !Object.hasOwn(body, "ErrorCode")) return undefined;
  const told = (body as { readonly ErrorCode: unknown }).ErrorCode;
  const code = typeof told === "string" && /^\d{1,9}$/.test(told) ? Number(told) : told;
  if (code === 0) return undefined;
  return faultOf((typeof code === "number" && CODES[code]) || "provider_failed", { retryAfterMs });
}

/** By `ErrorCode`. A throttle (4, 5) is the whole key's, and every further question keeps it closed. */
const CODES: Readonly<Record<number, FaultCode>> = {
  1: "provider_failed",
  2: "provider_failed",
  3: "key_refused",
  4: "rate_limited",
  5: "rate_limited",
  6: "account_blocked",
  7: "not_a_site",
  8: "request_refused",
  9: "too_many_sites",
  10: "account_gone",
  11: "request_refused",
  12: "unexpected_report",
  13: "property_denied",
  14: "property_denied",
  15: "provider_failed",
  16: "request_refused",
  18: "key_refused",
};

/** Moments as webmaster tools write them: `/Date(1728975600000-0700)/`. */

const MOMENT = /^\/Date\((-?\d{1,17})(?:[+-]\d{4})?\)\/$/;

/** Milliseconds since the epoch; null for never, which years 1 and 1601 stand for; undefined for what is no moment. */
export function momentIn(text: string): number | null | undefined {
  const ms = MOMENT.exec(text)?.[1];
  if (ms === undefined) return undefined;
  return Number(ms) < 0 ? null : Number(ms);
}

/** The UTC day as a day number. The offset is left aside: UTC midnights come with that of the Pacific, too. Undefined where there is none. */
export function dayOfMoment(text: string): number | undefined {
  const ms = momentIn(text);
  return typeof ms === "number" ? Math.floor(ms / DAY_MS) : undefined;
}
