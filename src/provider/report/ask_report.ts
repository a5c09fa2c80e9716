/** Asking for a report of the archive, one door for all three providers. */
import type { ProviderClient } from "../client.ts";
import { refused } from "../fault.ts";
import { isNamed } from "../property_name.ts";
import type { Asked } from "../question.ts";
import { askAnalyticsReport } from "./ask_analytics.ts";
import { askSearchConsoleReport } from "./ask_search_console.ts";
import { askWebmasterToolsReport } from "./ask_webmaster_tools.ts";
import type { RawReport, ReportAsked } from "./contract.ts";
import type { PageFiles } from "./pages.ts";

const PROVIDERS = {
  analytics: askAnalyticsReport,
  "search-console": askSearchConsoleReport,
  "webmaster-tools": askWebmasterToolsReport,
} as const;

/**
 * Every page of a report, each in a file of the spool without the secrets that may have stood in it: who asks removes them. A report that
 * ends before its end is an outcome of its own (`cut`); where nothing of it came there are no files. Throws `SpoolFault`, and leaves no
 * files then; nothing that the other side does is thrown.
 */
export async function askReport(
  client: ProviderClient,
  asked: ReportAsked,
  files: PageFiles,
): Promise<Asked<RawReport>> {
  if (!isNamed(asked.property)) return { outcome: refused("property_malformed"), requests: 0 };
  return PROVIDERS[asked.family.provider](client, asked, files);
}
