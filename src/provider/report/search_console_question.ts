/** What search console is asked for a report. */
import { dayOfNumber } from "../../lib/day_number.ts";
import type { Config } from "../../platform/config.ts";
import type { Question } from "../question.ts";
import { queryErrors } from "../search_console/errors.ts";

export type SearchType = "web" | "image" | "discover";

/** What of a property's searches is asked for. Days are Pacific ones. */
export interface SearchAsked {
  readonly property: string;
  readonly from: number;
  readonly to: number;
  readonly dimensions: readonly string[];
  readonly type: SearchType;
  /** `all` tells the days that are not final, too. */
  readonly dataState: "final" | "all";
  /** Of these results alone. */
  readonly appearance: string | undefined;
}

/** Rows `startRow` and on, at most `rowLimit` of them. */
export function searchQuestion(
  addresses: Config["providers"],
  { property, from, to, dimensions, type, dataState, appearance }: SearchAsked,
  { startRow, rowLimit }: { readonly startRow: number; readonly rowLimit: number },
): Omit<Question, "maxBytes" | "into"> {
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
    timeoutMs: 120_000,
    errors: queryErrors,
  };
}
