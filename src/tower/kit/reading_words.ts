/** What raises a flag anew: a later report of the site, or a later reading of what a provider tells. */

import type { FlagRow } from "../../flags/flags.ts";
import { sourceName } from "../../sites/rule_catalogue.ts";

/** "report", or "reading" where a provider tells the figures. */
export function readingWord({ source }: Pick<FlagRow, "source">): "report" | "reading" {
  return sourceName(source) === undefined ? "report" : "reading";
}
