/** Asking webmaster tools for a report: one answer, which is all there is. */
import type { ProviderClient } from "../client.ts";
import { refused } from "../fault.ts";
import { type Asked, ask } from "../question.ts";
import { methodQuestion } from "../webmaster_tools/request.ts";
import type { RawReport, ReportAsked } from "./contract.ts";
import { type PageFiles, ReportPages } from "./pages.ts";

export async function askWebmasterToolsReport(
  client: ProviderClient,
  asked: ReportAsked,
  files: PageFiles,
): Promise<Asked<RawReport>> {
  const { secret, addresses } = client;
  const method = METHODS[asked.family.name] ?? asked.family.name;
  if (secret.kind !== "webmaster-tools-key") {
    return { outcome: refused("credential_of_another_kind"), requests: 0 };
  }
  const pages = new ReportPages(client, asked, files, {
    list: "d",
    ask: (question) => ask(client, question),
  });
  const question = methodQuestion(addresses, method, { apikey: secret.key, siteUrl: asked.property });
  const seen = await pages.ask(question, { step: "rows", value: undefined, offset: 0 });
  if ((seen?.items ?? 0) > asked.bounds.rows) pages.endAtRows();
  return pages.report();
}

const METHODS: Readonly<Record<string, string>> = {
  "rank-traffic": "GetRankAndTrafficStats",
  "crawl-stats": "GetCrawlStats",
  "crawl-issues": "GetCrawlIssues",
  feeds: "GetFeeds",
  queries: "GetQueryStats",
  pages: "GetPageStats",
};
