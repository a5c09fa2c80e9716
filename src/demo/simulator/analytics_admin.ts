/** The Admin API of analytics (v1beta): which properties an account sees, their time zones and their registered parameters. */

import type { Ground } from "./accounts.ts";
import { calendarOf } from "./analytics_rows.ts";
import { ANALYTICS_ADMIN, commonError, googleError } from "./google_errors.ts";
import { callerOf, type GoogleRoute, pageOf } from "./google_front.ts";
import { json, type SimulatedAnswer, type SimulatedRequest } from "./http_message.ts";
import type { AnalyticsProperty, SimulatedSite } from "./world.ts";

const get = (operation: string, pattern: RegExp, rpc: string): GoogleRoute => ({
  operation,
  verb: "GET",
  pattern,
  rpc: `google.analytics.admin.v1beta.AnalyticsAdminService.${rpc}`,
});

export const ANALYTICS_ADMIN_ROUTES: readonly GoogleRoute[] = [
  get("accountSummaries", /^\/v1beta\/accountSummaries$/, "ListAccountSummaries"),
  get("customDimensions", /^\/v1beta\/properties\/([^/]+)\/customDimensions$/, "ListCustomDimensions"),
  get("customDimension", /^\/v1beta\/properties\/([^/]+)\/customDimensions\/[^/]+$/, "GetCustomDimension"),
  get("property", /^\/v1beta\/properties\/([^/]+)$/, "GetProperty"),
];

const SCOPES = ["analytics.readonly", "analytics.edit"].map(
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
  const caller = callerOf(request, { accounts, service: ANALYTICS_ADMIN, scopes: SCOPES, now }, rpc);
  if ("refusal" in caller) return caller.refusal;
  const seen = world.sites.filter(
    (site): site is Seen => site.analytics !== undefined && accounts.sees(caller.account, site.name),
  );
  if (operation === "accountSummaries") return summaries(seen, request.query, isEndless);
  const site = seen.find(({ analytics }) => analytics.property === property);
  if (site === undefined) return googleError(403, "PERMISSION_DENIED", "The caller does not have permission");
  if (operation === "property") return json(200, propertyOf(site, now));
  if (operation === "customDimension")
    return googleError(404, "NOT_FOUND", "Requested entity was not found.");
  return dimensions(site.analytics, request.query, isEndless);
}

export const adminError = (name: string) => commonError(name, ANALYTICS_ADMIN);

const accountOf = ({ analytics }: Seen) => analytics.account ?? "100";

/** What there is none of is left out, down to an empty object. */
const someOf = (name: string, items: readonly unknown[]) => (items.length === 0 ? {} : { [name]: items });

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
  const { property, currency, createdAt } = site.analytics;
  const account = `accounts/${accountOf(site)}`;
  const at = new Date(createdAt ?? LONG_AGO).toISOString();
  return {
    name: `properties/${property}`,
    parent: account,
    createTime: at,
    updateTime: at,
    displayName: site.name,
    industryCategory: "OTHER",
    timeZone: calendarOf(site.analytics).zoneAt(now),
    currencyCode: currency ?? "EUR",
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
