/** Questions to Search Console. Dates are days of Pacific time, whatever the site's own is. */
import { dayOfNumber } from "../../lib/day_number.ts";
import type { Config } from "../../platform/config.ts";
import type { Question } from "../question.ts";
import type { DayRange } from "../window.ts";
import { listErrors, queryErrors } from "./errors.ts";

export const SEARCH_CONSOLE_SCOPE = "https://www.googleapis.com/auth/webmasters.readonly";
export const SEARCH_CONSOLE_ZONE = "America/Los_Angeles";

type Addresses = Config["providers"];

/** Daily figures; `all` brings the days that are not final, too, and says from which on they are not. */
export function dailyQuestion(addresses: Addresses, site: string, range: DayRange): Question {
  return {
    url: `${addresses.searchConsole}/webmasters/v3/sites/${encodeURIComponent(site)}/searchAnalytics/query`,
    body: {
      startDate: dayOfNumber(range.from),
      endDate: dayOfNumber(range.to),
      dimensions: ["date"],
      type: "web",
      dataState: "all",
      rowLimit: 1_000,
      startRow: 0,
    },
    timeoutMs: 20_000,
    maxBytes: 1_048_576,
    errors: queryErrors,
  };
}

/** Every site that the account was added to; there are no pages of it. */
export function sitesQuestion(addresses: Addresses): Question {
  return {
    url: `${addresses.searchConsole}/webmasters/v3/sites`,
    timeoutMs: 20_000,
    maxBytes: 2_097_152,
    errors: listErrors,
  };
}
