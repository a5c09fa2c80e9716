/** What analytics is asked for a report: the API's names of its columns, in the order of ours. */
import { dayOfNumber } from "../../lib/day_number.ts";
import type { Config } from "../../platform/config.ts";
import { reportErrors } from "../analytics/errors.ts";
import type { Question } from "../question.ts";
import type { ReportAsked } from "./contract.ts";

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

/** The columns of a report, by the names that the API knows. */
export interface AnalyticsColumns {
  readonly dimensions: readonly string[];
  readonly metrics: readonly string[];
}

export function columnsOf({ family, errorEvents }: ReportAsked): AnalyticsColumns {
  const { name, dimensions, metrics } = family;
  const errors: Readonly<Record<string, string>> = {
    message: `customEvent:${errorEvents.message}`,
    source: `customEvent:${errorEvents.source}`,
  };
  const own = name === "js-errors" ? { ...DIMENSIONS, ...errors } : DIMENSIONS;
  return {
    dimensions: dimensions.map((one) => own[one] ?? one),
    metrics: metrics.map((one) => METRICS[one] ?? one),
  };
}

/** Rows `offset` and on, at most `limit` of them. */
export function reportQuestion(
  addresses: Config["providers"],
  asked: ReportAsked,
  { offset, limit }: { readonly offset: number; readonly limit: number },
): Omit<Question, "maxBytes" | "into"> {
  const { dimensions, metrics } = columnsOf(asked);
  return {
    url: `${addresses.analyticsData}/v1beta/properties/${asked.property}:runReport`,
    body: {
      dateRanges: [{ startDate: dayOfNumber(asked.from), endDate: dayOfNumber(asked.to) }],
      dimensions: dimensions.map((name) => ({ name })),
      metrics: metrics.map((name) => ({ name })),
      ...filterOf(asked),
      // Over all of them, so that no tie moves from one page to another or from one day's answer to the next.
      orderBys: dimensions.map((dimensionName) => ({ dimension: { dimensionName } })),
      limit: String(limit),
      offset: String(offset),
      keepEmptyRows: false,
    },
    timeoutMs: 180_000,
    errors: reportErrors(dimensions.filter((name) => name.startsWith("customEvent:"))),
  };
}

function filterOf({ family, errorEvents }: ReportAsked): object {
  if (family.name !== "js-errors") return {};
  const inListFilter = { values: [...errorEvents.events], caseSensitive: true };
  return { dimensionFilter: { filter: { fieldName: "eventName", inListFilter } } };
}
