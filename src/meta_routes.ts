/** Routes about the service itself: is it alive, is it ready, its figures, its description. */
import { Elysia } from "elysia";
import type { Deps } from "./deps.ts";
import { openApiDocument } from "./openapi.ts";
import type { Access } from "./platform/access.ts";
import { isLoopback } from "./platform/config.ts";
import { contextOf } from "./platform/edge.ts";

/** Writes that may wait before the service counts as not ready. */
const READY_QUEUE = 3_000;

/** `/healthz`, `/readyz`, `/metrics`, `/openapi`. */
export function metaRoutes(deps: Deps, access: Access) {
  return new Elysia({ name: "meta" })
    .get("/healthz", () => Response.json({ status: "ok" }))
    .get("/readyz", () => {
      const fault = unreadiness(deps);
      return fault === undefined
        ? Response.json({ status: "ready" })
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

function unreadiness(deps: Deps): string | undefined {
  if (deps.writer.queued > READY_QUEUE) return "too many writes are waiting";
  try {
    deps.store.rawRead.query("SELECT 1").get();
    return deps.machine.unready();
  } catch {
    return "the database does not answer";
  }
}
