/** Webmaster tools: one key for all sites of a user, in the address; days by their moment; errors under 400 and under 200. */

import type { Ground } from "./accounts.ts";
import { figuresOf, revisedBy, seedOf, uniform } from "./figures.ts";
import { html, json, type SimulatedAnswer, type SimulatedRequest } from "./http_message.ts";
import { PACIFIC } from "./search_console.ts";
import {
  type CrawlIssue,
  DAY_MS,
  type DateForm,
  type SimulatedFeed,
  type SimulatedSite,
  slugOf,
  startOfDayIn,
  type TellingTime,
  type WebmasterProperty,
} from "./world.ts";

const PATH = /^\/webmaster\/api\.svc\/json\/(\w+)$/;
const METHODS: readonly string[] = [
  "GetUserSites",
  "GetRankAndTrafficStats",
  "GetCrawlStats",
  "GetCrawlIssues",
  "GetFeeds",
  "GetQueryStats",
  "GetPageStats",
];

/** What is kept, in days, and of the crawl. */
const KEPT_DAYS = 480;
const CRAWL_DAYS = 180;
const LAG_DAYS = 3;
/** What the newest day has of what it will have. */
const NEWEST_SHARE = 0.7;
/** Days of pages and queries stand by their week, under its Friday. */
const FRIDAY = 5;

/** How "never" is written. */
const NEVER = ["/Date(-62135568000000-0800)/", "/Date(-62135596800000)/", "/Date(-11644473600000)/"] as const;

const NAMES: Readonly<Record<number, string>> = {
  1: "InternalError",
  2: "UnknownError",
  3: "InvalidApiKey",
  4: "ThrottleUser",
  5: "ThrottleHost",
  6: "UserBlocked",
  7: "InvalidUrl",
  8: "InvalidParameter",
  9: "TooManySites",
  10: "UserNotFound",
  11: "NotFound",
  12: "AlreadyExists",
  13: "NotAllowed",
  14: "NotAuthorized",
  15: "UnexpectedState",
  16: "Deprecated",
  18: "InvalidToken",
};

type Seen = SimulatedSite & { readonly webmasterTools: WebmasterProperty };

export class WebmasterTools {
  readonly #ground: Ground;
  #shut: { readonly code: number; readonly quietMs: number; until: number } | undefined;

  constructor(ground: Ground) {
    this.#ground = ground;
  }

  /** Shuts the door until nobody has called for `quietMs`: each call while it is shut begins that anew. */
  shut(code: 4 | 5, quietMs: number, now: number): void {
    this.#shut = { code, quietMs, until: now + quietMs };
  }

  answer(request: SimulatedRequest, operation: string, now: number): SimulatedAnswer {
    if (operation === "" || request.method !== "GET") return gonePage(404);
    const shut = this.#shut;
    if (shut !== undefined && now < shut.until) {
      shut.until = now + shut.quietMs;
      return refusal(shut.code);
    }
    this.#shut = undefined;
    const account = this.#ground.accounts.webmasterOf(request.query.get("apikey") ?? "");
    if (account === undefined) return refusal(3);
    const seen = this.#ground.world.sites.filter(
      (site): site is Seen =>
        site.webmasterTools !== undefined && this.#ground.accounts.sees(account, site.name),
    );
    if (operation === "GetUserSites") return given(seen.map((site) => this.#siteEntry(site)));
    const property = request.query.get("siteUrl");
    if (property === null || property === "") return refusal(8);
    const site = seen.find(({ webmasterTools }) => webmasterTools.property === property);
    if (site === undefined || site.webmasterTools.verified === false) return refusal(14);
    const items = this.#itemsOf(operation, site, now);
    return items.length === 0 && site.webmasterTools.empty === "null" ? given(null) : given(items);
  }

  /** The two codes are secrets of the user. */
  #siteEntry({ name, webmasterTools }: Seen) {
    const code = (what: string) =>
      [0, 1, 2, 3]
        .map((place) => seedOf(this.#ground.seed, name, what, place).toString(16).padStart(8, "0"))
        .join("")
        .toUpperCase();
    return {
      __type: "Site:#Microsoft.Bing.Webmaster.Api",
      AuthenticationCode: code("authentication"),
      DnsVerificationCode: `${code("dns").toLowerCase()}.verify.example`,
      IsVerified: webmasterTools.verified ?? true,
      Url: webmasterTools.property,
    };
  }

  #itemsOf(operation: string, site: Seen, now: number): readonly unknown[] {
    const { dateForm } = site.webmasterTools;
    const newest = Math.floor(now / DAY_MS) - LAG_DAYS;
    const shown = (day: number) => dateText(day, dateForm);
    switch (operation) {
      case "GetRankAndTrafficStats":
        return mixed(this.#ground.seed, this.#trafficOf(site, newest, now)).map(
          ({ day, clicks, impressions }) => ({
            __type: "RankAndTrafficStats:#Microsoft.Bing.Webmaster.Api",
            Clicks: clicks,
            Date: shown(day),
            Impressions: impressions,
          }),
        );
      case "GetCrawlStats":
        return daysUpTo(newest, Math.max(site.firstDay, newest - CRAWL_DAYS)).map((day) =>
          this.#crawlOf(site, day, shown(day)),
        );
      case "GetCrawlIssues":
        return (site.webmasterTools.crawlIssues ?? CRAWL_ISSUES)
          .filter((issue) => isTold(issue, now))
          .map(({ path, issues, httpCode, inLinks = 0 }) => ({
            HttpCode: httpCode,
            Issues: issues,
            Url: `${site.webmasterTools.property}${path}`,
            InLinks: inLinks,
          }));
      case "GetFeeds":
        if (site.webmasterTools.feeds !== undefined) {
          return site.webmasterTools.feeds
            .filter((feed) => isTold(feed, now))
            .map((feed) => feedOf(site, feed, shown(newest)));
        }
        // What never happened is written in three ways.
        return NEVER.map((never, place) => ({
          Compressed: false,
          FileSize: 1_234,
          LastCrawled: place === 0 ? shown(newest) : never,
          Status: place === 0 ? "Success" : "Pending",
          Submitted: never,
          Type: "Sitemap",
          Url: `${site.webmasterTools.property}sitemap${place === 0 ? "" : place}.xml`,
          UrlCount: place === 0 ? 120 : 0,
        }));
      default:
        return this.#weeksOf(site, newest, now, operation === "GetPageStats");
    }
  }

  #trafficOf(site: Seen, newest: number, now: number) {
    return daysUpTo(newest, Math.max(site.firstDay, newest - KEPT_DAYS)).flatMap((day) => {
      const figures = figuresOf(this.#ground.seed, site, day);
      if (figures === undefined) return [];
      const share = day === newest ? NEWEST_SHARE : 1;
      const of = (name: "webmasterClicks" | "webmasterImpressions") =>
        Math.floor(figures[name] * share * revisedBy(site, day, name, now));
      const impressions = of("webmasterImpressions");
      return impressions === 0
        ? []
        : [{ day, clicks: Math.min(impressions, of("webmasterClicks")), impressions }];
    });
  }

  #crawlOf(site: Seen, day: number, date: string) {
    const crawled = Math.round(20 + 80 * uniform(seedOf(this.#ground.seed, site.name, "crawl"), day));
    return {
      __type: "CrawlStats:#Microsoft.Bing.Webmaster.Api",
      AllOtherCodes: 0,
      BlockedByRobotsTxt: 1,
      Code2xx: crawled - 3,
      Code301: 1,
      Code302: 0,
      Code4xx: 2,
      Code5xx: 0,
      ConnectionTimeout: 0,
      ContainsMalware: 0,
      CrawlErrors: 2,
      CrawledPages: crawled,
      Date: date,
      DnsFailures: 0,
      InIndex: 400,
      InLinks: 35,
    };
  }

  /** Pages stand where queries do, under the same name. */
  #weeksOf(site: Seen, newest: number, now: number, isPages: boolean) {
    const weeks = this.#trafficOf(site, newest, now)
      .filter(({ day }) => (day + 4) % 7 === FRIDAY)
      .slice(-26);
    const words = isPages
      ? ["", ...(site.phrases?.slice(0, 2).map(slugOf) ?? ["about", "contact"])].map(
          (path) => `${site.webmasterTools.property}${path}`,
        )
      : (site.phrases?.slice(0, 3) ??
        ["first words", "other words", "third words"].map(
          (words) => `${site.name.split(".")[0] ?? ""} ${words}`,
        ));
    return weeks.flatMap(({ day, clicks, impressions }) =>
      words.map((query, place) => {
        const clicked = Math.round(clicks / (place + 1));
        return {
          __type: "QueryStats:#Microsoft.Bing.Webmaster.Api",
          // Where nobody clicked there is no position of a click.
          AvgClickPosition: clicked === 0 ? -1 : 3 + place,
          AvgImpressionPosition: 5 + place,
          Clicks: clicked,
          Date: dateText(day, site.webmasterTools.dateForm),
          Impressions: Math.round(impressions / (place + 1)),
          Query: query,
        };
      }),
    );
  }
}

/** An error by its code: `4`; `4-text` for a code that is written as a text. */
export function webmasterError(name: string): SimulatedAnswer | undefined {
  const match = /^(\d+)(-text)?$/.exec(name);
  return match === null ? undefined : refusal(Number(match[1]), match[2] !== undefined);
}

const CRAWL_ISSUES: readonly CrawlIssue[] = [
  { path: "old-page", issues: 4, httpCode: 404, inLinks: 2 },
  { path: "busy", issues: 8, httpCode: 503 },
];

const isTold = ({ from, to }: TellingTime, now: number): boolean =>
  now >= (from ?? Number.NEGATIVE_INFINITY) && now < (to ?? Number.POSITIVE_INFINITY);

const feedOf = (
  { webmasterTools }: Seen,
  { path, status = "Success", type = "Sitemap", urls = 0 }: SimulatedFeed,
  crawled: string,
) => ({
  Compressed: false,
  FileSize: 100 + 60 * urls,
  LastCrawled: crawled,
  Status: status,
  Submitted: NEVER[0],
  Type: type,
  Url: `${webmasterTools.property}${path}`,
  UrlCount: urls,
});

/** The method that a path names; empty where there is none. */
export function webmasterMethod(path: string): string {
  const name = PATH.exec(path)?.[1] ?? "";
  return METHODS.includes(name) ? name : "";
}

/** Pages of the edge before the service. */
export function gonePage(status: number): SimulatedAnswer {
  return html(
    status,
    "<!DOCTYPE html PUBLIC '-//W3C//DTD XHTML 1.0 Transitional//EN' 'http://www.w3.org/TR/xhtml1/DTD/xhtml1-transitional.dtd'><html xmlns='http://www.w3.org/1999/xhtml'><head><title>Service unavailable</title></head><body><h2>Our services aren't available right now</h2><p>We're working to restore all services as soon as possible. Please check back soon.</p>Ref A: 0 Ref B: 0 Ref C: 0</body></html>",
  );
}

const HEADERS = {
  "content-type": "application/json; charset=utf-8",
  "x-aspnet-version": "4.0.30319",
  "x-msedge-ref": "Ref A: 0 Ref B: 0 Ref C: 0",
};

/** Slashes are escaped in what it writes. */
function given(d: unknown): SimulatedAnswer {
  const { body } = json(200, { d });
  return {
    status: 200,
    headers: HEADERS,
    body: String(body).replace(/"\/(Date\([-+\d]+\))\/"/g, '"\\/$1\\/"'),
  };
}

function refusal(code: number, isText = false): SimulatedAnswer {
  const body = { ErrorCode: isText ? String(code) : code, Message: `ERROR!!! ${NAMES[code] ?? "Unknown"}` };
  return { status: 400, headers: HEADERS, body: JSON.stringify(body) };
}

function dateText(day: number, form: DateForm = "pacific"): string {
  if (form === "utc") return `/Date(${day * DAY_MS})/`;
  const midnight = startOfDayIn(PACIFIC, day);
  const hours = (midnight - day * DAY_MS) / (DAY_MS / 24);
  return `/Date(${form === "pacific" ? midnight : day * DAY_MS}-0${hours}00)/`;
}

const daysUpTo = (last: number, first: number): number[] =>
  Array.from({ length: Math.max(0, last - first + 1) }, (_, place) => first + place);

/** In no order that could be relied on. */
function mixed<T extends { readonly day: number }>(seed: number, items: readonly T[]): T[] {
  return [...items].sort((one, other) => uniform(seed, one.day) - uniform(seed, other.day));
}
