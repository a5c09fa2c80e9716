/** Questions to Search Console. Dates are days of Pacific time, whatever the site's own is. */
import { dayOfNumber } from "../../lib/day_number.ts";
import type { Config } from "../../platform/config.ts";
import type { Question } from "../question.ts";
import type { DayRange } from "../window.ts";
import { listErrors, queryErrors } from "./errors.ts";

export const SEARCH_CONSOLE_SCOPE = "https://www.googleapis.com/auth/webmasters.readonly";
export const SEARCH_CONSOLE_ZONE = "America/Los_Angeles";

type Addresses = Config["providers"];

/** What of a property's searches is asked for. Days are Pacific ones. */
export interface SearchAsked extends DayRange {
  readonly property: string;
  readonly dimensions: readonly string[];
  readonly type: "web" | "image" | "discover";
  /** `all` tells the days that are not final, too, and says from which on they are not. */
  readonly dataState: "final" | "all";
  /** Of these results alone; of all where it is absent. */
  readonly appearance?: string;
}

/** Rows `startRow` and on, at most `rowLimit` of them; how much of the answer is read, and for how long, is for who asks to say. */
export function searchQuestion(
  addresses: Addresses,
  { property, from, to, dimensions, type, dataState, appearance }: SearchAsked,
  { startRow, rowLimit }: { readonly startRow: number; readonly rowLimit: number },
): Pick<Question, "url" | "body" | "errors"> {
  const filters = [{ dimension: "searchAppearance", operator: "equals", expression: appearance }];
  return {
    url: `${addresses.searchConsole}/webmasters/v3/sites/${encodeURIComponent(property)}/searchAnalytics/query`,
    body: {
      startDate: dayOfNumber(from),
      endDate: dayOfNumber(to),
      dimensions,
      type,
      dataState,
      rowLimit,
      startRow,
      ...(appearance === undefined ? {} : { dimensionFilterGroups: [{ groupType: "and", filters }] }),
    },
    errors: queryErrors,
  };
}

/** Daily figures of a site. */
export function dailyQuestion(
  addresses: Addresses,
  property: string,
  range: DayRange,
  dataState: SearchAsked["dataState"] = "all",
): Question {
  const asked = { ...range, property, dimensions: ["date"], type: "web", dataState } as const;
  return {
    ...searchQuestion(addresses, asked, { startRow: 0, rowLimit: 1_000 }),
    timeoutMs: 20_000,
    maxBytes: 1_048_576,
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
