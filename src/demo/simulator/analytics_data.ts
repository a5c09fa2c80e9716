/** The Data API of analytics (v1beta); below, its Admin API. */

import type { Ground } from "./accounts.ts";
import { AnalyticsQuota, costOf, METRIC_TYPES, REPORT_SHAPE, readQuery } from "./analytics_query.ts";
import {
  type Asking,
  calendarOf,
  REALTIME_SHAPE,
  type Row,
  realtimeReport,
  rowsOf,
} from "./analytics_rows.ts";
import {
  ANALYTICS_ADMIN,
  ANALYTICS_DATA,
  commonError,
  googleError,
  invalidArgument,
  quotaError,
} from "./google_errors.ts";
import { bodyOf, callerOf, type Fields, type GoogleRoute, pageOf } from "./google_front.ts";
import { json, type SimulatedAnswer, type SimulatedRequest } from "./http_message.ts";
import type { AnalyticsProperty, SimulatedSite } from "./world.ts";

const RPC = "google.analytics.data.v1beta.BetaAnalyticsData";
const post = (operation: string, rpc: string): GoogleRoute => ({
  operation,
  verb: "POST",
  pattern: new RegExp(`^/v1beta/properties/([^/:]+):${operation}$`),
  rpc: `${RPC}.${rpc}`,
});

export const ANALYTICS_DATA_ROUTES: readonly GoogleRoute[] = [
  post("runReport", "RunReport"),
  post("runRealtimeReport", "RunRealtimeReport"),
];

const SCOPES = ["analytics.readonly", "analytics"].map((name) => `https://www.googleapis.com/auth/${name}`);
const PROPERTY_ID = "https://developers.google.com/analytics/devguides/reporting/data/v1/property-id";

export class AnalyticsData {
  readonly #quota = new AnalyticsQuota();
  readonly #ground: Ground;

  constructor(ground: Ground) {
    this.#ground = ground;
  }

  answer(request: SimulatedRequest, route: GoogleRoute, property: string, now: number): SimulatedAnswer {
    const { world, accounts } = this.#ground;
    const scope = { accounts, service: ANALYTICS_DATA, scopes: SCOPES, now };
    const caller = callerOf(request, scope, route.rpc);
    if ("refusal" in caller) return caller.refusal;
    const read = bodyOf(request, route.operation === "runReport" ? REPORT_SHAPE : REALTIME_SHAPE);
    if ("refusal" in read) return read.refusal;
    if (!/^\d+$/.test(property)) {
      return invalidArgument(
        `Invalid property ID: ${property}. A numeric Property ID is required. To learn more about Property ID, see ${PROPERTY_ID}.`,
      );
    }
    const site = world.sites.find(({ analytics }) => analytics?.property === property);
    // One that is not there and one that may not be seen are answered alike.
    if (site?.analytics === undefined || !accounts.sees(caller.account, site.name)) return forbidden();
    const { analytics } = site;
    const asking = { ...this.#ground, site, calendar: calendarOf(analytics), now };
    return route.operation === "runReport"
      ? this.#report(read.body, analytics, asking)
      : this.#realtime(read.body, analytics, asking);
  }

  #report(body: Fields, analytics: AnalyticsProperty, asking: Asking): SimulatedAnswer {
    const { calendar, now } = asking;
    const query = readQuery(body, analytics.customDimensions ?? []);
    if (typeof query === "string") return invalidArgument(query);
    const { dimensions, metrics, from, to, offset } = query;
    const cost = costOf(dimensions.length, metrics.length, to - from + 1);
    if (!this.#quota.take(analytics, "core", cost, now)) return quotaError("tokens-hour") as SimulatedAnswer;
    const rows = rowsOf(asking, query);
    const limit = Math.min(query.limit, analytics.mostRows ?? query.limit);
    return json(200, {
      ...someOf(
        "dimensionHeaders",
        dimensions.map((name) => ({ name })),
      ),
      ...someOf(
        "metricHeaders",
        metrics.map((name) => ({ name, type: METRIC_TYPES[name] })),
      ),
      ...someOf("rows", rows.slice(offset, offset + limit).map(written)),
      // What is 0 is left out, as every default is.
      ...(rows.length === 0 ? {} : { rowCount: rows.length }),
      metadata: {
        ...(analytics.otherRow === true ? { dataLossFromOtherRow: true } : {}),
        ...(analytics.sampled === undefined
          ? {}
          : {
              samplingMetadatas: [
                {
                  samplesReadCount: String(analytics.sampled.read),
                  samplingSpaceSize: String(analytics.sampled.of),
                },
              ],
            }),
        currencyCode: "EUR",
        timeZone: calendar.zoneAt(now),
        ...(analytics.thresholded === true ? { subjectToThresholding: true } : {}),
      },
      kind: "analyticsData#runReport",
    });
  }

  #realtime(body: Fields, analytics: AnalyticsProperty, asking: Asking): SimulatedAnswer {
    const told = realtimeReport(body, asking);
    if (typeof told === "string") return invalidArgument(told);
    const isLeft = this.#quota.take(analytics, "realtime", 1, asking.now);
    return isLeft ? json(200, told) : (quotaError("tokens-hour") as SimulatedAnswer);
  }
}

const forbidden = () =>
  googleError(
    403,
    "PERMISSION_DENIED",
    `User does not have sufficient permissions for this property. To learn more about Property ID, see ${PROPERTY_ID}.`,
  );

export function analyticsError(name: string): SimulatedAnswer | undefined {
  if (name === "forbidden") return forbidden();
  if (name === "unregistered") {
    return invalidArgument(
      "Field customEvent:error_message is not a valid dimension. For a list of valid dimensions and metrics, see https://developers.google.com/analytics/devguides/reporting/data/v1/api-schema ",
    );
  }
  return quotaError(name) ?? commonError(name, ANALYTICS_DATA);
}

const someOf = (name: string, items: readonly unknown[]) => (items.length === 0 ? {} : { [name]: items });

/** Every value is a text; those that are no whole numbers have as many digits as they have. */
function written({ dimensions, metrics }: Row) {
  return {
    ...(dimensions.length === 0 ? {} : { dimensionValues: dimensions.map((value) => ({ value })) }),
    metricValues: metrics.map((value) => ({ value: String(value) })),
  };
}

const get = (operation: string, pattern: RegExp, rpc: string): GoogleRoute => ({
  operation,
  verb: "GET",
  pattern,
  rpc: `google.analytics.admin.v1beta.AnalyticsAdminService.${rpc}`,
});

export const ANALYTICS_ADMIN_ROUTES: readonly GoogleRoute[] = [
  get("accountSummaries", /^\/v1beta\/accountSummaries$/, "ListAccountSummaries"),
  get("customDimensions", /^\/v1beta\/properties\/([^/]+)\/customDimensions$/, "ListCustomDimensions"),
  get("property", /^\/v1beta\/properties\/([^/]+)$/, "GetProperty"),
];

const ADMIN_SCOPES = ["analytics.readonly", "analytics.edit"].map(
  (name) => `https://www.googleapis.com/auth/${name}`,
);
const PAGES = { otherwise: 50, most: 200 };
/** When a property was made, where the world does not say: 2020-01-01. */
const LONG_AGO = 1_577_836_800_000;

type Seen = SimulatedSite & { readonly analytics: AnalyticsProperty };

export function adminAnswer(
  { world, accounts }: Ground,
  request: SimulatedRequest,
  { operation, rpc }: GoogleRoute,
  property: string,
  now: number,
  isEndless: boolean,
): SimulatedAnswer {
  const caller = callerOf(request, { accounts, service: ANALYTICS_ADMIN, scopes: ADMIN_SCOPES, now }, rpc);
  if ("refusal" in caller) return caller.refusal;
  const seen = world.sites.filter(
    (site): site is Seen => site.analytics !== undefined && accounts.sees(caller.account, site.name),
  );
  if (operation === "accountSummaries") return summaries(seen, request.query, isEndless);
  const site = seen.find(({ analytics }) => analytics.property === property);
  if (site === undefined) return googleError(403, "PERMISSION_DENIED", "The caller does not have permission");
  if (operation === "property") return json(200, propertyOf(site, now));
  return dimensions(site.analytics, request.query, isEndless);
}

export const adminError = (name: string) => commonError(name, ANALYTICS_ADMIN);

const accountOf = ({ analytics }: Seen) => analytics.account ?? "100";

/** What there is none of is left out, down to an empty object. */
/** One entry an account. A page has so many of them, whatever they hold. */
function summaries(seen: readonly Seen[], query: URLSearchParams, isEndless: boolean): SimulatedAnswer {
  const byAccount = Map.groupBy(seen, accountOf);
  const all = [...byAccount].map(([account, sites]) => ({
    name: `accountSummaries/${account}`,
    account: `accounts/${account}`,
    displayName: `Account ${account}`,
    ...someOf(
      "propertySummaries",
      sites.map(({ name, analytics }) => ({
        property: `properties/${analytics.property}`,
        displayName: name,
        propertyType: "PROPERTY_TYPE_ORDINARY",
        parent: `accounts/${account}`,
      })),
    ),
  }));
  const { page, next } = pageOf(all, query, { ...PAGES, isEndless });
  return json(200, { ...someOf("accountSummaries", page), ...next });
}

function propertyOf(site: Seen, now: number) {
  const { property } = site.analytics;
  const account = `accounts/${accountOf(site)}`;
  const at = new Date(LONG_AGO).toISOString();
  return {
    name: `properties/${property}`,
    parent: account,
    createTime: at,
    updateTime: at,
    displayName: site.name,
    industryCategory: "OTHER",
    timeZone: calendarOf(site.analytics).zoneAt(now),
    currencyCode: "EUR",
    serviceLevel: "GOOGLE_ANALYTICS_STANDARD",
    propertyType: "PROPERTY_TYPE_ORDINARY",
    account,
  };
}

function dimensions(
  { property, customDimensions = [] }: AnalyticsProperty,
  query: URLSearchParams,
  isEndless: boolean,
): SimulatedAnswer {
  const all = customDimensions.map((parameterName, place) => ({
    name: `properties/${property}/customDimensions/${place + 1}`,
    parameterName,
    displayName: parameterName.replaceAll("_", " "),
    scope: "EVENT",
  }));
  const { page, next } = pageOf(all, query, { ...PAGES, isEndless });
  return json(200, { ...someOf("customDimensions", page), ...next });
}
