/** Routes about the service itself: is it alive, is it ready, its figures, its description. */
import { Elysia } from "elysia";
import type { Deps } from "./deps.ts";
import { countMonitoringFailures } from "./monitoring/mod.ts";
import { openApiDocument } from "./openapi.ts";
import type { Access } from "./platform/access.ts";
import { type Config, isLoopback } from "./platform/config.ts";
import { contextOf } from "./platform/edge.ts";
import { findBacklog, secondsWaited } from "./pulse/mod.ts";

/** Writes that may wait before the service counts as not ready. */
const READY_QUEUE = 3_000;

/** How long storage may keep the rules from judging before the service counts as not ready, in milliseconds. */
const READY_REST_MS = 60_000;

/** What telling about the service needs. */
export type MetaDeps = Pick<Deps, "clock" | "config" | "metrics" | "store" | "writer"> & {
  readonly follower: Pick<Deps["follower"], "restingSince">;
  readonly machine: Pick<Deps["machine"], "unready">;
};

/** `/healthz`, `/readyz`, `/metrics`, `/openapi`. */
export function metaRoutes(deps: MetaDeps, access: Access) {
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

function readiness(deps: MetaDeps): Partial<ReturnType<typeof unjudged>> & { readonly fault?: string } {
  if (deps.writer.queued > READY_QUEUE) return { fault: "too many writes are waiting" };
  const { restingSince } = deps.follower;
  if (restingSince !== undefined && deps.clock.now() - restingSince > READY_REST_MS) {
    return { fault: "nightly reports cannot be judged, since storage fails" };
  }
  try {
    const fault = deps.machine.unready();
    return { ...unjudged(deps), ...(fault === undefined ? {} : { fault }) };
  } catch {
    return { fault: "the database does not answer" };
  }
}

/**
 * What is accepted and not judged. It does not make the service less ready: a site that sends what no rule can judge must not take
 * it out of service for the others.
 */
function unjudged({ store, clock }: MetaDeps) {
  const backlog = findBacklog(store.db);
  const seconds = secondsWaited(backlog, clock.now());
  const lasting = countMonitoringFailures(store.db);
  return {
    reports_waiting: backlog.reports,
    oldest_waiting_seconds: seconds === undefined ? null : Math.floor(seconds),
    monitoring_failures: [...lasting.values()].reduce((sum, failures) => sum + failures, 0),
  };
}
