/** What happened on a site, day by day: computed on demand from its seed, so that a thousand sites with years behind them cost nothing. */

import { DAY_MS, type PlantedChange, type SimulatedSite, type Span, type World } from "./world.ts";

/** Chance that can be drawn again: the same words always give the same number, in any order of asking. */

/** A number that stands for some words, for `uniform`. */
export function seedOf(seed: number, ...words: readonly (string | number)[]): number {
  return Bun.hash.xxHash32(words.join("\u0000"), seed >>> 0);
}

/** A number above 0 and below 1 for the `place`-th draw of a seed. */
export function uniform(seed: number, place: number): number {
  let mixed = (seed ^ Math.imul(place + 0x9e3779b9, 0x85ebca6b)) | 0;
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x7feb352d);
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x846ca68b);
  return ((mixed ^ (mixed >>> 16)) >>> 0) / 4_294_967_296 + 1 / 8_589_934_592;
}

/** A draw of the normal distribution with mean 0 and variance 1 (Box and Muller). */
function normal(seed: number, place: number): number {
  const [one, other] = [uniform(seed, 2 * place), uniform(seed, 2 * place + 1)];
  return Math.sqrt(-2 * Math.log(one)) * Math.cos(2 * Math.PI * other);
}

/** Above this mean a count is drawn from the normal distribution: its shape differs too little to be seen. */
const LARGE = 60;

/** A count with this mean and a variance of `dispersion` times the mean: Poisson at 1, negative binomial above. */
export function count(mean: number, dispersion: number, seed: number, place: number): number {
  if (!(mean > 0)) return 0;
  if (mean > LARGE) {
    return Math.max(0, Math.round(mean + normal(seed, place) * Math.sqrt(mean * dispersion)));
  }
  const wanted = uniform(seed, place);
  const isSpread = dispersion > 1;
  const size = isSpread ? mean / (dispersion - 1) : 0;
  let chance = isSpread ? dispersion ** -size : Math.exp(-mean);
  let drawn = 0;
  // What the sum cannot reach for its rounding ends at twenty times the largest mean.
  for (let below = chance; below < wanted && drawn < 20 * LARGE; drawn++, below += chance) {
    chance *= isSpread ? ((drawn + size) / (drawn + 1)) * (1 - 1 / dispersion) : mean / (drawn + 1);
  }
  return drawn;
}

/** Everything that happened on a site on one day of 24 hours. */
export interface DayFigures {
  readonly activeUsers: number;
  readonly newUsers: number;
  readonly sessions: number;
  readonly engagedSessions: number;
  readonly screenPageViews: number;
  readonly eventCount: number;
  readonly keyEvents: number;
  readonly searchClicks: number;
  readonly searchImpressions: number;
  readonly searchPosition: number;
  readonly webmasterClicks: number;
  readonly webmasterImpressions: number;
}

/** Visitors alone decide most of a day; these say what comes of one. */
const SEARCH_SHARE = 0.42;
const CLICK_RATE = 0.055;
const WEBMASTER_SHARE = 0.035;
const WEBMASTER_CLICK_RATE = 0.025;

/** What happens in a year, as day numbers count it. */
const YEAR_DAYS = 365.25;

/** What happened on a day, all of it; nothing before the first day and after the last. */
export function figuresOf(seed: number, site: SimulatedSite, day: number): DayFigures | undefined {
  if (day < site.firstDay || day > (site.lastDay ?? Number.POSITIVE_INFINITY)) return undefined;
  const seedFor = (figure: string) => seedOf(seed, site.name, figure);
  const drawn = (mean: number, figure: string, spread = 1) =>
    count(mean * factorOf(site.changes, day, figure), spread, seedFor(figure), day);
  const wobble = (figure: string, by: number) => 1 + by * normal(seedFor(figure), day);
  const scaled = (value: number, figure: string) =>
    Math.round(value * factorOf(site.changes, day, figure, true));

  const expected =
    site.visitsPerDay * weekdayOf(site, day) * (site.yearly ?? 1) ** ((day - site.firstDay) / YEAR_DAYS);
  const activeUsers = drawn(expected, "activeUsers", site.dispersion ?? 3);
  const sessions = scaled(activeUsers * Math.max(1, wobble("sessions", 0.03) * 1.22), "sessions");
  const screenPageViews = scaled(sessions * wobble("screenPageViews", 0.04) * 2.4, "screenPageViews");
  const eventCount = scaled(screenPageViews * wobble("eventCount", 0.03) * 2.9, "eventCount");
  // Search tells of the same people, also on days when the site's own measuring does not.
  const seen = Math.max(activeUsers, expected * factorOf(site.changes, day, "visitors"));
  const searchImpressions = drawn((seen * SEARCH_SHARE) / CLICK_RATE, "searchImpressions", 2);
  const webmasterImpressions = drawn(
    (seen * WEBMASTER_SHARE) / WEBMASTER_CLICK_RATE,
    "webmasterImpressions",
    2,
  );
  return {
    activeUsers,
    newUsers: Math.round(activeUsers * 0.62),
    sessions,
    engagedSessions: Math.round(sessions * 0.57),
    screenPageViews,
    eventCount,
    keyEvents: drawn(activeUsers * 0.03, "keyEvents"),
    searchImpressions,
    searchClicks: Math.min(searchImpressions, drawn(searchImpressions * CLICK_RATE, "searchClicks")),
    searchPosition: Math.max(1, 8.4 + 0.5 * normal(seedFor("searchPosition"), day)),
    webmasterImpressions,
    webmasterClicks: Math.min(
      webmasterImpressions,
      drawn(webmasterImpressions * WEBMASTER_CLICK_RATE, "webmasterClicks"),
    ),
  };
}

/** The weekday of a day number, 0 for Sunday: 1970-01-01 was a Thursday. */
const weekdayNumber = (day: number): number => (((day + 4) % 7) + 7) % 7;

function weekdayOf(site: SimulatedSite, day: number): number {
  if (site.weekday === undefined) return 1;
  const sum = site.weekday.reduce((total, share) => total + share, 0);
  return ((site.weekday[weekdayNumber(day)] ?? 0) * site.weekday.length) / sum;
}

/** What the changes that hold on a day make of a figure; with `isNamed`, only those that name it. */
function factorOf(
  changes: readonly PlantedChange[] | undefined,
  day: number,
  figure: string,
  isNamed = false,
): number {
  let factor = 1;
  for (const change of changes ?? []) {
    if (day < change.from || day > (change.to ?? Number.POSITIVE_INFINITY)) continue;
    const touches =
      change.figures?.includes(figure) ?? (!isNamed && (figure === "activeUsers" || figure === "visitors"));
    if (touches) factor *= change.factor;
  }
  return factor;
}

/** What late revisions that were made until `now` make of a figure of a day. */
export function revisedBy(
  { revisions = [] }: SimulatedSite,
  day: number,
  figure: string,
  now: number,
): number {
  return revisions
    .filter(({ at, from, to = from }) => at <= now && day >= from && day <= to)
    .filter(({ figures }) => figures?.includes(figure) ?? true)
    .reduce((factor, revision) => factor * revision.factor, 1);
}

/**
 * What share of a span's events is told at `now`: those that happened up to the lag, most of them at once, the rest while it settles.
 * It never falls.
 */
export function toldShare(world: World, span: Span, now: number): number {
  const lag = world.intradayLagMs ?? 3 * (DAY_MS / 24);
  const happened = Math.min(1, Math.max(0, (now - lag - span.from) / (span.to - span.from)));
  const atOnce = world.toldAtOnce ?? 0.92;
  const settled = Math.min(1, Math.max(0, (now - span.to) / (2 * DAY_MS)));
  return happened * (atOnce + (1 - atOnce) * settled);
}
