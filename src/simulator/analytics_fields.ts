/** The dimensions and metrics that analytics knows, with the types of its answers. */

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
