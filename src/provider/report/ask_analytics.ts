/** Asking analytics for a report: page after page, until there are as many rows as it says. */
import { ANALYTICS_SCOPE, isProperty } from "../analytics/request.ts";
import type { ProviderClient } from "../client.ts";
import { refused } from "../fault.ts";
import { type Asked, askGoogle } from "../question.ts";
import { reportQuestion } from "./analytics_question.ts";
import type { RawReport, ReportAsked } from "./contract.ts";
import { type PageFiles, ReportPages } from "./pages.ts";

/** Rows of a page; the API gives no more. */
const PAGE_ROWS = 250_000;
/** Should the API give fewer rows than it is asked for, it is not followed for ever: reading says that rows are missing. */
const MOST_PAGES = 100;

export async function askAnalyticsReport(
  client: ProviderClient,
  asked: ReportAsked,
  files: PageFiles,
): Promise<Asked<RawReport>> {
  if (!isProperty(asked.property)) return { outcome: refused("property_malformed"), requests: 0 };
  const pages = new ReportPages(client, asked, files, {
    list: "rows",
    ask: (question) => askGoogle(client, ANALYTICS_SCOPE, question),
  });
  const most = asked.bounds.rows;
  for (let [page, offset] = [0, 0]; page < MOST_PAGES; page++) {
    const limit = Math.min(PAGE_ROWS, most - offset);
    const question = reportQuestion(client.addresses, asked, { offset, limit });
    const seen = await pages.ask(question, { step: "rows", value: undefined, offset });
    const rows = seen?.items ?? 0;
    offset += rows;
    if (rows === 0 || offset >= rowCountOf(seen?.rest)) break;
    if (offset >= most) {
      pages.endAtRows();
      break;
    }
  }
  return pages.report();
}

/** How many rows a page says there are in all; none where it does not say so, which reading it judges. */
function rowCountOf(rest: unknown): number {
  const { rowCount } = (rest ?? {}) as { readonly rowCount?: unknown };
  return typeof rowCount === "number" ? rowCount : 0;
}
