/** The ingest's application: which routes it has, behind which edge. No listening, no timers. */
import { Elysia } from "elysia";
import { annotationIngest, authorizeAnnotationToken } from "./annotations/mod.ts";
import { codebaseIngest } from "./codebase/mod.ts";
import { codebaseThresholds } from "./constants/mod.ts";
import type { Deps } from "./deps.ts";
import { type Application, edgeOf, type Ports } from "./listener_edge.ts";
import { INGEST_HEADERS } from "./platform/headers.ts";
import { routerOf } from "./platform/routing.ts";
import { pulseIngest } from "./pulse/mod.ts";

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
  const options = { refuseBrowsers: true, headers: INGEST_HEADERS } as const;
  const edge = edgeOf(deps, ports, { listener: "ingest", route, ...options });
  return Object.assign(edge, { routes: route.routes });
}
