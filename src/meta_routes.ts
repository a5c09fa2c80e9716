/** Routes about the service itself: is it alive, is it ready, its figures, its description. */
import { Elysia } from "elysia";
import type { Deps } from "./deps.ts";
import { type HealthDeps, healthRoutes } from "./health_routes.ts";
import { openApiDocument } from "./openapi.ts";
import type { Access } from "./platform/access.ts";
import { type Config, isLoopback } from "./platform/config.ts";
import { contextOf } from "./platform/edge.ts";

/** What telling about the service needs. */
export type MetaDeps = HealthDeps & Pick<Deps, "config" | "metrics">;

/** `/healthz`, `/readyz`, `/metrics`, `/openapi`. */
export function metaRoutes(deps: MetaDeps, access: Access) {
  return new Elysia({ name: "meta" })
    .use(healthRoutes(deps))
    .get("/metrics", async ({ request }) => {
      if (!isOwnMachine(request, deps.config)) access.api(request, "read");
      return new Response(await deps.metrics.text(), {
        headers: { "content-type": "text/plain; version=0.0.4; charset=utf-8", "cache-control": "no-store" },
      });
    })
    .get("/openapi", () => Response.json(openApiDocument()));
}

/**
 * Whether a request is surely from this machine. Behind a proxy every request comes from loopback, so where one is set up, or has
 * left its mark, the address says nothing.
 */
function isOwnMachine(request: Request, config: Config): boolean {
  const behindProxy =
    config.tower.publicUrl !== undefined ||
    config.trustedProxies.length > 0 ||
    config.trustedAuthHeader !== undefined;
  return !behindProxy && isLoopback(contextOf(request).addressOf()) && !isForwarded(request.headers);
}

const FORWARDING = /^(?:x-forwarded-.*|forwarded|x-real-ip|via)$/;

function isForwarded(headers: Headers): boolean {
  return [...headers.keys()].some((name) => FORWARDING.test(name));
}
