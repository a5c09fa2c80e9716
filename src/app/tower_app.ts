/** The Tower's application: which routes it has, behind which edge. No listening, no timers. */

import { Elysia } from "elysia";
import { objectReads } from "../archive/object_routes.ts";
import { manifestReads } from "../archive/read_routes.ts";
import { compressed, pathOf, routerOf } from "../base/http_handler.ts";
import { flagReads } from "../flags/api.ts";
import { attentionReads } from "../integrations/attention_reader.ts";
import { healthReads } from "../integrations/reader.ts";
import { ledgerRoutes } from "../ledger/api.ts";
import { noticeReads } from "../notices/api.ts";
import { codebaseReads } from "../reports/codebase_routes.ts";
import { pulseReads } from "../reports/pulse_routes.ts";
import { panelReads, runReads, signalReads } from "../signals/signal_routes.ts";
import { annotationIngest, annotationReads, assetReads } from "../sites/api.ts";
import { createTowerPages } from "../tower/tower.tsx";
import type { Deps } from "./app.ts";
import { type Application, addressOf, edgeOf, namesOf, type Ports, towerEdge } from "./ingest_app.ts";
import { openApiDocument } from "./openapi.ts";
import { HEALTHZ, metaRoutes, READYZ } from "./service_routes.ts";

/** What is asked while a service starts, and waits for no first read of health. */
const PROBED: ReadonlySet<string> = new Set([HEALTHZ.path, READYZ.path]);

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
    .use(noticeReads({ ...reading, config: deps.config }))
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
    .use(attentionReads({ ...deps, ...reading }))
    .use(pages.app);
  const route = routerOf(app);
  const edge = edgeOf(deps, ports, {
    ...towerEdge(deps),
    route: async (request) => {
      if (!PROBED.has(pathOf(request))) await deps.health.follow(deps.clock);
      return compressed(request, await route(request));
    },
    page: pages.errorPage,
  });
  return Object.assign(edge, { routes: route.routes });
}
