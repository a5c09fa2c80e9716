/** Search console: which properties an account sees, and what search tells of them. */

import { dayOfNumber } from "../../base/time.ts";
import type { Accounts } from "./accounts.ts";
import { commonError, googleError, legacyError, SEARCH_CONSOLE } from "./google_errors.ts";
import {
  bodyOf,
  callerOf,
  type Fields,
  type GoogleRoute,
  readSearchQuery,
  SEARCH_SHAPE,
} from "./google_front.ts";
import { json, type SimulatedAnswer, type SimulatedRequest } from "./http_message.ts";
import { searchRows } from "./search_rows.ts";
import type { SearchConsoleProperty, SimulatedSite, World } from "./world.ts";

const route = (operation: string, verb: "GET" | "POST", pattern: RegExp): GoogleRoute => ({
  operation,
  verb,
  pattern,
  rpc: `google.searchconsole.v1.${operation}`,
});

export const SEARCH_CONSOLE_ROUTES: readonly GoogleRoute[] = [
  route("query", "POST", /^\/webmasters\/v3\/sites\/([^/]+)\/searchAnalytics\/query$/),
  route("sites", "GET", /^\/webmasters\/v3\/sites$/),
  route("site", "GET", /^\/webmasters\/v3\/sites\/([^/]+)$/),
  route("sitemaps", "GET", /^\/webmasters\/v3\/sites\/([^/]+)\/sitemaps$/),
];

const SCOPES = ["webmasters.readonly", "webmasters"].map((name) => `https://www.googleapis.com/auth/${name}`);

type Seen = SimulatedSite & { readonly searchConsole: SearchConsoleProperty };

export class SearchConsole {
  readonly #seed: number;
  readonly #world: World;
  readonly #accounts: Accounts;

  constructor(seed: number, world: World, accounts: Accounts) {
    this.#seed = seed;
    this.#world = world;
    this.#accounts = accounts;
  }

  answer(
    request: SimulatedRequest,
    { operation, rpc }: GoogleRoute,
    property: string,
    now: number,
  ): SimulatedAnswer {
    const scope = { accounts: this.#accounts, service: SEARCH_CONSOLE, scopes: SCOPES, now };
    const caller = callerOf(request, scope, rpc);
    if ("refusal" in caller) return caller.refusal;
    const read = bodyOf(request, operation === "query" ? SEARCH_SHAPE : {});
    if ("refusal" in read) return read.refusal;
    const seen = this.#world.sites.filter(
      (site): site is Seen =>
        site.searchConsole !== undefined && this.#accounts.sees(caller.account, site.name),
    );
    if (operation === "sites") {
      const siteEntry = seen.map(entryOf);
      return json(200, siteEntry.length === 0 ? {} : { siteEntry });
    }
    const site = seen.find(({ searchConsole }) => searchConsole.property === property);
    // Unknown, unverified and misspelt are answered alike.
    if (site === undefined || site.searchConsole.permission === "siteUnverifiedUser")
      return forbidden(property);
    if (operation === "site") return json(200, entryOf(site));
    if (operation === "sitemaps") return json(200, {});
    return this.#query(read.body, site, now);
  }

  error(name: string): SimulatedAnswer | undefined {
    switch (name) {
      case "forbidden":
        return forbidden("sc-domain:x");
      case "load-quota":
        return quota(403, "quotaExceeded", "load");
      case "qps-403":
        return quota(403, "quotaExceeded", "QPS");
      case "qps-429":
        return quota(429, "rateLimitExceeded", "QPS");
      default:
        return commonError(name, SEARCH_CONSOLE);
    }
  }

  #query(body: Fields, site: Seen, now: number): SimulatedAnswer {
    const query = readSearchQuery(body);
    if (typeof query === "string") return invalidParameter(query);
    const asking = { seed: this.#seed, world: this.#world, site, property: site.searchConsole, now };
    const { rows, firstIncomplete } = searchRows(asking, query);
    const page = rows.slice(query.startRow, query.startRow + query.rowLimit).map((row) => ({
      ...(query.dimensions.length === 0 ? {} : { keys: row.keys }),
      clicks: row.clicks,
      impressions: row.impressions,
      ctr: row.clicks / row.impressions,
      ...(["discover", "googleNews"].includes(query.type) ? {} : { position: row.position }),
    }));
    const isHourly = query.dimensions.includes("hour");
    return json(200, {
      ...(page.length === 0 ? {} : { rows: page }),
      responseAggregationType: query.isByPage ? "byPage" : "byProperty",
      ...(firstIncomplete === undefined
        ? {}
        : {
            metadata: isHourly
              ? { firstIncompleteHour: `${dayOfNumber(firstIncomplete)}T00:00:00-08:00` }
              : { firstIncompleteDate: dayOfNumber(firstIncomplete) },
          }),
    });
  }
}

const entryOf = ({ searchConsole }: Seen) => ({
  siteUrl: searchConsole.property,
  permissionLevel: searchConsole.permission ?? "siteFullUser",
});

const forbidden = (property: string) =>
  legacyError(
    403,
    "forbidden",
    `User does not have sufficient permission for site '${property}'. See also: https://support.google.com/webmasters/answer/2451999.`,
  );

const quota = (status: number, reason: string, what: string) =>
  legacyError(
    status,
    reason,
    `Search Analytics ${what} quota exceeded. Learn about usage limits: https://developers.google.com/webmaster-tools/v3/limits.`,
    "usageLimits",
  );

/** A refused query has the reason in the older form and the status in the newer one. */
function invalidParameter(message: string): SimulatedAnswer {
  const { headers } = googleError(400, "INVALID_ARGUMENT", message);
  const errors = [{ message, domain: "global", reason: "invalidParameter" }];
  const error = { code: 400, message, errors, status: "INVALID_ARGUMENT" };
  return { status: 400, headers, body: JSON.stringify({ error }) };
}
