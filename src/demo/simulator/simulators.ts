/** All providers at once, on addresses of loopback: what the service is pointed at in tests and in the demo. */

import { PROVIDER_SETTINGS } from "../../base/config.ts";
import { Accounts, type KeyFileOptions } from "./accounts.ts";
import {
  ANALYTICS_ADMIN_ROUTES,
  ANALYTICS_DATA_ROUTES,
  AnalyticsData,
  adminAnswer,
  adminError,
  analyticsError,
} from "./analytics_data.ts";
import { exchange, idTokenOnly, notFoundPage } from "./google_errors.ts";
import { type GoogleRoute, routeOf } from "./google_front.ts";
import type { SimulatedAnswer, SimulatedRequest } from "./http_message.ts";
import { type Asked, type Fault, Script, SERVERS, type ServerName, spoiled, type Where } from "./script.ts";
import { SEARCH_CONSOLE_ROUTES, searchAnswer, searchError } from "./search_console.ts";
import { Serp, type SerpCharge, serpError, serpOperation } from "./serp.ts";
import { WebmasterTools, webmasterError, webmasterMethod } from "./webmaster_tools.ts";
import { closed, closing, faulty, type Listener, listenOn, type Wire, wholly } from "./wire.ts";
import type { World } from "./world.ts";

interface SimulatorOptions {
  /** The simulated clock: milliseconds since the epoch. */
  readonly now: () => number;
  readonly seed: number;
  /** Read anew at every request: whoever holds it may change it. */
  readonly world: World;
  /** The first of as many neighbouring ports as there are servers; any free ones where it is absent. */
  readonly port?: number;
  /** Whether connections serve more than one request. Not by itself: a client repeats by itself what breaks off on one that was kept. */
  readonly keepsConnections?: boolean;
}

/** A request that came. What of it is secret is not kept. */
interface LoggedRequest extends Asked {
  /** The simulated clock. */
  readonly at: number;
  /** 0 where a fault of the connection left no status. */
  readonly status: number;
  /** The fault it met. */
  readonly fault: Fault["kind"] | undefined;
}

export interface Simulators {
  readonly urls: Readonly<Record<ServerName, string>>;
  /** The environment of a service that is pointed at them. */
  readonly settings: Readonly<Record<string, string>>;
  readonly accounts: Accounts;
  /** The text of a key file of a service account. */
  serviceAccount(options?: KeyFileOptions): string;
  /** The key of a user of webmaster tools. */
  webmasterKey(account?: string): string;
  /** The text of the file of the account that search results are asked with. */
  serpLogin(): string;
  /** What search results were charged for, answered or not. */
  readonly serpCharges: readonly SerpCharge[];
  /** Queues a fault; with none named, whichever request comes next meets it. */
  script(fault: Fault, where?: Where): void;
  /** Takes back every fault that is queued, and takes connections again. */
  calm(): void;
  /**
   * Closes and opens what is refused at the time it is: to be called when the clock was moved over an end of such a stretch. A machine's
   * own clock is looked at twenty times a second anyway.
   */
  heed(): void;
  /** The requests so far, in the order of their answers: the last hundred thousand of them at least. */
  readonly log: readonly LoggedRequest[];
  /** Exchanges of tokens that were granted. */
  readonly exchanges: number;
  forget(): void;
  stop(): void;
}

const HEED_MS = 50;
/** What is kept of the requests; the older half goes when there are more. A demo may run for weeks. */
const MOST_LOGGED = 200_000;
/** Faults that leave no whole answer: it has no status that counts. */
const NO_ANSWER: ReadonlySet<string> = new Set(["reset", "hang"]);

/** Starts them. Throws when a port is taken. */
export function startSimulators({
  now,
  seed,
  world,
  port,
  keepsConnections = false,
}: SimulatorOptions): Simulators {
  const script = new Script();
  const log: LoggedRequest[] = [];
  let exchanges = 0;
  const listeners = new Map<ServerName, Listener>();
  const urlOf = (server: ServerName) => listeners.get(server)?.url ?? "";
  const accounts = new Accounts(seed, world, () => `${urlOf("token")}/token`);
  const ground = { seed, world, accounts };
  const data = new AnalyticsData(ground);
  const webmaster = new WebmasterTools(ground);
  const serp = new Serp(seed, world);

  const routes: Readonly<Partial<Record<ServerName, readonly GoogleRoute[]>>> = {
    analyticsData: ANALYTICS_DATA_ROUTES,
    analyticsAdmin: ANALYTICS_ADMIN_ROUTES,
    searchConsole: SEARCH_CONSOLE_ROUTES,
  };

  function askedOf(server: ServerName, request: SimulatedRequest): Asked & { readonly route?: GoogleRoute } {
    const { method, path } = request;
    const asked = { server, method, path, body: server === "token" ? "" : request.body };
    if (server === "token") return { ...asked, operation: "token", property: "" };
    if (server === "webmasterTools") {
      return { ...asked, operation: webmasterMethod(path), property: request.query.get("siteUrl") ?? "" };
    }
    if (server === "serp") return { ...asked, operation: serpOperation(request), property: "" };
    const found = routeOf(routes[server] ?? [], request);
    if (found === undefined) return { ...asked, operation: "", property: "" };
    return { ...asked, operation: found.route.operation, property: found.property, route: found.route };
  }

  function rightAnswer(
    request: SimulatedRequest,
    { server, operation, property, route }: Asked & { readonly route?: GoogleRoute },
    at: number,
    isEndless: boolean,
  ): SimulatedAnswer {
    if (server === "token") return exchange(request, accounts, urlOf("token"), at);
    if (server === "webmasterTools") return webmaster.answer(request, operation, at);
    if (server === "serp") return serp.answer(request, operation, at);
    if (route === undefined) return notFoundPage();
    if (server === "analyticsData") return data.answer(request, route, property, at);
    if (server === "analyticsAdmin") return adminAnswer(ground, request, route, property, at, isEndless);
    return searchAnswer(ground, request, route, property, at);
  }

  const errors: Readonly<Record<ServerName, (name: string) => SimulatedAnswer | undefined>> = {
    // It has no errors of its own to be named: those of 400 come of what is sent.
    token: adminError,
    analyticsData: analyticsError,
    analyticsAdmin: adminError,
    searchConsole: searchError,
    webmasterTools: webmasterError,
    serp: serpError,
  };

  function errorOf(
    server: ServerName,
    { error, status }: Fault & { readonly kind: "error" },
  ): SimulatedAnswer {
    const answer = errors[server](error);
    if (answer === undefined) throw new RangeError(`${server} has no error named ${error}`);
    return status === undefined ? answer : { ...answer, status };
  }

  /** The answer with what a fault makes of it. */
  function answerOf(
    request: SimulatedRequest,
    asked: Asked & { readonly route?: GoogleRoute },
    fault: Fault | undefined,
    at: number,
  ) {
    if (fault?.kind === "throttled") webmaster.shut(fault.code, fault.quietMs, at);
    if (fault?.kind === "error" && asked.server === "serp") {
      return serp.answer(request, asked.operation, at, fault.error);
    }
    if (fault?.kind === "error") {
      const answer = errorOf(asked.server, fault);
      return fault.retryAfter === undefined
        ? answer
        : { ...answer, headers: { ...answer.headers, "retry-after": fault.retryAfter } };
    }
    if (fault?.kind === "id-token-only") return idTokenOnly();
    const answer = rightAnswer(request, asked, at, fault?.kind === "endless-pages");
    return fault === undefined ? answer : spoiled(answer, fault, asked);
  }

  async function serve(server: ServerName, request: SimulatedRequest): Promise<Wire> {
    const at = now();
    const asked = askedOf(server, request);
    const fault = script.take(asked, at);
    if (fault?.kind === "slow") await Bun.sleep(fault.ms);
    const answer = answerOf(request, asked, fault, at);
    if (log.length >= MOST_LOGGED) log.splice(0, MOST_LOGGED / 2);
    if (server === "token" && answer.status === 200) exchanges++;
    const { route: _, ...kept } = asked;
    log.push({
      ...kept,
      at,
      status: fault !== undefined && NO_ANSWER.has(fault.kind) ? 0 : answer.status,
      fault: fault?.kind,
    });
    const wireOf = (told: SimulatedAnswer) =>
      (fault && faulty(told, fault)) ?? wholly(told, request.method === "HEAD");
    return keepsConnections ? wireOf(answer) : closed(wireOf(closing(answer)));
  }

  function heed(): void {
    for (const server of SERVERS) {
      const listener = listeners.get(server);
      if (script.isRefused(server, now())) listener?.close();
      else listener?.open();
    }
  }

  for (const [place, server] of SERVERS.entries()) {
    const own = port === undefined ? 0 : port + place;
    listeners.set(
      server,
      listenOn(own, (request) => serve(server, request)),
    );
  }
  const timer = setInterval(heed, HEED_MS);
  timer.unref();
  const urls = Object.fromEntries(SERVERS.map((server) => [server, urlOf(server)])) as Record<
    ServerName,
    string
  >;

  return {
    urls,
    settings: Object.fromEntries(
      Object.entries(PROVIDER_SETTINGS).map(([api, name]) => [name, urls[api as ServerName]]),
    ),
    accounts,
    serviceAccount: (options = {}) => accounts.keyFile(options),
    webmasterKey: (account) => accounts.webmasterKey(account),
    serpLogin: () => JSON.stringify(serp.login),
    serpCharges: serp.charges,
    script: (fault, where = {}) => {
      // A name that is none is told to whoever queues it, not to the client of a request.
      if (fault.kind === "error" && where.server !== undefined) errorOf(where.server, fault);
      script.add(fault, where);
      heed();
    },
    calm: () => {
      script.clear();
      heed();
    },
    heed,
    log,
    get exchanges() {
      return exchanges;
    },
    forget: () => {
      log.length = 0;
      exchanges = 0;
    },
    stop: () => {
      clearInterval(timer);
      for (const listener of listeners.values()) listener.close();
    },
  };
}
