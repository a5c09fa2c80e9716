/** The dimensions and metrics that analytics knows, with the types of its answers. */

import { type AnalyticsProperty, dayIn, HOUR_MS, type Quota, STANDARD_QUOTA } from "./world.ts";

export const DIMENSIONS: readonly string[] = [
  "browser",
  "cityId",
  "country",
  "date",
  "dateHour",
  "deviceCategory",
  "eventName",
  "hostName",
  "isKeyEvent",
  "landingPage",
  "landingPagePlusQueryString",
  "pagePath",
  "pagePathPlusQueryString",
  "pageTitle",
  "sessionCampaignName",
  "sessionDefaultChannelGroup",
  "sessionMedium",
  "sessionSource",
  "sessionSourceMedium",
  "unifiedPagePathScreen",
  "unifiedScreenName",
];

export const METRIC_TYPES: Readonly<Record<string, string>> = {
  activeUsers: "TYPE_INTEGER",
  engagedSessions: "TYPE_INTEGER",
  eventCount: "TYPE_INTEGER",
  eventCountPerUser: "TYPE_FLOAT",
  itemRevenue: "TYPE_CURRENCY",
  keyEvents: "TYPE_FLOAT",
  newUsers: "TYPE_INTEGER",
  screenPageViews: "TYPE_INTEGER",
  sessions: "TYPE_INTEGER",
  totalUsers: "TYPE_INTEGER",
  userEngagementDuration: "TYPE_SECONDS",
};

export const REALTIME_DIMENSIONS: readonly string[] = [
  "appVersion",
  "audienceName",
  "city",
  "country",
  "countryId",
  "deviceCategory",
  "eventName",
  "minutesAgo",
  "platform",
  "streamId",
  "streamName",
  "unifiedScreenName",
];

export const REALTIME_METRICS: readonly string[] = [
  "activeUsers",
  "eventCount",
  "keyEvents",
  "screenPageViews",
];

/** Fields that cannot stand in one report. The first is the one to take out. */
export const INCOMPATIBLE: readonly (readonly [string, string])[] = [
  ["dateHour", "itemRevenue"],
  ["landingPage", "itemRevenue"],
];

const SCHEMA = "https://developers.google.com/analytics/devguides/reporting/data/v1";

/** The words about a field that is none; near one that is, it is named. */
export function invalidField(
  kind: "dimension" | "metric",
  name: string,
  known: readonly string[],
  isRealtime = false,
): string {
  const near = known.find((one) => one !== name && differsLittle(one, name));
  const page = `${SCHEMA}/${isRealtime ? "realtime-api-schema" : "api-schema"} `;
  // The words about a metric have two spaces there.
  const gap = kind === "metric" ? "  " : " ";
  return `${near === undefined ? "" : `Did you mean ${near}? `}Field ${name} is not a valid ${kind}.${gap}For a list of valid dimensions and metrics, see ${page}`;
}

/** Whether two names differ by at most two letters that were changed, left out or added. */
function differsLittle(one: string, other: string): boolean {
  let row = Array.from({ length: other.length + 1 }, (_, place) => place);
  for (const [place, letter] of [...one].entries()) {
    const next = [place + 1];
    for (let at = 1; at <= other.length; at++) {
      const changed = (row[at - 1] ?? 0) + (letter === other[at - 1] ? 0 : 1);
      next.push(Math.min(changed, (row[at] ?? 0) + 1, (next[at - 1] ?? 0) + 1));
    }
    row = next;
  }
  return (row[other.length] ?? 0) <= 2;
}

/** What a property of analytics may be asked: its buckets, apart for reports and for realtime. */

export type QuotaCategory = "core" | "realtime";

/** What was used, in the hour and the day in which it was. */
interface Used {
  hour: number;
  day: number;
  tokensOfHour: number;
  tokensOfDay: number;
  thresholded: number;
}

/** The tokens that a report costs, as they were measured: most cost one or two. */
export function costOf(dimensions: number, metrics: number, days: number): number {
  return 1 + (metrics >= 10 ? 1 : 0) + (dimensions >= 9 ? 2 : 0) + Math.floor(days / 60);
}

/** Days begin at midnight there, for every property. */
const QUOTA_ZONE = "America/Los_Angeles";

export class AnalyticsQuota {
  readonly #used = new Map<string, Used>();
  readonly #inFlight = new Map<string, number>();

  /** The bucket that has not enough left, or undefined: then it is taken from all. */
  take(
    property: AnalyticsProperty,
    category: QuotaCategory,
    {
      cost,
      now,
      isThresholded,
    }: { readonly cost: number; readonly now: number; readonly isThresholded: boolean },
  ): string | undefined {
    const allowed = allowedTo(property);
    const used = this.#usedOf(property.property, category, now);
    if ((this.#inFlight.get(property.property) ?? 0) > allowed.concurrentRequests) return "concurrent";
    if (used.tokensOfDay + cost > allowed.tokensPerDay) return "tokens-day";
    if (used.tokensOfHour + cost > allowed.tokensPerHour) return "tokens-hour";
    if (used.tokensOfHour + cost > allowed.tokensPerProjectPerHour) return "tokens-project-hour";
    if (isThresholded && used.thresholded + 1 > allowed.potentiallyThresholdedRequestsPerHour)
      return "thresholded";
    used.tokensOfDay += cost;
    used.tokensOfHour += cost;
    if (isThresholded) used.thresholded++;
    return undefined;
  }

  /** A request is under way; call what is returned when it has ended. */
  begin(property: string): () => void {
    this.#inFlight.set(property, (this.#inFlight.get(property) ?? 0) + 1);
    return () => this.#inFlight.set(property, (this.#inFlight.get(property) ?? 1) - 1);
  }

  /** As an answer tells it. */
  told(property: AnalyticsProperty, category: QuotaCategory, cost: number, now: number) {
    const allowed = allowedTo(property);
    const used = this.#usedOf(property.property, category, now);
    const pair = (consumed: number, remaining: number) => ({ consumed, remaining });
    return {
      tokensPerDay: pair(cost, allowed.tokensPerDay - used.tokensOfDay),
      tokensPerHour: pair(cost, allowed.tokensPerHour - used.tokensOfHour),
      concurrentRequests: pair(0, allowed.concurrentRequests),
      serverErrorsPerProjectPerHour: pair(0, allowed.serverErrorsPerProjectPerHour),
      potentiallyThresholdedRequestsPerHour: pair(
        0,
        allowed.potentiallyThresholdedRequestsPerHour - used.thresholded,
      ),
      tokensPerProjectPerHour: pair(cost, allowed.tokensPerProjectPerHour - used.tokensOfHour),
    };
  }

  #usedOf(property: string, category: QuotaCategory, now: number): Used {
    const key = `${category} ${property}`;
    const [hour, day] = [Math.floor(now / HOUR_MS), dayIn(QUOTA_ZONE, now)];
    const used = this.#used.get(key) ?? { hour, day, tokensOfHour: 0, tokensOfDay: 0, thresholded: 0 };
    if (used.hour !== hour) Object.assign(used, { hour, tokensOfHour: 0, thresholded: 0 });
    if (used.day !== day) Object.assign(used, { day, tokensOfDay: 0 });
    this.#used.set(key, used);
    return used;
  }
}

const allowedTo = ({ quota }: AnalyticsProperty): Quota => ({ ...STANDARD_QUOTA, ...quota });
