/** The world that the simulators tell of: sites, their history, and the accounts that may ask. Read anew at every request. */

/** Days and hours of a time zone, those of 23 and 25 hours too. Days are day numbers: whole days since 1970-01-01 in that calendar. */

export const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;

/** A stretch of time, in milliseconds since the epoch; `to` is not part of it. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

const formats = new Map<string, Intl.DateTimeFormat>();
const offsets = new Map<string, Map<number, number>>();
const starts = new Map<string, Map<number, number>>();

/** Offsets change at whole quarters of an hour. */
const QUARTER_MS = HOUR_MS / 4;
/** What a map may hold before it is begun anew, in entries. */
const MOST_KEPT = 50_000;

/** How far the clocks of a zone are ahead of UTC, in milliseconds. */
function offsetAt(zone: string, at: number): number {
  if (zone === "UTC") return 0;
  const quarter = Math.floor(at / QUARTER_MS);
  return kept(offsets, zone, quarter, () => {
    const ms = quarter * QUARTER_MS;
    const parts = formatOf(zone).formatToParts(ms);
    const part = (type: string) => Number(parts.find((one) => one.type === type)?.value);
    return (
      Date.UTC(part("year"), part("month") - 1, part("day"), part("hour"), part("minute"), part("second")) -
      ms
    );
  });
}

const NUMERIC = "numeric" as const;
const PARTS = {
  year: NUMERIC,
  month: NUMERIC,
  day: NUMERIC,
  hour: NUMERIC,
  minute: NUMERIC,
  second: NUMERIC,
};

function formatOf(timeZone: string): Intl.DateTimeFormat {
  return formats.getOrInsertComputed(
    timeZone,
    () => new Intl.DateTimeFormat("en-US", { timeZone, hourCycle: "h23", ...PARTS }),
  );
}

function kept(maps: Map<string, Map<number, number>>, zone: string, key: number, make: () => number): number {
  const map = maps.getOrInsert(zone, new Map());
  if (map.size > MOST_KEPT) map.clear();
  return map.getOrInsertComputed(key, make);
}

/** The day that an instant belongs to. */
export function dayIn(zone: string, at: number): number {
  return Math.floor((at + offsetAt(zone, at)) / DAY_MS);
}

/** The hour of the day, 0 to 23, that an instant belongs to. */
export function hourIn(zone: string, at: number): number {
  const local = at + offsetAt(zone, at);
  return Math.floor((local - Math.floor(local / DAY_MS) * DAY_MS) / HOUR_MS);
}

/** The first instant of a day. */
export function startOfDayIn(zone: string, day: number): number {
  return kept(starts, zone, day, () => {
    const midnight = day * DAY_MS;
    let at = midnight - offsetAt(zone, midnight - offsetAt(zone, midnight));
    // Where clocks change at midnight, the first guess can lie an hour beside.
    while (dayIn(zone, at) >= day) at -= QUARTER_MS;
    while (dayIn(zone, at) < day) at += QUARTER_MS;
    return at;
  });
}

/** A time zone, and from when on it holds. */
interface ZoneSince {
  readonly zone: string;
  /** Milliseconds since the epoch. */
  readonly since: number;
}

/**
 * The calendar of a property whose time zone may be changed. What happened before a change stays in the days of the zone before it, so
 * that the days about a change are short or long.
 */
export class Calendar {
  readonly #zones: readonly ZoneSince[];

  /** The first zone holds since ever; the changes are in order. */
  constructor(zone: string, changes: readonly ZoneSince[] = []) {
    this.#zones = [{ zone, since: Number.NEGATIVE_INFINITY }, ...changes];
  }

  zoneAt(at: number): string {
    return this.#zones.findLast(({ since }) => since <= at)?.zone ?? "UTC";
  }

  dayAt(at: number): number {
    return dayIn(this.zoneAt(at), at);
  }

  /** What of time belongs to a day; nothing where a change left the day out. */
  spansOf(day: number): readonly Span[] {
    return this.#zones.flatMap(({ zone, since }, place) => {
      const until = this.#zones[place + 1]?.since ?? Number.POSITIVE_INFINITY;
      const from = Math.max(since, startOfDayIn(zone, day));
      const to = Math.min(until, startOfDayIn(zone, day + 1));
      return from < to ? [{ from, to }] : [];
    });
  }
}

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
interface LateRevision extends PlantedChange {
  /** Milliseconds since the epoch. */
  at: number;
}

export interface AnalyticsProperty {
  /** Digits. */
  property: string;
  timeZone: string;
  /** In order; each holds from its moment on. */
  zoneChanges?: ZoneSince[];
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
  /** How many tokens reports may cost in an hour; those of a standard property where it is absent. */
  tokensPerHour?: number;
}

export interface SearchConsoleProperty {
  /** `sc-domain:…`, or an address with its slash at the end. */
  property: string;
  permission?: "siteOwner" | "siteFullUser" | "siteRestrictedUser" | "siteUnverifiedUser";
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
  /** What it is found by, and has a page of each: the most asked first. Words that say nothing where it is absent. */
  phrases?: readonly string[];
  changes?: PlantedChange[];
  revisions?: LateRevision[];
  analytics?: AnalyticsProperty;
  searchConsole?: SearchConsoleProperty;
  webmasterTools?: WebmasterProperty;
}

/** The path of the page about a phrase, without the slash before it. */
export const slugOf = (phrase: string): string => phrase.replaceAll(" ", "-");

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
  /** What of a day's events is told as it ends, as a share; the rest comes within 48 hours. 0.92 where absent. */
  toldAtOnce?: number;
}
