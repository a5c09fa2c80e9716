/** Routes about the service itself: is it alive, is it ready, its figures, its description. */
import { Elysia } from "elysia";
import type { Deps } from "./deps.ts";
import { countMonitoringFailures } from "./monitoring/mod.ts";
import { openApiDocument } from "./openapi.ts";
import type { Access } from "./platform/access.ts";
import { isLoopback } from "./platform/config.ts";
import { contextOf } from "./platform/edge.ts";
import { findBacklog } from "./pulse/mod.ts";

/** Writes that may wait before the service counts as not ready. */
const READY_QUEUE = 3_000;

/** How long storage may keep the rules from judging before the service counts as not ready, in milliseconds. */
const READY_REST_MS = 60_000;

/** `/healthz`, `/readyz`, `/metrics`, `/openapi`. */
export function metaRoutes(deps: Deps, access: Access) {
  return new Elysia({ name: "meta" })
    .get("/healthz", () => Response.json({ status: "ok" }))
    .get("/readyz", () => {
      const { fault, ...rest } = readiness(deps);
      return fault === undefined
        ? Response.json({ status: "ready", ...rest })
        : Response.json(
            { status: "not ready", reason: fault },
            { status: 503, headers: { "retry-after": "2" } },
          );
    })
    .get("/metrics", async ({ request }) => {
      const address = contextOf(request).addressOf();
      if (!isLoopback(address) || request.headers.has("x-forwarded-for")) access.api(request, "read");
      return new Response(await deps.metrics.text(), {
        headers: { "content-type": "text/plain; version=0.0.4; charset=utf-8", "cache-control": "no-store" },
      });
    })
    .get("/openapi", () => Response.json(openApiDocument()));
}

function readiness(deps: Deps): Partial<ReturnType<typeof unjudged>> & { readonly fault?: string } {
  if (deps.writer.queued > READY_QUEUE) return { fault: "too many writes are waiting" };
  const { restingSince } = deps.follower;
  if (restingSince !== undefined && deps.clock.now() - restingSince > READY_REST_MS) {
    return { fault: "nightly reports cannot be judged, since storage fails" };
  }
  try {
    return unjudged(deps);
  } catch {
    return { fault: "the database does not answer" };
  }
}

/**
 * What is accepted and not judged. It does not make the service less ready: a site that sends what no rule can judge must not take
 * it out of service for the others.
 */
function unjudged({ store, clock }: Deps) {
  const { reports, since } = findBacklog(store.db);
  const lasting = countMonitoringFailures(store.db);
  return {
    reports_waiting: reports,
    oldest_waiting_seconds:
      since === undefined ? null : Math.max(0, Math.floor((clock.now() - since) / 1_000)),
    monitoring_failures: [...lasting.values()].reduce((sum, failures) => sum + failures, 0),
  };
}
