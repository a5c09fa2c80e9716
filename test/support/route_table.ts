/**
 * Every route of both listeners, as the applications have it: who may call it and from where. What is not named here is the operator's
 * alone; all of it is recorded, so that a new route is seen.
 */

import type { Scope } from "../../src/access/access.ts";
import type { Route } from "../../src/base/http_handler.ts";
import { testTower } from "./test_tower.ts";

export type ListenerName = "ingest" | "tower";

/** What holds for callers of a route. */
export interface RouteRule {
  /**
   * `anyone`; `site`: a site's token; a scope: an operator's token that has it or, at the Tower, a signed-in operator;
   * `operator`: a signed-in operator and no token.
   */
  readonly who: "anyone" | "site" | "operator" | Scope;
  /** `none`: what a browser sent is refused. `own`: a browser's request must come from our own pages. `any`: nothing is changed. */
  readonly origin: "none" | "own" | "any";
  /** A program on this machine needs no token, unless a proxy stands between. */
  readonly ownMachine?: true;
  /** Answers a file, or leads on to the page that has it. */
  readonly isFile?: true;
  /** A link of its own opens it, too. */
  readonly hasLinks?: true;
  /** The password is asked for again, for this form. */
  readonly confirmed?: Readonly<Record<string, string>>;
}

const OPEN: RouteRule = { who: "anyone", origin: "any" };
const READ: RouteRule = { who: "read", origin: "any" };
const DOOR: RouteRule = { who: "anyone", origin: "own" };
const PAGE: RouteRule = { who: "operator", origin: "any" };
const FILE: RouteRule = { ...PAGE, isFile: true };
const ACT: RouteRule = { who: "operator", origin: "own" };
const HANDS_OUT: RouteRule = { ...ACT, confirmed: {} };

/** The first that fits a route, as `listener METHOD /path`, is its rule. */
const RULES: readonly (readonly [routes: RegExp, rule: RouteRule])[] = [
  [/^ingest POST \/api\/annotations$/, { who: "annotations", origin: "none" }],
  [/^ingest /, { who: "site", origin: "none" }],
  [/GET \/(?:healthz|readyz|openapi|static\/\*|sign-in|setup)$/, OPEN],
  [/POST \/(?:sign-in|sign-out|setup)$/, DOOR],
  [/ \/metrics$/, { ...READ, ownMachine: true }],
  [/POST \/api\/annotations$/, { who: "annotations", origin: "own" }],
  [/POST \/api\/ledger\//, { who: "ledger", origin: "own" }],
  [/GET \/api\/integrations\/health$/, { ...READ, who: "health:read" }],
  [/GET \/api\//, READ],
  [/GET \/wall$/, { ...PAGE, hasLinks: true }],
  [/\/(?:[a-z]+\.csv|days\/:date|live|json|constants\/versions)$|GET \/sites$/, FILE],
  [/GET /, PAGE],
  [/POST \/ledger\/upload$/, { ...ACT, confirmed: { act: "store" } }],
  [/POST \/settings\/constants$/, { ...ACT, confirmed: { act: "save" } }],
  [
    /POST \/sites(?:\/:asset\/(?:first-report\/token|codebase\/tune|settings\/(?:removal|tokens.*)))?$/,
    HANDS_OUT,
  ],
  [/POST \/settings\/(?:credentials|notices)\/(?:new|:id\/(?:replacement|removal))$/, HANDS_OUT],
  [/POST \/settings\/(?:notices\/:id|(?:calendars|operators)\/:name\/removal)$/, HANDS_OUT],
  [/POST \/settings\/(?:calendars|(?:tokens\/operator|wall)(?:\/:id\/revocation)?)$/, HANDS_OUT],
  [/ /, ACT],
];

/** A route as it is mounted. */
export interface WalkedRoute extends Route {
  readonly listener: ListenerName;
  /** As `listener METHOD /path`. */
  readonly name: string;
  readonly rule: RouteRule;
}

const mounted = await testTower();
/** Every route that the listeners have. */
export const WALKED: readonly WalkedRoute[] = (["ingest", "tower"] as const).flatMap((listener) =>
  mounted[listener].routes.map(({ method, path }) => {
    const name = `${listener} ${method} ${path}`;
    return { listener, method, path, name, rule: RULES.find(([routes]) => routes.test(name))?.[1] ?? ACT };
  }),
);
await mounted.close();

export const ROUTES: Readonly<Record<string, RouteRule>> = Object.fromEntries(
  WALKED.map(({ name, rule }) => [name, rule]),
);

/** The address of a route with these values for its names. */
export function addressOf(path: string, values: Readonly<Record<string, string>>): string {
  return path
    .replace("*", "x")
    .replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(values[name] ?? "x"));
}

/** Every route of the table that is a page: what a person reads, signed in or at the door. */
export const PAGES: readonly string[] = Object.entries(ROUTES)
  .filter(([name, { who, isFile }]) => who === "operator" && isFile === undefined && / GET /.test(name))
  .map(([name]) => name.slice("tower GET ".length))
  .concat("/sign-in", "/setup");
