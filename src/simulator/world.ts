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
