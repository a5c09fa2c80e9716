/** How a day of a site divides among its pages, sources, events and the like. Shares are the same on every day. */

import { seedOf, uniform } from "./figures.ts";
import { type SimulatedSite, slugOf } from "./world.ts";

/** One of the values that stand together, with its share of the whole. */
export interface Slice {
  readonly values: Readonly<Record<string, string>>;
  readonly share: number;
}

/** Dimensions that go together, as one visit has them. */
const GROUPS: readonly (readonly string[])[] = [
  [
    "pagePath",
    "pageTitle",
    "pagePathPlusQueryString",
    "unifiedPagePathScreen",
    "unifiedScreenName",
    "hostName",
  ],
  ["landingPage", "landingPagePlusQueryString"],
  [
    "sessionDefaultChannelGroup",
    "sessionSource",
    "sessionMedium",
    "sessionSourceMedium",
    "sessionCampaignName",
  ],
  ["eventName", "isKeyEvent"],
  ["country", "cityId"],
  ["deviceCategory", "browser"],
];

const PAGES = [
  "/",
  "/products",
  "/about",
  "/contact",
  "/blog",
  "/blog/first-steps",
  "/pricing",
  "/help",
  "/search",
  "/thanks",
];
const SOURCES: readonly (readonly [channel: string, source: string, medium: string, campaign: string])[] = [
  ["Organic Search", "google", "organic", "(organic)"],
  ["Direct", "(direct)", "(none)", "(direct)"],
  ["Referral", "partner.example", "referral", "(referral)"],
  ["Organic Social", "social.example", "social", "(not set)"],
  ["Email", "newsletter", "email", "weekly letter"],
  ["AI Assistant", "assistant.example", "referral", "(referral)"],
  ["Unassigned", "(not set)", "(not set)", "(not set)"],
];
const EVENTS = [
  "page_view",
  "user_engagement",
  "scroll",
  "session_start",
  "first_visit",
  "click",
  "form_submit",
  "exception",
];
const COUNTRIES = ["Germany", "France", "Netherlands", "Spain", "Poland", "(not set)"];
const DEVICES: readonly (readonly [string, string])[] = [
  ["mobile", "Chrome"],
  ["desktop", "Firefox"],
  ["tablet", "Safari"],
];

/** The slices of a site by some dimensions, time left out: every combination of what goes together. */
export function slicesOf(seed: number, site: SimulatedSite, dimensions: readonly string[]): readonly Slice[] {
  const wanted = GROUPS.filter((group) => group.some((name) => dimensions.includes(name)));
  const custom = dimensions.filter((name) => name.startsWith("customEvent:"));
  const sets = wanted.map((group) => shared(seed, site, group[0] ?? "", valuesOf(site, group[0] ?? "")));
  if (custom.length > 0) sets.push(shared(seed, site, "errors", errorsOf(custom)));
  return sets.reduce<readonly Slice[]>(
    (all, set) =>
      all.flatMap((one) =>
        set.map((other) => ({ values: { ...one.values, ...other.values }, share: one.share * other.share })),
      ),
    [{ values: {}, share: 1 }],
  );
}

function valuesOf(site: SimulatedSite, group: string): readonly Readonly<Record<string, string>>[] {
  switch (group) {
    case "pagePath":
      return pathsOf(site).map((path) => ({
        pagePath: path,
        pagePathPlusQueryString: path,
        unifiedPagePathScreen: path,
        pageTitle: path === "/" ? site.name : path.slice(1),
        unifiedScreenName: path === "/" ? site.name : path.slice(1),
        hostName: site.name,
      }));
    case "landingPage":
      return [...pathsOf(site, 6), "(not set)"].map((path) => ({
        landingPage: path,
        landingPagePlusQueryString: path,
      }));
    case "sessionDefaultChannelGroup":
      return SOURCES.map(([channel, source, medium, campaign]) => ({
        sessionDefaultChannelGroup: channel,
        sessionSource: source,
        sessionMedium: medium,
        sessionSourceMedium: `${source} / ${medium}`,
        sessionCampaignName: campaign,
      }));
    case "eventName":
      return EVENTS.map((name) => ({ eventName: name, isKeyEvent: String(name === "form_submit") }));
    case "country":
      return COUNTRIES.map((country, place) => ({ country, cityId: String(1_000 + place) }));
    default:
      return DEVICES.map(([deviceCategory, browser]) => ({ deviceCategory, browser }));
  }
}

/** As many pages as a site has, `otherwise` where it does not say how many. */
function pathsOf({ analytics, phrases }: SimulatedSite, otherwise = PAGES.length): readonly string[] {
  const pages = phrases === undefined ? PAGES : ["/", ...phrases.map((phrase) => `/${slugOf(phrase)}`)];
  return Array.from(
    { length: analytics?.pages ?? otherwise },
    (_, place) => pages[place] ?? `/articles/${place}`,
  );
}

/** What the parameters of errors hold; newly registered ones are not set for what came before. */
function errorsOf(custom: readonly string[]): readonly Readonly<Record<string, string>>[] {
  return ["(not set)", "Cannot read properties of undefined", "Network request failed"].map((text, place) =>
    Object.fromEntries(custom.map((name) => [name, place === 0 ? text : `${text} (${name.slice(12)})`])),
  );
}

/** Values with shares that fall from one to the next and come to 1. */
function shared(
  seed: number,
  site: SimulatedSite,
  what: string,
  values: readonly Readonly<Record<string, string>>[],
): readonly Slice[] {
  const own = seedOf(seed, site.name, "shares", what);
  const weights = values.map((_, place) => (0.6 + 0.8 * uniform(own, place)) / (place + 1) ** 1.1);
  const sum = weights.reduce((total, weight) => total + weight, 0);
  return values.map((value, place) => ({ values: value, share: (weights[place] ?? 0) / sum }));
}
