/** Questions to webmaster tools. The key stands in the address, so no address of these may be logged, kept or followed elsewhere. */
import type { Config } from "../../platform/config.ts";
import type { Question } from "../question.ts";
import { webmasterToolsErrors } from "./envelope.ts";

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
