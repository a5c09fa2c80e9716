/** The two listeners' applications: which routes each has, behind which edge. No listening, no timers. */
import { Elysia } from "elysia";
import { annotationIngest, annotationReads } from "./annotations/mod.ts";
import { manifestReads, objectReads } from "./archive/mod.ts";
import { assetReads } from "./assets/mod.ts";
import { codebaseReads } from "./codebase/mod.ts";
import type { Deps } from "./deps.ts";
import { flagReads } from "./flags/mod.ts";
import { healthReads } from "./integrations/mod.ts";
import { ledgerRoutes } from "./ledger/routes.ts";
import { type Application, addressOf, edgeOf, namesOf, type Ports, towerEdge } from "./listener_edge.ts";
import { metaRoutes } from "./meta_routes.ts";
import { noticeReads } from "./notices/read_routes.ts";
import { openApiDocument } from "./openapi.ts";
import { panelReads } from "./panels/read_routes.ts";
import { compressed } from "./platform/compress.ts";
import { routerOf } from "./platform/routing.ts";
import { pulseReads } from "./pulse/mod.ts";
import { runReads, signalReads } from "./signals/mod.ts";
import { createTowerPages } from "./tower/mod.ts";

export { createIngest } from "./ingest_app.ts";
export type { Application, Ports } from "./listener_edge.ts";

/** The Tower: the operator's pages, the read API, and what tells about the service. */
export function createTower(deps: Deps, ports: () => Ports): Application {
  const names = () => namesOf(deps, "tower", ports);
  const pages = createTowerPages(deps, { names, ports });
  const { sessions } = pages;
  const reading = { db: deps.store.db, authorizeRead: (request: Request) => sessions.api(request, "read") };
  const description = () =>
    openApiDocument({ ingest: addressOf(deps, "ingest", ports), tower: addressOf(deps, "tower", ports) });
  const app = new Elysia({ strictPath: true })
    .use(metaRoutes(deps, sessions, description))
    .use(annotationIngest({ ...deps, authorize: (request) => sessions.api(request, "annotations") }))
    .use(assetReads(reading))
    .use(codebaseReads(reading))
    .use(pulseReads(reading))
    .use(signalReads(reading))
    .use(panelReads(reading))
    .use(annotationReads(reading))
    .use(ledgerRoutes({ ...deps, ...reading, authorize: (request) => sessions.api(request, "ledger") }))
    .use(flagReads({ ...reading, clock: deps.clock }))
    .use(noticeReads({ ...reading, config: deps.config, clock: deps.clock }))
    .use(runReads(reading))
    .use(manifestReads(reading))
    .use(objectReads({ ...deps, ...reading }))
    .use(
      healthReads({
        ...deps,
        ...reading,
        authorizeHealth: (request) => sessions.api(request, "health:read"),
      }),
    )
    .use(pages.app);
  const route = routerOf(app);
  const edge = edgeOf(deps, ports, {
    ...towerEdge(deps),
    route: async (request) => compressed(request, await route(request)),
    page: pages.errorPage,
  });
  return Object.assign(edge, { routes: route.routes });
}
