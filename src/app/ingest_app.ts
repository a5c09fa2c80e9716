/** The ingest, and what the edges of both listeners have in common. */

import { Elysia } from "elysia";
import { actorOfToken } from "../access/api_tokens.ts";
import {
  addressesBoundTo,
  bracketed,
  type HostNames,
  type Hosts,
  hostsOf,
  isWildcard,
} from "../base/hosts.ts";
import {
  createHttpHandler,
  type HttpHandler,
  type HttpHandlerOptions,
  INGEST_HEADERS,
  type Route,
  routerOf,
  towerHeaders,
} from "../base/http_handler.ts";
import { logOf } from "../base/log.ts";
import { codebaseIngest } from "../reports/codebase_routes.ts";
import { pulseIngest } from "../reports/pulse_routes.ts";
import { annotationIngest } from "../sites/api.ts";
import { codebaseThresholds } from "../sites/constants_store.ts";
import type { Deps } from "./app.ts";

/** The ports the listeners got; a setting of 0 takes any free one. */
export interface Ports {
  readonly ingest: number;
  readonly tower: number;
}

/** A listener's application, and the routes it has. */
export interface Application extends HttpHandler {
  readonly routes: readonly Route[];
}

/** What an edge needs; what counts its answers is there once the data is open. */
export type EdgeDeps = Pick<Deps, "config" | "clock" | "ids"> & { readonly metrics?: Deps["metrics"] };

/** Wraps a router into the edge of a listener. */
export function edgeOf(
  deps: EdgeDeps,
  ports: () => Ports,
  options: Pick<HttpHandlerOptions, "listener" | "route" | "refuseBrowsers" | "headers" | "page">,
): HttpHandler {
  let hosts: Hosts | undefined;
  return createHttpHandler({
    ...options,
    hosts: () => {
      const names = namesOf(deps, options.listener, ports);
      // A port is known once the listener is there.
      if (hosts?.port !== names.port) hosts = hostsOf(names);
      return hosts;
    },
    clock: deps.clock,
    ids: deps.ids,
    log: logOf(options.listener),
    observe: deps.metrics?.observe,
  });
}

/** What is the same in the Tower's edge from its first answer on. */
export function towerEdge({ config }: Pick<Deps, "config">) {
  const headers = towerHeaders(config.tower.publicUrl?.startsWith("https://") === true);
  return { listener: "tower", refuseBrowsers: false, headers } as const;
}

/** Under which names a listener is reached. */
export function namesOf(
  deps: Pick<Deps, "config">,
  listener: "ingest" | "tower",
  ports: () => Ports,
): HostNames {
  const { host, publicUrl } = deps.config[listener];
  return {
    bound: host,
    addresses: () => addressesBoundTo(host),
    port: ports()[listener],
    published: publicUrl,
    allowed: deps.config.allowedHosts,
  };
}

/** Where a listener is reached: under its published address, or on this machine. */
export function addressOf(
  { config }: Pick<Deps, "config">,
  listener: "ingest" | "tower",
  ports: () => Ports,
): string {
  const { host, publicUrl } = config[listener];
  const name = isWildcard(host) ? "127.0.0.1" : bracketed(host);
  return publicUrl ?? `http://${name}:${ports()[listener]}`;
}

/** The ingest's application: which routes it has, behind which edge. No listening, no timers. */

/** The ingest: reports of sites and annotations of CI, over bearer tokens only. */
export function createIngest(deps: Deps, ports: () => Ports): Application {
  const isOperatorToken = (token: string) => deps.apiTokens.find(token) !== undefined;
  const sending = { ...deps, isOperatorToken };
  const app = new Elysia({ strictPath: true })
    .use(
      codebaseIngest({
        ...sending,
        codebaseThresholds: (asset) => codebaseThresholds(deps.constants.current().constants, asset),
      }),
    )
    .use(pulseIngest({ ...sending, onAccepted: () => deps.follower.kick() }))
    .use(annotationIngest({ ...deps, authorize: (request) => actorOfToken(request, "annotations", deps) }));
  const route = routerOf(app);
  const options = { refuseBrowsers: true, headers: INGEST_HEADERS } as const;
  const edge = edgeOf(deps, ports, { listener: "ingest", route, ...options });
  return Object.assign(edge, { routes: route.routes });
}
