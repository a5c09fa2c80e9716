/** Routes about the service itself: is it alive, is it ready, its figures, its description. */
import { Elysia } from "elysia";
import type { Deps } from "./deps.ts";
import { type HealthDeps, healthRoutes } from "./health_routes.ts";
import { type Access, READ_REFUSALS } from "./platform/access.ts";
import type { Config } from "./platform/config.ts";
import { contextOf } from "./platform/edge.ts";
import type { Endpoint } from "./platform/endpoint.ts";
import { isLoopback } from "./platform/host_name.ts";
import { type Json, text } from "./platform/json_schema.ts";

/** What telling about the service needs. */
export type MetaDeps = HealthDeps & Pick<Deps, "config" | "metrics">;

export const METRICS = {
  id: "readMetrics",
  tag: "Service",
  method: "GET",
  path: "/metrics",
  listeners: ["tower"],
  summary: "Read the service's figures, for Prometheus",
  description:
    "Open to this machine; from beyond loopback, and wherever a proxy is set up or has left its mark, scope read is needed.",
  open: "own-machine",
  answers: {
    200: {
      description: "Text format 0.0.4.",
      shape: text,
      type: "text/plain",
      example:
        "# HELP tower_reports_waiting Accepted nightly reports that are not judged yet.\n# TYPE tower_reports_waiting gauge\ntower_reports_waiting 0\n",
    },
  },
  refuses: READ_REFUSALS,
} as const satisfies Endpoint;

export const OPENAPI = {
  id: "readDescription",
  tag: "Service",
  method: "GET",
  path: "/openapi",
  listeners: ["tower"],
  summary: "Read this description",
  description: "Its servers are the addresses of this service.",
  open: "anyone",
  answers: {
    200: { description: "OpenAPI 3.1.", shape: { type: "object" }, example: { openapi: "3.1.0" } },
  },
  refuses: [],
} as const satisfies Endpoint;

/** `/healthz`, `/readyz`, `/metrics`, `/openapi`, which is given what it hands out. */
export function metaRoutes(deps: MetaDeps, access: Access, description: () => Json) {
  return new Elysia({ name: "meta" })
    .use(healthRoutes(deps))
    .get(METRICS.path, async ({ request }) => {
      if (!isOwnMachine(request, deps.config)) access.api(request, "read");
      return new Response(await deps.metrics.text(), {
        headers: { "content-type": "text/plain; version=0.0.4; charset=utf-8", "cache-control": "no-store" },
      });
    })
    .get(OPENAPI.path, () => Response.json(description()));
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
