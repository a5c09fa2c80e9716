/** The world that the simulators tell of: sites, their history, and the accounts that may ask. Read anew at every request. */
import type { ZoneSince } from "./calendar.ts";

/** Something that changes a site's figures for a while: an outage, a campaign, a lost tag. Days are day numbers. */
export interface PlantedChange {
  from: number;
  /** The last day; for ever where it is absent. */
  to?: number;
  /** What the figures become, as a factor: 0.25 for a fall by three quarters. */
  factor: number;
  /** Which figures, by the names of `figures.ts`; all where it is absent. */
  figures?: readonly string[];
}

/** Late data: from a moment on, days that were settled tell another value. */
export interface LateRevision extends PlantedChange {
  /** Milliseconds since the epoch. */
  at: number;
}

export interface AnalyticsProperty {
  /** Digits. */
  property: string;
  timeZone: string;
  /** In order; each holds from its moment on. */
  zoneChanges?: ZoneSince[];
  currency?: string;
  /** The account it belongs to, in digits; `100` where it is absent. */
  account?: string;
  /** Registered parameters of events. */
  customDimensions?: string[];
  /** What `metadata` says of the reports beside their rows. */
  thresholded?: boolean;
  otherRow?: boolean;
  sampled?: { read: number; of: number };
  /** How many pages its reports tell of; ten where it is absent. */
  pages?: number;
  /** The most rows of an answer, whatever is asked for; 250,000 where it is absent. */
  mostRows?: number;
  /** Allowances that differ from those of a standard property. */
  quota?: Partial<Quota>;
  createdAt?: number;
}

/** Allowances of a property (a standard one: `STANDARD_QUOTA`). */
export interface Quota {
  tokensPerDay: number;
  tokensPerHour: number;
  tokensPerProjectPerHour: number;
  concurrentRequests: number;
  serverErrorsPerProjectPerHour: number;
  potentiallyThresholdedRequestsPerHour: number;
}

export const STANDARD_QUOTA: Quota = {
  tokensPerDay: 200_000,
  tokensPerHour: 40_000,
  tokensPerProjectPerHour: 14_000,
  concurrentRequests: 10,
  serverErrorsPerProjectPerHour: 10,
  potentiallyThresholdedRequestsPerHour: 120,
};

export const PERMISSIONS = ["siteOwner", "siteFullUser", "siteRestrictedUser", "siteUnverifiedUser"] as const;
export type Permission = (typeof PERMISSIONS)[number];

export interface SearchConsoleProperty {
  /** `sc-domain:…`, or an address with its slash at the end. */
  property: string;
  permission?: Permission;
  /** How many pages and queries its reports tell of. */
  pages?: number;
  queries?: number;
  /** Appearances beside ordinary results, such as `AMP_BLUE_LINK`. */
  appearances?: string[];
}

/** For how long something is told; always where neither is there. */
export interface TellingTime {
  /** Milliseconds since the epoch; `to` is not part of it. */
  from?: number;
  to?: number;
}

/** What webmaster tools find wrong with a page. */
export interface CrawlIssue extends TellingTime {
  /** Below the site's address, without a slash before it. */
  path: string;
  /** Bits: 1 = 301, 2 = 302, 4 = 4xx, 8 = 5xx, 16 robots, 32 malware, 64 important URL blocked, 128 DNS, 256 timeout. */
  issues: number;
  httpCode: number;
  inLinks?: number;
}

export interface SimulatedFeed extends TellingTime {
  path: string;
  /** `Success` where it is absent. */
  status?: string;
  /** `Sitemap` where it is absent. */
  type?: string;
  urls?: number;
}

/** How webmaster tools writes a day: both kinds of midnight were seen, and offsets are left out at times. */
export type DateForm = "pacific" | "utc-with-offset" | "utc";

export interface WebmasterProperty {
  /** The exact address, with its slash at the end. */
  property: string;
  verified?: boolean;
  dateForm?: DateForm;
  /** How many days back the newest date lies; 3 where it is absent. */
  lagDays?: number;
  /** What stands as `d` where there are no days. */
  empty?: "list" | "null";
  /** Two that last where it is absent. */
  crawlIssues?: CrawlIssue[];
  /** One that was read and two that never were where it is absent. */
  feeds?: SimulatedFeed[];
}

export interface SimulatedSite {
  /** Its domain. */
  name: string;
  /** Visitors of a day, on average, on its first day. */
  visitsPerDay: number;
  /** What a weekday has of the average, from Sunday on; even where it is absent. */
  weekday?: readonly number[];
  /** Growth in a year, as a factor; 1 where it is absent. */
  yearly?: number;
  /** Variance of a day's visitors, in multiples of the mean; 1 is Poisson. 3 where it is absent. */
  dispersion?: number;
  /** First and last day that anybody came. */
  firstDay: number;
  lastDay?: number;
  changes?: PlantedChange[];
  revisions?: LateRevision[];
  analytics?: AnalyticsProperty;
  searchConsole?: SearchConsoleProperty;
  webmasterTools?: WebmasterProperty;
}

/** A service account of Google, or a user of webmaster tools. */
export interface SimulatedAccount {
  /** The part of its address before the @. */
  name: string;
  /** The names of the sites whose properties it was added to; every site where it is absent. */
  sites?: string[];
}

export interface World {
  sites: SimulatedSite[];
  /** One account named `tower`, who sees every site, where it is absent. */
  accounts?: SimulatedAccount[];
  /** How late analytics tells of what happened, in milliseconds; 3 hours where it is absent. */
  intradayLagMs?: number;
  /** What of a day's events is told as it ends, as a share; the rest comes within `settleMs` (48 hours where absent). 0.92 where absent. */
  toldAtOnce?: number;
  settleMs?: number;
}
