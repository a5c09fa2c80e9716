/** Archive reports of analytics: asked page after page, until there are as many rows as it says, and read row by row. */

import { type ReportKind, runReport } from "./analytics.ts";
import { ANALYTICS_SCOPE, isProperty } from "./analytics_properties.ts";
import { type Asked, askGoogle, type ProviderClient } from "./client.ts";
import { refused } from "./faults.ts";
import type { RawReport, ReportAsked } from "./report_families.ts";
import { type PageFiles, ReportPages } from "./report_pages.ts";

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
  const kind = kindOf(asked);
  const most = asked.bounds.rows;
  for (let [page, offset] = [0, 0]; page < MOST_PAGES; page++) {
    const limit = Math.min(PAGE_ROWS, most - offset);
    const question = runReport(client, asked.property, kind, asked, {
      ...filterOf(asked),
      // Over all of them, so that no tie moves from one page to another or from one day's answer to the next.
      orderBys: kind.dimensions.map((dimensionName) => ({ dimension: { dimensionName } })),
      limit: String(limit),
      offset: String(offset),
    });
    const seen = await pages.ask(
      { ...question, timeoutMs: 180_000 },
      { step: "rows", value: undefined, offset },
    );
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

const DIMENSIONS: Readonly<Record<string, string>> = {
  page: "pagePath",
  title: "pageTitle",
  landing_page: "landingPage",
  channel: "sessionDefaultChannelGroup",
  source: "sessionSource",
  medium: "sessionMedium",
  campaign: "sessionCampaignName",
  event: "eventName",
};

const METRICS: Readonly<Record<string, string>> = {
  page_views: "screenPageViews",
  active_users: "activeUsers",
  event_count: "eventCount",
  engagement_seconds: "userEngagementDuration",
  key_events: "keyEvents",
  sessions: "sessions",
  new_users: "newUsers",
  engaged_sessions: "engagedSessions",
  total_users: "totalUsers",
  events_per_user: "eventCountPerUser",
};

/** What a report is of, by the names that the API knows. */
export function kindOf({ family, errorEvents }: ReportAsked): ReportKind {
  const { name, dimensions, metrics } = family;
  const errors: Readonly<Record<string, string>> = {
    message: `customEvent:${errorEvents.message}`,
    source: `customEvent:${errorEvents.source}`,
  };
  const own = name === "js-errors" ? { ...DIMENSIONS, ...errors } : DIMENSIONS;
  return {
    kind: "analyticsData#runReport",
    dimensions: dimensions.map((one) => own[one] ?? one),
    metrics: metrics.map((one) => METRICS[one] ?? one),
  };
}

function filterOf({ family, errorEvents }: ReportAsked): object {
  if (family.name !== "js-errors") return {};
  const inListFilter = { values: [...errorEvents.events], caseSensitive: true };
  return { dimensionFilter: { filter: { fieldName: "eventName", inListFilter } } };
}
