/** The two listeners' applications: which routes each has, behind which edge. No listening, no timers. */
import { Elysia } from "elysia";
import { annotationIngest, annotationReads, authorizeAnnotationToken } from "./annotations/mod.ts";
import { assetReads } from "./assets/mod.ts";
import { codebaseIngest, codebaseReads } from "./codebase/mod.ts";
import { codebaseThresholds } from "./constants/mod.ts";
import type { Deps } from "./deps.ts";
import { flagReads } from "./flags/mod.ts";
import { metaRoutes } from "./meta_routes.ts";
import { compressed } from "./platform/compress.ts";
import { createEdge, type Edge } from "./platform/edge.ts";
import { INGEST_HEADERS, towerHeaders } from "./platform/headers.ts";
import { acceptableHosts, type HostNames } from "./platform/hosts.ts";
import { logOf } from "./platform/log.ts";
import { type Route, routerOf } from "./platform/routing.ts";
import { pulseIngest, pulseReads } from "./pulse/mod.ts";
import { createTowerPages } from "./tower/mod.ts";

/** The ports the listeners got; a setting of 0 takes any free one. */
export interface Ports {
  readonly ingest: number;
  readonly tower: number;
}

/** A listener's application, and the routes it has. */
export interface Application extends Edge {
  readonly routes: readonly Route[];
}

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
    .use(annotationIngest({ ...deps, authorize: (request) => authorizeAnnotationToken(request, deps) }));
  const route = routerOf(app);
  const edge = createEdge({
    listener: "ingest",
    route,
    hosts: hostsOf(() => namesOf(deps, "ingest", ports)),
    refuseBrowsers: true,
    headers: INGEST_HEADERS,
    clock: deps.clock,
    ids: deps.ids,
    log: logOf("ingest"),
    observe: deps.metrics.observe,
  });
  return Object.assign(edge, { routes: route.routes });
}

/** The Tower: the operator's pages, the read API, and what tells about the service. */
export function createTower(deps: Deps, ports: () => Ports): Application {
  const names = () => namesOf(deps, "tower", ports);
  const pages = createTowerPages(deps, { names, ports });
  const { sessions } = pages;
  const reading = { db: deps.store.db, authorizeRead: (request: Request) => sessions.api(request, "read") };
  const app = new Elysia({ strictPath: true })
    .use(metaRoutes(deps, sessions))
    .use(annotationIngest({ ...deps, authorize: (request) => sessions.api(request, "annotations") }))
    .use(assetReads(reading))
    .use(codebaseReads(reading))
    .use(pulseReads(reading))
    .use(annotationReads(reading))
    .use(flagReads(reading))
    .use(pages.app);
  const route = routerOf(app);
  const edge = createEdge({
    listener: "tower",
    route: async (request) => compressed(request, await route(request)),
    hosts: hostsOf(names),
    refuseBrowsers: false,
    headers: towerHeaders(deps.config.tower.publicUrl?.startsWith("https://") === true),
    page: pages.errorPage,
    clock: deps.clock,
    ids: deps.ids,
    log: logOf("tower"),
    observe: deps.metrics.observe,
  });
  return Object.assign(edge, { routes: route.routes });
}

function namesOf(deps: Deps, listener: "ingest" | "tower", ports: () => Ports): HostNames {
  const { host, publicUrl } = deps.config[listener];
  return { bound: host, port: ports()[listener], published: publicUrl, allowed: deps.config.allowedHosts };
}

/** The acceptable hosts, worked out once the port is known. */
function hostsOf(names: () => HostNames): () => ReadonlySet<string> {
  let known: { readonly port: number; readonly hosts: ReadonlySet<string> } | undefined;
  return () => {
    const now = names();
    if (known?.port !== now.port) known = { port: now.port, hosts: acceptableHosts(now) };
    return known.hosts;
  };
}
